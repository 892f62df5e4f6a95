"""D8: the protocol of Table 8.1, as the recipe plays it."""

import importlib
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from scripts import script

from align.learners import LabelRanker

RECIPE = Path(__file__).resolve().parents[3] / "recipes" / "label_ranking"


@pytest.fixture
def mail(monkeypatch):
    monkeypatch.syspath_prepend(str(RECIPE))
    return importlib.import_module("mail")


@pytest.fixture
def run(mail):
    return script(RECIPE / "run.py")


def write(path, subject, body, date=None, extra=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    when = f"Date: {date}\n" if date else ""
    path.write_bytes(f"{when}Subject: {subject}\n{extra}\n{body}\n".encode("latin-1"))


def day(number):
    return f"{number:02d} Mar 2001 08:00:00 +0000"


@pytest.fixture
def tree(tmp_path):
    """Two folders to keep, one of them a maildir in a maildir; and all that is to be left out."""
    root = tmp_path / "beck-x"
    for i in range(3):
        write(
            root / "Europe" / "power" / "cur" / f"{i}.",
            "Power",
            f"gas b{'ab'[i % 2]}",
            day(2 * i + 1),
        )
        write(
            root / "golf" / f"{i}.", "Re: tee time", "green", day(2 * i + 2), "X-Folder: secret\n"
        )
        write(root / "sent" / f"{i}.", "never", "never", day(9))
        write(root / "europe" / "Inbox" / f"{i}.", "never", "never", day(9))
        write(root / "golf" / "tmp" / f"{i}.", "never", "never", day(9))
    for i in range(2):
        write(root / "small" / f"{i}.", "never", "never", day(9))
    write(root / "loose.", "never", "never", day(9))
    return root


def test_what_is_read(mail, tree):
    stream = mail.read_user(tree)
    assert stream.name == "beck-x"
    assert stream.labels == ["europe/power", "golf"]
    # By date: power, golf, power, ...; and words of at least two messages.
    np.testing.assert_array_equal(stream.Y.argmax(axis=1), [0, 1, 0, 1, 0, 1])
    assert (stream.Y.sum(axis=1) == 1).all()
    words = ["ba", "gas", "green", "power", "re", "tee", "time"]
    expected = [
        [w in ({"power", "gas", "ba"} if i != 2 else {"power", "gas"}) for w in words]
        if i % 2 == 0 else [w in {"re", "tee", "time", "green"} for w in words]
        for i in range(6)
    ]  # fmt: skip
    np.testing.assert_array_equal(stream.X.toarray(), np.array(expected, dtype=float))
    part = stream.part(1, 3)
    assert part.X.shape == (2, 7)
    assert len(part.Y) == 2


def test_messages_that_are_hard_to_read(mail, tree):
    odd = tree / "golf"
    write(odd / "7.", "undated", "green")
    write(
        odd / "8.", "odd", "green caf\xe9", "not a date", "Content-Type: text/plain; charset=x9\n"
    )
    write(odd / "9.", "local", "green", "07 Mar 2001 08:00:00 -0000")
    (odd / "10.").write_bytes(b"")
    write(odd / "11.", "page", "<p>green</p>", day(8), "Content-Type: text/html\n")
    stream = mail.read_user(tree, rarest=1)
    assert stream.X.shape[0] == 11
    green = stream.X.toarray()[:, sorted(vocabulary(mail, tree)).index("green")]
    assert green.sum() == 7
    assert stream.Y[:3].argmax(axis=1).tolist() == [1, 1, 1]  # those without a date come first


def vocabulary(mail, root):
    """The words of all messages that are kept."""
    from email import policy
    from email.parser import BytesParser

    words = set()
    for path in root.rglob("*"):
        if path.is_file() and mail.folder_of(path, root) in ("golf", "europe/power"):
            words |= mail.words_of(
                BytesParser(policy=policy.default).parsebytes(path.read_bytes())
            )
    return words


def test_nothing_to_read(mail, tmp_path):
    with pytest.raises(SystemExit, match="no folder of at least 3 messages"):
        mail.read_user(tmp_path)


def test_generated_mail_is_the_same_for_the_same_seed(mail, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        mail.generate_user(tmp_path / name, seed, messages=60, folders=5)
    a, b, c = (
        {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()}
        for root in (tmp_path / "a", tmp_path / "b", tmp_path / "c")
    )
    assert a == b != c
    assert len(a) == 60
    stream = mail.read_user(tmp_path / "a")
    assert 2 <= len(stream.labels) <= 5
    assert set(np.unique(stream.X.data)) == {1.0}


def test_protocol_counts_mistakes_exactly(run, mail, tmp_path, capsys):
    mail.generate_user(tmp_path / "first", 3, messages=120, folders=6)
    mail.generate_user(tmp_path / "second", 4, messages=120, folders=6)
    out, picture = tmp_path / "numbers.json", tmp_path / "curves.png"
    users = [str(tmp_path / "first"), str(tmp_path / "second")]
    run.main([*users, "--json", str(out), "--plot", str(picture)])
    printed = capsys.readouterr().out
    assert "second" in printed
    assert picture.stat().st_size > 1000
    numbers = json.loads(out.read_text(encoding="utf-8"))
    assert list(numbers["mistakes_percent"]) == ["second"]
    first, second = (mail.read_user(Path(user)) for user in users)
    for complexity, update in run.ALGORITHMS:
        params = numbers["parameters"][f"{complexity} {update}"]

        def rate(stream, params, complexity=complexity, update=update):
            model = LabelRanker(complexity, update, fit_intercept=False, **params)
            model.start(stream.X.shape[1], range(len(stream.labels)))
            rounds = zip(stream.X.toarray(), stream.Y, strict=True)
            count = sum(model.step(x, on).cost for x, on in rounds)
            assert count == model.n_mistakes_
            return 100.0 * count / len(stream.Y)

        assert numbers["mistakes_percent"]["second"][f"{complexity} {update}"] == pytest.approx(
            rate(second, params)
        )
        # No other choice does better on the first user.
        best = rate(first, params)
        for other in run.grid(complexity, update)[::4]:
            assert rate(first, other) >= best


def test_a_single_stream_is_cut(run, mail, tmp_path, monkeypatch):
    mail.generate_user(tmp_path / "only", 5, messages=90, folders=4)
    stream = mail.read_user(tmp_path / "only")
    monkeypatch.setattr(run, "RATES", (1.0,))
    monkeypatch.setattr(run, "SCALES", (10.0,))
    found = run.compare([stream])
    assert [len(s.Y) for s in found["streams"]] == [len(stream.Y) - len(stream.Y) // 3]
    lines = run.report(found).splitlines()
    assert lines[2].startswith("only")
    assert lines[-1].split()[0] == "parameters"


def test_multi_label_indicators(run, shared_data, monkeypatch, capsys):
    monkeypatch.setattr(run, "RATES", (0.5, 2.0, 10.0))
    monkeypatch.setattr(run, "SCALES", (3.0, 30.0, 300.0))
    monkeypatch.setattr(run, "MARGINS", (0.01, 0.1))
    run.main(["--indicators", str(shared_data / "learners" / "ml_enron.npz")])
    values = [float(v) for v in capsys.readouterr().out.splitlines()[2].split()[3:]]
    e1, e2, e3, h1, h2, h3 = values
    assert e3 < e2 < e1
    assert h3 < h2 < h1
    assert h1 < e1
    assert h2 < e2
    assert h3 < e3


def test_something_must_be_named(run, capsys):
    with pytest.raises(SystemExit):
        run.main([])
    assert "name folders of users" in capsys.readouterr().err
