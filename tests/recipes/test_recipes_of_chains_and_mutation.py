"""The recipes of chains and of mutation: their parts, on small examples."""

import itertools
import json
import sys

import numpy as np
import pytest
from scripts import RECIPES, script


@pytest.fixture
def load(monkeypatch):
    """A function that imports the script of a recipe."""
    monkeypatch.setattr(sys, "path", sys.path.copy())  # recipes add their folder to it
    return lambda name: script(RECIPES / name / "run.py")


def test_a_chain_is_decoded_as_by_enumeration(load):
    run = load("chains")
    chain, rng = run.Chain(), np.random.default_rng(0)
    for _ in range(5):
        x, w = rng.normal(size=(3, run.PIXELS)), rng.normal(size=run.K * (run.PIXELS + run.K))
        y = rng.integers(run.K, size=3)
        every = [np.array(word) for word in itertools.product(range(run.K), repeat=3)]
        scores = np.array([w @ chain.joint_feature(x, word) for word in every])
        np.testing.assert_array_equal(chain.decode(w, x), every[scores.argmax()])
        scores += [chain.cost(y, word) for word in every]
        found = chain.loss_augmented_decode(w, x, y)
        np.testing.assert_array_equal(found, every[scores.argmax()])


def test_chains_are_learned(load):
    run, rng = load("chains"), np.random.default_rng(0)
    labels = np.arange(60) % run.K
    images = np.eye(run.PIXELS - 1)[labels] + 0.3 * rng.normal(size=(60, run.PIXELS - 1))
    words = run.make_words(images, labels, 60, rng)
    read = run.structured(0.1, *words)
    assert run.wrong(read, *words)[0] < 0.1


SOURCE = '''
def f(x: int = 3) -> bool:
    """Return 7."""
    if not x < 2.0 and x == -1:
        raise ValueError("5 + 6")
    return x * 4 > 1
'''


def test_a_module_is_changed_in_one_place_at_a_time(load):
    run = load("mutation")
    numbers, n_changes = run.draw(SOURCE, None)
    assert numbers == list(range(n_changes))
    changes = [run.mutant(SOURCE, n) for n in numbers]
    assert sorted(change for _, change, _ in changes) == sorted([
        "3  ->  4", "2.0  ->  2.2", "1  ->  2", "4  ->  5", "1  ->  2", "-1  ->  +1",
        "x < 2.0  ->  x <= 2.0", "x == -1  ->  x != -1", "x * 4 > 1  ->  x * 4 >= 1",
        "x * 4  ->  x / 4", "not x < 2.0  ->  not not x < 2.0",
        "not x < 2.0 and x == -1  ->  not x < 2.0 or x == -1",
    ])  # fmt: skip
    texts = [text for _, _, text in changes]
    assert len(set(texts)) == len(texts)


def test_what_survives_is_printed_and_the_log_is_gone_on_from(load, monkeypatch, tmp_path, capsys):
    run = load("mutation")
    monkeypatch.setattr(run, "ROOT", tmp_path / "tree")
    monkeypatch.setattr(run, "PARTS", ("package",))
    (tmp_path / "tree" / "package").mkdir(parents=True)
    (tmp_path / "tree" / "package" / "m.py").write_text("a = 1\nb = 2\n", encoding="utf-8")
    asked = []

    def passes(tree, tests, limit):
        text = (tree / "package" / "m.py").read_text(encoding="utf-8")
        asked.append(text)
        return "a = 1" in text

    monkeypatch.setattr(run, "passes", passes)
    log = tmp_path / "log.jsonl"
    for _ in range(2):
        run.run("package/m.py", ["tests"], log, None, None)
        assert "2 of 2 changes tried: 1 killed, 1 survived, 0 too" in capsys.readouterr().out
    assert len(asked) == 4  # both changes once, and the unchanged module twice
    outcomes = [json.loads(line)["outcome"] for line in log.read_text().splitlines()]
    assert outcomes == ["killed", "survived"]


def test_a_change_whose_tests_take_too_long_is_named_apart(load, monkeypatch, tmp_path, capsys):
    run = load("mutation")
    monkeypatch.setattr(run, "ROOT", tmp_path / "tree")
    monkeypatch.setattr(run, "PARTS", ("m.py",))
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "m.py").write_text("a = 1\n", encoding="utf-8")
    answers = iter([True, "too long"])
    monkeypatch.setattr(run, "passes", lambda tree, tests, limit: next(answers))
    run.run("m.py", ["tests"], tmp_path / "log.jsonl", None, None)
    printed = capsys.readouterr().out
    assert "0 killed, 0 survived, 1 too long" in printed
    assert "too long: line 1, change 0: 1  ->  2" in printed
