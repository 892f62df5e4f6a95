"""A session of made-up words: editing, restarts, two windows, learning, and what is put back."""

import json
import os
import shutil
import threading

import numpy as np
import pytest
import soundfile
from synthetic_speech import RATE, random_phones, recording

import align
from align import Alignment, DataError, Example, ParameterError, Session, SpeechAligner
from align.features import ArticulatoryConfidence, ArticulatoryDuration
from align.files.atomic import atomic_write
from align.sequence.online import EXPERTS
from align.studio import StaleRevision

IPA = {"sil": "sil", "s": "s", "aa": "ɑ", "iy": "i", "m": "m", "b": "b"}
LATE = 0.03  # seconds by which the labeller of the made-up language is late


def word(seed, late=0.0):
    rng = np.random.default_rng(seed)
    phones = random_phones(rng, 7)
    samples, edges = recording(phones, rng)
    onsets = edges[:-1] / RATE + late * (np.arange(len(phones)) > 0)
    return samples.astype(np.float32), tuple(IPA[p] for p in phones), onsets, edges[-1] / RATE


@pytest.fixture(scope="module")
def model():
    network = ArticulatoryConfidence(width=8, dilations=(1, 2), epochs=4)
    aligner = SpeechAligner([network, ArticulatoryDuration()], epochs=2, n_folds=2, n_jobs=1)
    every = [(*word(seed), seed) for seed in range(4)]
    return aligner.fit(
        [
            Example(x, events, onsets, end=end, group=f"s{seed % 2}", name=f"w{seed}", rate=RATE)
            for x, events, onsets, end, seed in every
        ]
    )


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """Sixteen words with their phones, and their true onsets by name."""
    folder, truth = tmp_path_factory.mktemp("words"), {}
    for seed in range(100, 116):
        samples, events, onsets, end = word(seed, LATE)
        name = f"{'ab'[seed % 2]}/{seed}"
        (folder / name).parent.mkdir(exist_ok=True)
        soundfile.write(folder / f"{name}.wav", samples, RATE)
        (folder / f"{name}.phones").write_text(" ".join(events), encoding="utf-8")
        truth[name] = Alignment(events, onsets, end)
    return folder, truth


@pytest.fixture
def session(model, words, tmp_path):
    with Session(model, words[0], tmp_path / "out") as session:
        yield session


def again(session, model, words, **options):
    """Open the session of a process that was killed: nothing was closed or written at the end."""
    out = session._out
    session.close()
    return Session(model, words[0], out, **options)


def move(view, k=2, by=0.02):
    row = view["tiers"][-1]["intervals"][k]
    return {
        "do": "move",
        "tier": "phones",
        "id": row["id"],
        "edge": "start",
        "to": row["start"] + by,
    }


def test_names_are_sorted_and_a_view_is_json(session):
    assert repr(session).endswith("out': 16 waiting>")
    assert session.names[:2] == ["a/100", "a/102"]
    view = session.view("a/100")
    assert json.loads(json.dumps(view)) == view
    assert (view["state"], view["can_undo"], view["kind"]) == ("waiting", False, "speech")
    assert session.audio("a/100").name == "100.wav"


def test_what_was_edited_is_there_after_a_kill_and_can_be_undone(session, model, words):
    first = session.view("a/100")
    moved = session.edit("a/100", move(first), revision=first["revision"])
    assert moved["revision"] > first["revision"]
    with again(session, model, words) as later:
        assert later.view("a/100") == moved
        undone = later.undo("a/100", revision=moved["revision"])
        assert undone["tiers"] == first["tiers"]
        redone = later.redo("a/100", revision=undone["revision"])
        assert redone["tiers"] == moved["tiers"]


def test_what_a_killed_session_had_begun_to_write_is_removed(session, model, words):
    name = f".align-0123abcd-2-{'0' * 16}.tmp"
    stale = [session._out / name, session._out / "a" / name]
    for path in stale:
        path.parent.mkdir(exist_ok=True)
        path.write_text("half a fi")
        os.utime(path, (0, 0))  # of another machine, and old
    with again(session, model, words):
        assert not any(path.exists() for path in stale)


def test_a_stale_window_is_refused_and_loses_nothing(session):
    first = session.view("a/100")
    moved = session.edit("a/100", move(first), revision=first["revision"])
    for act in (
        lambda: session.edit("a/100", move(first, 3), revision=first["revision"]),
        lambda: session.undo("a/100", revision=first["revision"]),
        lambda: session.confirm("a/100", revision=first["revision"]),
    ):
        with pytest.raises(StaleRevision, match="was changed since it was shown"):
            act()
    assert session.view("a/100") == moved


def test_one_folder_is_for_one_process_and_one_model(session, model, words):
    with pytest.raises(DataError, match="is in use by another run"):
        Session(model, words[0], session._out)
    other = align.load("speech-any")
    with pytest.raises(DataError, match="was begun with another model"):
        again(session, other, words)


def test_a_confirmed_recording_has_a_file_that_can_be_adapted_to(session, model, words):
    view = session.view("b/101")
    view = session.confirm("b/101", revision=view["revision"])
    assert view["state"] == "confirmed"
    path = session._out / "b" / "101.TextGrid"
    found = Alignment.from_labels(path)
    starts = [row["start"] for row in view["tiers"][0]["intervals"]]
    np.testing.assert_allclose(found.onsets, starts, atol=1e-6)
    path.unlink()
    with again(session, model, words) as later:
        assert path.exists()  # a kill before it was written
        (example,) = align.read_corpus(later._out / "confirmed.csv", kind="speech")
        np.testing.assert_allclose(example.onsets, starts, atol=1e-6)
        assert example.group == "b"
        later.undo("b/101", revision=later.view("b/101")["revision"])
        assert (later._out / "confirmed.csv").read_text() == "audio,labels,group\n"


@pytest.mark.parametrize("full", ["a/100.TextGrid", "confirmed.csv", "studio/journal.jsonl"])
def test_a_full_disk_at_any_file_of_a_confirmation_changes_nothing(
    session, model, words, monkeypatch, full
):
    name, out = "a/100", session._out

    def fails(path, *rest, **options):
        if os.fspath(path).replace(os.sep, "/").endswith(full):
            raise DataError("cannot be written: No space left on device.", path=str(path))
        return atomic_write(path, *rest, **options)

    def no_room(journal, entry):
        raise DataError("cannot be written: No space left on device.", path=journal.path)

    def listed():
        text = (out / "confirmed.csv").read_text(encoding="utf-8")
        return [os.path.basename(line.split(",")[1]) for line in text.splitlines()[1:]]

    def edit(name, revision):
        return session.edit(name, move(session.view(name)), revision=revision)

    steps = {"confirm": session.confirm, "undo": session.undo, "edit": edit}
    for step, before in (
        ("confirm", "waiting"),
        ("undo", "confirmed"),
        ("confirm", "waiting"),
        ("edit", "confirmed"),
    ):
        revision = session.view(name)["revision"]
        with monkeypatch.context() as patched:
            for place in ("align.studio.output", "align.formats.tiers.textgrid"):
                patched.setattr(f"{place}.atomic_write", fails)
            if full.endswith("jsonl"):
                patched.setattr("align.studio.journal.Journal.add", no_room)
            if step == "confirm" or full != "a/100.TextGrid":  # which only that writes
                with pytest.raises(DataError, match="No space left"):
                    steps[step](name, revision=revision)
        view = session.view(name)
        assert (view["state"], view["revision"]) == (before, revision)
        assert listed() == ["100.TextGrid"] * (before == "confirmed")
        steps[step](name, revision=revision)
        assert listed() == ["100.TextGrid"] * (before == "waiting")
    with again(session, model, words) as back:
        assert back.view(name)["state"] == "waiting"


class Killed(BaseException):
    """What no part of a session catches."""


def test_after_a_kill_at_any_file_of_a_confirmation_the_files_are_those_of_the_journal(
    session, model, words, monkeypatch
):
    """The labels were of a step that did not count, when it was killed in between."""
    name, truth = "a/100", words[1]
    right = truth[name]
    other = Alignment(right.labels, right.onsets * 0.9, right.duration)

    def killed(*_, **__):
        raise Killed

    for place in ("journal.append_whole", "output.atomic_write"):
        session.correct(name, right)
        with monkeypatch.context() as patched:
            patched.setattr(f"align.studio.{place}", killed)
            patched.setattr("align.studio.journal.Journal.take_back", killed)
            with pytest.raises(Killed):
                session.correct(name, other)
        session = again(session, model, words)
        shown = [row["start"] for row in session.view(name)["tiers"][0]["intervals"]]
        found = Alignment.from_labels(session._out / f"{name}.TextGrid")
        np.testing.assert_allclose(found.onsets, shown, atol=1e-6)
    np.testing.assert_allclose(shown, other.onsets)  # it was in the journal
    with monkeypatch.context() as patched:
        patched.setattr(
            "align.studio.output.Output.write", lambda *_: (_ for _ in ()).throw(DataError("full"))
        )
        with pytest.raises(DataError, match="full"):
            session.correct(name, truth[name])
    found = Alignment.from_labels(session._out / f"{name}.TextGrid")
    np.testing.assert_allclose(found.onsets, other.onsets, atol=1e-6)
    with again(session, model, words) as later:
        starts = [row["start"] for row in later.view(name)["tiers"][0]["intervals"]]
        np.testing.assert_allclose(starts, other.onsets)


def test_labels_of_somebody_else_are_never_written_over(session, model, words):
    out, name = session._out, "a/100"
    file = out / f"{name}.TextGrid"
    file.parent.mkdir()
    file.write_text("by hand")
    revision = session.view(name)["revision"]
    with pytest.raises(DataError, match=r"100\.TextGrid: was written or changed by another"):
        session.confirm(name, revision=revision)
    assert (session.view(name)["state"], file.read_text()) == ("waiting", "by hand")
    file.unlink()
    view = session.confirm(name, revision=revision)
    view = session.edit(name, move(view, 2, 0.001), revision=view["revision"])
    view = session.confirm(name, revision=view["revision"])
    written = file.read_bytes()
    changed = written.replace(b"sil", b"SIL")
    file.write_bytes(changed)
    with again(session, model, words) as later:
        assert later.foreign == [name]
        view = later.view(name)
        with pytest.raises(DataError, match="move it away"):
            later.confirm(name, revision=view["revision"])
        view = later.undo(name, revision=view["revision"])
        with pytest.raises(DataError, match="move it away"):
            later.undo(name, revision=view["revision"])
        assert file.read_bytes() == changed
        file.write_bytes(written)
        later.redo(name, revision=view["revision"])
        file.write_bytes(written + b"\n")
        assert later._output.foreign() == [name]
        later.correct(name, file)  # what was changed there is taken
        assert later._output.foreign() == []


def test_the_folder_of_the_recordings_takes_no_corrections(model, words):
    with pytest.raises(DataError, match="is the folder of the recordings; choose another"):
        Session(model, words[0], f"{words[0]}/a/..")


def test_a_recording_is_aligned_while_others_can_be_edited(session, monkeypatch):
    """An edit that aligned first held what aligning in the background waited for."""
    free = []

    def looks(*arguments):
        thread = threading.Thread(
            target=lambda: free.append(
                session._lock.acquire(timeout=5) and not session._lock.release()
            )
        )
        thread.start()
        thread.join()
        raise DataError("cannot be aligned.")

    monkeypatch.setattr("align.studio.session.aligned", looks)
    for name, step in (
        ("a/100", session.undo),
        ("a/102", session.confirm),
        ("a/104", session.redo),
    ):
        with pytest.raises(DataError, match="cannot be aligned"):
            step(name, revision=0)
    with pytest.raises(DataError, match="cannot be aligned"):
        session.edit("a/106", {}, revision=0)
    assert free == [True] * 4


def test_what_is_confirmed_anew_while_it_is_learned_from_is_learned_from_again(
    session, monkeypatch
):
    """That was passed over, and taken back meanwhile it was an error."""
    view = session.view("a/100")
    view = session.confirm("a/100", revision=view["revision"])
    learner = session._learning._learner
    monkeypatch.setattr(learner, "update", lambda example, name: dict(learner.experts))
    go_on = learner.go_on

    def meanwhile(*arguments):
        undone = session.undo("a/100", revision=view["revision"])
        session.redo("a/100", revision=undone["revision"])
        go_on(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(learner, "go_on", meanwhile)
        assert session.learn()["name"] == "a/100"
    assert session.learn()["name"] == "a/100"
    assert session.learn() == {}
    assert sum(bool(row.get("judged")) for row in session.progress()["updates"]) == 1


@pytest.fixture
def two_words(words, tmp_path):
    folder = tmp_path / "two"
    folder.mkdir()
    for path in sorted((words[0] / "a").iterdir())[:4]:
        shutil.copy(path, folder)
    return folder


def test_a_window_of_before_does_not_change_what_it_does_not_show(model, two_words, tmp_path):
    with Session(model, two_words, tmp_path / "out") as first:
        views = {name: first.view(name) for name in ("100", "102")}
    phones = two_words / "100.phones"
    phones.write_text(phones.read_text().replace("sil ", "sil s ", 1))
    with Session(model, two_words, tmp_path / "out") as later:
        with pytest.raises(StaleRevision):
            later.edit("100", move(views["100"]), revision=views["100"]["revision"])
        later.edit("102", move(views["102"]), revision=views["102"]["revision"])  # is as it was


def test_files_that_change_while_they_are_corrected_are_told(model, two_words, tmp_path):
    """A step took the new files as those that the labels are of, which the model then learned."""
    with Session(model, two_words, tmp_path / "out") as session:
        view = session.view("100")
        assert view["warnings"] == []
        shutil.copy(two_words / "102.wav", two_words / "100.wav")
        assert session.view("100")["warnings"] == [
            "Its text or sound was changed on the disk since; what is shown is of before."
        ]
        view = session.confirm("100", revision=view["revision"])
        assert session.learn() == {}
    with Session(model, two_words, tmp_path / "out") as later:
        assert later.outdated == ["100"]
        assert len(later.view("100")["warnings"]) == 1
        later.confirm("100", revision=view["revision"])
        assert later.view("100")["warnings"] == []


def test_models_for_which_there_is_no_room_leave_what_there_is(session, words, monkeypatch):
    session.correct("a/100", words[1]["a/100"])
    whole = SpeechAligner.save
    saved = []

    def save(aligner, path, **options):
        if len(saved) == len(EXPERTS) - 1:
            raise DataError("cannot be written: No space left on device.", path=str(path))
        saved.append(path)
        return whole(aligner, path, **options)

    with monkeypatch.context() as patched:
        patched.setattr(SpeechAligner, "save", save)
        with pytest.raises(DataError, match="No space left"):
            session.learn()
    assert len(saved) == len(EXPERTS) - 1
    assert not list((session._out / "studio").glob("model-*"))
    assert session.learn()["version"] == 1


def test_what_cannot_be_given_is_said(session, words):
    with pytest.raises(DataError, match="none of the recordings"):
        session.view("a/999")
    view = session.view("a/100")
    split = {"do": "split", "tier": "phones", "id": 1, "at": 0.0}
    unknown = {"do": "relabel", "tier": "phones", "id": 2, "label": "%%"}
    for action, error, message in (
        (split, ParameterError, "must lie between"),
        (unknown, DataError, "is no letter of the IPA"),
    ):
        with pytest.raises(error, match=message):
            session.edit("a/100", action, revision=view["revision"])
    assert session.view("a/100") == view
    with pytest.raises(ParameterError, match=r"the alignment is of 9\.000 s"):
        session.correct("a/100", Alignment(["sil", "s"], [0.0, 0.1], 9.0))
    with pytest.raises(ParameterError, match="alignment=5, must be an alignment or a path"):
        session.correct("a/100", 5)


def worked_through(session, truth, names):
    for name in names:
        session.correct(name, truth[name])
        session.learn()
    return session.progress()


@pytest.fixture(scope="module")
def learned(model, words, tmp_path_factory):
    """A session in which eight words were corrected, and what it says."""
    with Session(model, words[0], tmp_path_factory.mktemp("out")) as session:
        progress = worked_through(session, words[1], session.names[:8])
        yield session, progress


def test_it_learns_the_habit_of_the_labeller(learned, words, model):
    session, progress = learned
    errors = progress["errors_per_100"]
    assert errors["fixed_model"] > 60
    assert errors["now"] < 0.7 * errors["fixed_model"]
    found = [row["judged"]["now"] for row in progress["updates"]]
    assert sum(found[4:]) < sum(found[:4])
    assert len(progress["updates"]) == 8
    name = session.names[-1]
    sound, true = str(session.audio(name)), words[1][name]
    off = [
        np.abs(m.align(sound, true.events).onsets - true.onsets).mean()
        for m in (session.model, model)
    ]
    assert off[0] < 0.6 * off[1]


def test_the_same_actions_make_the_same_model_also_with_a_restart(learned, model, words, tmp_path):
    names = learned[0].names[:3]
    found = []
    for restarts in (False, True):
        session = Session(model, words[0], tmp_path / str(restarts))
        for name in names:
            worked_through(session, words[1], [name])
            if restarts:
                session = again(session, model, words)
        found.append(session.model)
        session.close()
    np.testing.assert_allclose(found[0].coef_, found[1].coef_, rtol=1e-9)
    for one, other in zip(*(m.features_[0].networks_ for m in found), strict=True):
        for a, b in zip(one.weights, other.weights, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-5)


def test_a_killed_session_goes_on_from_its_model_and_its_recordings(learned, tmp_path, words):
    session, progress = learned
    out = tmp_path / "copy"
    shutil.copytree(session._out, out)
    with Session(session._learning._given, words[0], out) as later:
        assert later.progress() == progress
        assert later.learn() == {}
        assert (later.model.coef_ == session.model.coef_).all()


def test_a_model_that_gets_worse_is_put_back(session, words, monkeypatch):
    truth = words[1]
    worked_through(session, truth, session.names[:3])
    good = session._learning._experts["networks"]
    learner = session._learning._learner

    def spoiled(example, name):
        import copy

        bad = copy.deepcopy(good)
        bad.coef_ = -good.coef_
        return {kind: bad for kind in EXPERTS}

    monkeypatch.setattr(learner, "update", spoiled)
    progress = worked_through(session, truth, session.names[3:4])
    assert session._learning._experts["networks"] is good
    assert "errors on recordings of before" in progress["put_back"][0]["put_back"]
    monkeypatch.undo()
    worked_through(session, truth, session.names[4:5])
    assert session._learning._experts["networks"] is not good


def test_of_all_models_the_one_with_fewest_mistakes_is_shown(session, words, monkeypatch, model):
    experts = {"half": 9, "habits": 4, "networks": 8, "given": 6}
    judged = {"now": 9, "fixed_model": 6, "of": 20, "experts": experts}
    monkeypatch.setattr(session._learning, "_judged", lambda *_: judged)
    progress = worked_through(session, words[1], session.names[:1])
    assert session.model is session._learning._experts["habits"]
    why = "9 errors by half of what was learnt, 4 by your habits alone"
    assert progress["put_back"][0]["put_back"] == why
    later = again(session, model, words)
    assert later.model.habits_ is not None
    assert later.model.leaning_.curves
    first, now = (m.features_[0].networks_[0].weights for m in (model, later.model))
    assert all((a == b).all() for a, b in zip(first, now, strict=True))
    later.close()


def test_without_learning_the_model_stays(model, words, tmp_path):
    with Session(model, words[0], tmp_path, learn=False) as session:
        worked_through(session, words[1], session.names[:1])
        assert session.model is model
        assert session.learn() == {}


def test_the_queue_is_in_order_of_what_a_look_is_worth_and_is_aligned_anew(session, words):
    assert {row["expected_errors"] for row in session.queue()} == {None}
    first = session.next()
    assert sum(row["events"] is not None for row in session.queue()) == 8
    while session.prepare():
        pass
    assert not any(row["stale"] for row in session.queue())
    assert len(session.queue(3)) == 3
    worked_through(session, words[1], [first])
    rows = session.queue()
    assert (rows[-1]["name"], rows[-1]["state"]) == (first, "confirmed")
    assert sum(row["stale"] for row in rows) == 15
    shown = session.view(rows[0]["name"])
    while session.prepare():
        pass
    assert session.view(rows[0]["name"])["revision"] == shown["revision"]


def test_edits_from_several_threads_while_it_learns(session, words):
    session.correct(session.names[0], words[1][session.names[0]])
    learning = threading.Thread(target=session.learn)
    learning.start()
    done = []

    def edits(name):
        for k in (1, 2, 3):
            view = session.view(name)
            done.append(session.edit(name, move(view, k, 0.01), revision=view["revision"]))

    threads = [threading.Thread(target=edits, args=(name,)) for name in session.names[1:3]]
    for thread in [*threads, learning]:
        if thread is not learning:
            thread.start()
    for thread in [*threads, learning]:
        thread.join()
    assert len(done) == 6
    assert session.progress()["updates"][0]["version"] == 1


def test_a_session_of_one_channel_is_one_of_recordings_that_have_no_other(words, model, tmp_path):
    folder = tmp_path / "stereo"
    for path in sorted(words[0].rglob("*.wav"))[:2]:
        inside = folder / path.relative_to(words[0])
        inside.parent.mkdir(parents=True, exist_ok=True)
        samples, rate = soundfile.read(path)
        noise = np.random.default_rng(0).normal(0, 0.2, len(samples))
        soundfile.write(inside, np.stack([noise, samples], axis=1), rate)
        shutil.copy(path.with_suffix(".phones"), inside.with_suffix(".phones"))
    of = {"mean": (folder, {}), "second": (folder, {"channel": 2}), "alone": (words[0], {})}
    shown = {}
    for name, (recordings, options) in of.items():
        with Session(model, recordings, tmp_path / name, **options) as session:
            first, second = session.names[:2]
            session.confirm(first, revision=session.view(first)["revision"])
            session.learn()
            shown[name] = [session.view(n)["tiers"] for n in (first, second)]
    assert shown["second"] == shown["alone"]
    assert shown["mean"] != shown["second"]


def test_an_export_has_model_files_and_progress(learned, tmp_path):
    session, _ = learned
    session.export(tmp_path / "export", report=True)
    names = {p.relative_to(tmp_path / "export").as_posix() for p in tmp_path.rglob("*.*")}
    assert {"model.align", "progress.json", "report.html", "confirmed/a/100.TextGrid"} <= names


def test_one_model_is_halfway_between_the_beginning_and_the_one_that_learns(learned):
    experts = learned[0]._learning._experts
    first, half, far, still = (
        experts[kind].features_[0].networks_[0].weights
        for kind in ("given", "half", "networks", "habits")
    )
    for a, b, c, d in zip(first, half, far, still, strict=True):
        np.testing.assert_allclose(b, 0.5 * (a + c), atol=1e-3)
        assert (a == d).all()
        assert not (a == c).all()
    mean = 0.5 * (experts["given"].coef_ + experts["networks"].coef_)
    np.testing.assert_allclose(experts["half"].coef_, mean, rtol=1e-12)


def test_a_session_of_before_with_one_model_goes_on(learned, tmp_path, words):
    out = tmp_path / "copy"
    shutil.copytree(learned[0]._out, out)
    for path in (out / "studio").glob("model-*-*.align"):
        number, kind = path.stem.split("-")[1:]
        if kind == "networks":
            path.rename(path.with_name(f"model-{number}.align"))
        else:
            path.unlink()
    journal = out / "studio" / "journal.jsonl"
    entries = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    for entry in entries:
        entry.pop("shown", None)
        if entry.get("judged"):
            entry["judged"].pop("experts")
    text = "".join(json.dumps(entry) + "\n" for entry in entries)
    journal.write_text(text, encoding="utf-8")
    experts = learned[0]._learning._experts
    with Session(experts["given"], words[0], out) as later:
        assert (later.model.coef_ == experts["networks"].coef_).all()
        assert worked_through(later, words[1], later.names[8:9])["put_back"] == []
        assert later.model is not later._learning._experts["given"]
