"""ELAN files: round trips, what pympi and ELAN make of them, and damaged files."""

import builtins
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner
from drawn_tiers import NAMES, drawn_tiers, interval_tier
from hypothesis import given
from hypothesis import strategies as st

from align.cli import cli
from align.errors import DataError, ParameterError
from align.formats import read_labels, read_tiers, write_labels, write_tiers
from align.formats.tiers.tier import Tier, Tiers
from align.results.alignment import Alignment
from align.speech.text import read_transcript
from align.speech.text.tiers import SpeakerTiers, TextAlignment

pympi = pytest.importorskip("pympi")

GRID = (
    ("words", ["", "the", "kiwi", ""], [0, 0.2, 0.35, 0.9, 1.2]),
    ("phones", ["sil", "dh", "ax", "k", "iy", "sil"], [0, 0.2, 0.25, 0.35, 0.5, 0.9, 1.2]),
)


def with_text(tiers: Tiers) -> list[tuple[Any, ...]]:
    """Name, kind, and what is labelled when, in milliseconds."""
    found = []
    for tier in tiers:
        rows = [
            (label, round(1000 * start), round(1000 * end))
            for label, (start, end) in zip(tier.labels, tier.times, strict=True)
            if label not in ("", "sil") or tier.kind == "point"
        ]
        found.append((tier.name, tier.kind, rows))
    return found


def test_points_that_are_called_words_hold_no_phones(tmp_path: Path) -> None:
    points = Tier("Ann - words", "point", ("",), ((0.001, 0.001),), (), 0.001)
    whole = Tiers((interval_tier("Ann - phones", ["k"], [0.0, 0.001]), points), 0.001)
    write_tiers(tmp_path / "a.eaf", whole)
    assert with_text(read_tiers(tmp_path / "a.eaf")) == with_text(whole)


@given(names=NAMES, data=st.data())
def test_every_tier_survives_the_way_to_elan_and_back(tmp_path_factory, names, data) -> None:
    whole = drawn_tiers(names, data, 1000)
    folder = tmp_path_factory.mktemp("elan")
    write_tiers(folder / "a.eaf", whole)
    back = read_tiers(folder / "a.eaf")
    assert with_text(back) == with_text(whole)
    assert back.duration == pytest.approx(whole.duration, abs=5e-4)
    write_tiers(folder / "a.TextGrid", back)
    assert with_text(read_tiers(folder / "a.TextGrid")) == with_text(whole)


def test_pympi_finds_phones_within_words(tmp_path: Path) -> None:
    both = Tiers(tuple(interval_tier(*row) for row in GRID), 1.2, audio="/somewhere/kiwi.wav")
    write_tiers(tmp_path / "a.eaf", both)
    eaf = pympi.Eaf(tmp_path / "a.eaf")
    assert eaf.get_child_tiers_for("words") == ["phones"]
    assert eaf.linguistic_types["within"]["CONSTRAINTS"] == "Included_In"
    assert eaf.get_annotation_data_for_tier("words") == [
        (0, 200, ""), (200, 350, "the"), (350, 900, "kiwi"), (900, 1200, "")
    ]  # fmt: skip
    assert eaf.get_annotation_data_for_tier("phones")[3] == (350, 500, "k")
    assert eaf.media_descriptors[0]["RELATIVE_MEDIA_URL"] == "./kiwi.wav"
    slots = list(eaf.timeslots.values())
    assert slots == sorted(slots)
    back = read_tiers(tmp_path / "a.eaf")
    assert back.words().labels == ("sil", "the", "kiwi", "sil")
    assert read_labels(tmp_path / "a.eaf", tier="words").labels == back.words().labels
    assert read_labels(tmp_path / "a.eaf").labels == tuple(GRID[1][1])
    write_tiers(tmp_path / "b.eaf", both)
    assert (tmp_path / "a.eaf").read_bytes() == (tmp_path / "b.eaf").read_bytes()


def test_phones_that_cross_a_word_stand_alone(tmp_path: Path) -> None:
    crossing = interval_tier("phones", ["dh", "k"], [0.2, 0.4, 0.9])
    write_tiers(tmp_path / "a.eaf", Tiers((interval_tier(*GRID[0]), crossing), 1.2))
    eaf = pympi.Eaf(tmp_path / "a.eaf")
    assert eaf.get_child_tiers_for("words") == []
    assert eaf.get_annotation_data_for_tier("phones") == [(200, 400, "dh"), (400, 900, "k")]


def test_speakers_are_participants_and_silences_are_gaps(tmp_path: Path) -> None:
    rows = [interval_tier(f"Ann - {name}", labels, bounds) for name, labels, bounds in GRID]
    write_tiers(tmp_path / "a.eaf", Tiers(tuple(rows), 1.2))
    eaf = pympi.Eaf(tmp_path / "a.eaf")
    assert eaf.get_parameters_for_tier("Ann - phones")["PARTICIPANT"] == "Ann"
    spoken = Alignment(["k", "iy"], [0.3, 0.5], 2.0, end=1.0)
    write_labels(tmp_path / "b.eaf", spoken)
    back = read_labels(tmp_path / "b.eaf")
    assert back.labels == ("sil", "k", "iy", "sil")
    assert back.duration == 2.0


def test_words_lie_within_what_was_said(tmp_path: Path) -> None:
    names = ("Ann - words", "Ann - phones"), ("words", "phones")
    for (words, phones), said in zip(names, ("Ann", "utterances"), strict=True):
        rows = [(words, *GRID[0][1:]), (phones, *GRID[1][1:])]
        tiers = [interval_tier(*row) for row in rows]
        sentence = Tier(said, "interval", ("the kiwi",), ((0.0, 1.2),), (), 1.2)
        write_tiers(tmp_path / f"{said}.eaf", Tiers((*tiers, sentence), 1.2))
        eaf = pympi.Eaf(tmp_path / f"{said}.eaf")
        assert eaf.get_child_tiers_for(said) == [words]
        assert eaf.get_child_tiers_for(words) == [phones]
        assert list(eaf.tiers) == [words, phones, said]
        about = [eaf.get_parameters_for_tier(name) for name in eaf.tiers]
        assert {each.get("PARTICIPANT", "") for each in about} == {"Ann" if said == "Ann" else ""}
        back = read_tiers(tmp_path / f"{said}.eaf")
        assert with_text(back) == with_text(Tiers((*tiers, sentence), 1.2))
        # a word that goes beyond what was said, by a pause for example, cannot lie within
        short = Tier(said, "interval", ("the kiwi",), ((0.25, 1.2),), (), 1.2)
        write_tiers(tmp_path / f"{said}-2.eaf", Tiers((*tiers, short), 1.2))
        assert pympi.Eaf(tmp_path / f"{said}-2.eaf").get_child_tiers_for(said) == []


def elsewhere(folder: Path) -> Path:
    """What an annotator makes: open times, subdivided words, glosses below them."""
    eaf = pympi.Eaf()
    for name, constraint in (("sub", "Symbolic_Subdivision"), ("gloss", "Symbolic_Association"),
                             ("time", "Time_Subdivision")):  # fmt: skip
        eaf.add_linguistic_type(name, constraints=constraint, timealignable=name == "time")
    eaf.remove_tier("default")
    eaf.add_tier("phrase")
    eaf.add_tier("words", ling="time", parent="phrase")
    eaf.add_tier("parts", ling="sub", parent="words")
    eaf.add_tier("gloss", ling="gloss", parent="parts")
    eaf.add_annotation("phrase", 1000, 2000, "kiwis run")
    eaf.add_annotation("words", 1000, 2000, "x")
    first, last = ("ts1001", "ts1003")
    eaf.timeslots.update({first: 1000, "ts1002": None, last: 2000})
    words = eaf.tiers["words"][0]
    words.clear()
    words["a101"] = (first, "ts1002", "kiwis", None)
    words["a102"] = ("ts1002", last, "run", None)
    parts, gloss = eaf.tiers["parts"][1], eaf.tiers["gloss"][1]
    parts["a104"] = ("a101", "s", "a103", None)  # after the one that follows in the file
    parts["a103"] = ("a101", "kiwi", None, None)
    parts["a105"] = ("a102", "run", None, None)
    gloss["a106"] = ("a104", "PLURAL", None, None)
    eaf.annotations.update(a101="words", a102="words", a103="parts", a104="parts", a105="parts")
    eaf.to_file(folder / "field.eaf")
    return folder / "field.eaf"


def test_annotations_without_times_share_those_of_their_parent(tmp_path: Path) -> None:
    tiers = {tier.name: tier for tier in read_tiers(elsewhere(tmp_path))}
    words = dict(zip(tiers["words"].labels, tiers["words"].times, strict=True))
    assert words["kiwis"] == (1.0, 1.5)
    assert words["run"] == (1.5, 2.0)
    parts = tiers["parts"]
    assert parts.labels == ("kiwi", "s", "run")
    assert parts.times == ((1.0, 1.25), (1.25, 1.5), (1.5, 2.0))
    assert tiers["gloss"].times == ((1.25, 1.5),)


def annotated(folder: Path) -> Path:
    """What ELAN keeps beyond tiers: participants, a vocabulary, and an annotation of no length."""
    eaf = pympi.Eaf(elsewhere(folder))
    eaf.add_linguistic_type("hands")
    eaf.linguistic_types["hands"]["CONTROLLED_VOCABULARY_REF"] = "hand shapes"
    eaf.add_controlled_vocabulary("hand shapes")
    eaf.add_tier("gestures", ling="hands", part="Ann")
    eaf.add_annotation("gestures", 1000, 1400, "beat")
    eaf.add_annotation("gestures", 1600, 1600 + 1, "flick")
    eaf.timeslots[eaf.tiers["gestures"][0][f"a{eaf.maxaid}"][1]] = 1600
    eaf.add_linked_file("file:///D:/field/tape1.wav", mimetype="audio/x-wav")
    text = pympi.Elan.to_string(eaf).replace("<ANNOTATION>", "<!-- own --><ANNOTATION>", 1)
    part = 'ANNOTATION_ID="a106"'
    assert part in text
    text = text.replace(part, f'{part} CVE_REF="cve3"')  # pympi forgets it
    (folder / "annotated.eaf").write_text(text, encoding="utf-8")
    return folder / "annotated.eaf"


def test_a_label_without_length_is_told_and_the_rest_read(tmp_path: Path) -> None:
    path = annotated(tmp_path)
    tiers = read_tiers(path)
    gestures = next(tier for tier in tiers if tier.name == "gestures")
    assert (gestures.labels, gestures.instants) == (("beat",), (("flick", 1.6),))
    found = CliRunner().invoke(cli, ["convert", str(path), str(tmp_path / "a.TextGrid")])
    assert found.exit_code == 0
    assert found.stderr.endswith(
        "Left out: participants, types of tiers, which tier depends on which, controlled "
        "vocabularies, 1 label without length ('flick' at 1.6 s in tier 'gestures').\n"
    )
    # where these are what was said, or the labels to learn from, none may be missing
    with pytest.raises(DataError, match=r"'flick' in tier 'gestures' has no length .* 1.6 s"):
        read_transcript(path, tiers=["gestures"])
    with pytest.raises(DataError, match="'flick' has no length"):
        read_labels(path, tier="gestures")
    assert [one.text for one in read_transcript(path)] == ["kiwis run"]  # gestures are codes
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(' CONTROLLED_VOCABULARY_REF="hand shapes"', ""), encoding="utf-8")
    with pytest.raises(DataError, match=r"has no length .*, or name the tiers .*\(--tier\)"):
        read_transcript(path)
    assert [one.text for one in read_transcript(path, tiers=["phrase"])] == ["kiwis run"]


def test_from_elan_to_elan_everything_is_kept(tmp_path: Path) -> None:
    path = annotated(tmp_path)
    run = CliRunner().invoke(cli, ["convert", str(path), str(tmp_path / "b.eaf")])
    assert (run.exit_code, "Left out" in run.stderr) == (0, False)
    documents = [ElementTree.canonicalize(from_file=str(p)) for p in (path, tmp_path / "b.eaf")]
    assert documents[0] == documents[1]
    assert "CVE_REF" in documents[0]
    wave = tmp_path / "tape2.wav"
    soundfile.write(wave, np.zeros(48000), 16000)
    arguments = ["convert", str(path), str(tmp_path / "c.eaf"), "--audio", str(wave)]
    run = CliRunner().invoke(cli, [*arguments, "--tier", "phrase"])
    assert run.exit_code == 0, run.output
    assert "Left out: 4 tiers ('words', 'parts', 'gloss', 'gestures').\n" in run.stderr
    alone = pympi.Eaf(tmp_path / "c.eaf")
    assert list(alone.tiers) == ["phrase"]
    assert "hand shapes" in alone.controlled_vocabularies
    media = [one["MEDIA_URL"] for one in alone.media_descriptors]
    assert media == ["file:///D:/field/tape1.wav", "./tape2.wav"]
    # a tier without the one it depends on has times of its own
    run = CliRunner().invoke(cli, [*arguments[:2], str(tmp_path / "d.eaf"), "--tier", "gloss"])
    assert "which tier depends on which" in run.stderr
    gloss = pympi.Eaf(tmp_path / "d.eaf").get_annotation_data_for_tier("gloss")
    assert gloss == [(1250, 1500, "PLURAL")]


def linked(path: Path, *media: tuple[str, str, int]) -> Path:
    """An annotation from 1 to 2 s, and files with their types and what ELAN skips of them."""
    eaf = pympi.Eaf()
    eaf.add_annotation("default", 1000, 2000, "kiwis run")
    for name, kind, zero in media:
        eaf.add_linked_file(f"file:///D:/{name}", f"./{name}", kind, zero)
    path.unlink(missing_ok=True)
    eaf.to_file(path)
    return path


WAVE, VIDEO = "audio/x-wav", "video/mp4"
MOVED = [
    ([("tape.wav", WAVE, 1500)], 2.5),
    ([("field.mp4", VIDEO, 1500), ("other.mp4", VIDEO, 0)], 2.5),  # its sound is field.wav
    ([("a.mp4", VIDEO, 0), ("b.wav", WAVE, 250)], 1.25),
    ([("a.mp4", VIDEO, 250), ("field.wav", WAVE, 0), ("c.wav", WAVE, 9)], 1.0),
    ([("field.mp4", VIDEO, 0), ("field.wav", WAVE, 250), ("c.wav", WAVE, 9)], 1.25),
    ([("field.mp4", VIDEO, 250), ("c.wav", WAVE, 9)], 1.25),
    ([("a.wav", WAVE, -500), ("b.wav", WAVE, -500)], 0.5),
]


@pytest.mark.parametrize(("media", "start"), MOVED)
def test_times_are_those_of_a_recording_that_was_moved(tmp_path: Path, media, start) -> None:
    path = linked(tmp_path / "field.eaf", *media)
    tiers = read_tiers(path, duration=5.0)
    assert tiers.tiers[0].times == ((start, start + 1),)
    assert read_labels(path).intervals[1].tolist() == [start, start + 1]
    assert read_transcript(path)[0].start == start
    # what is written means the same again, also of a recording that is added
    write_tiers(tmp_path / "same.eaf", replace(tiers, audio="new.wav"))
    if len(media) == 1:  # of others it depends on the name of the file which one it is
        assert read_tiers(tmp_path / "same.eaf").tiers[0].times == tiers.tiers[0].times
    added = pympi.Eaf(tmp_path / "same.eaf").media_descriptors[-1]
    zero = round(1000 * start) - 1000
    assert (added["MEDIA_URL"], added.get("TIME_ORIGIN", "0")) == ("./new.wav", str(zero))
    phrase = replace(tiers.tiers[0], labels=("kiwis ran",))
    write_tiers(tmp_path / "own.eaf", replace(tiers, tiers=(phrase,), audio="new.wav"))
    own = pympi.Eaf(tmp_path / "own.eaf")
    assert "TIME_ORIGIN" not in own.media_descriptors[0]
    at = round(1000 * start)
    assert own.get_annotation_data_for_tier("default") == [(at, at + 1000, "kiwis ran")]


def test_which_recording_was_moved_may_be_open(tmp_path: Path) -> None:
    path = linked(tmp_path / "field.eaf", ("a.wav", WAVE, 0), ("b.wav", WAVE, 250))
    with pytest.raises(DataError, match=r"against each other \(a.wav by 0 s, b.wav by 0.25 s\)"):
        read_tiers(path)
    path = linked(path, ("a.wav", WAVE, 250))
    path.write_text(path.read_text().replace('"250"', '"a"'))
    with pytest.raises(DataError, match=r"TIME_ORIGIN of 'a.wav' is 'a', must be whole"):
        read_tiers(path)


def test_tiers_that_were_changed_are_written_as_they_are(tmp_path: Path) -> None:
    tiers = read_tiers(annotated(tmp_path))
    changed = [replace(one, labels=("kiwis ran",)) if one.name == "phrase" else one
               for one in tiers]  # fmt: skip
    write_tiers(tmp_path / "b.eaf", replace(tiers, tiers=tuple(changed)))
    phrases = pympi.Eaf(tmp_path / "b.eaf").get_annotation_data_for_tier("phrase")
    assert phrases == [(1000, 2000, "kiwis ran")]


DAMAGED = [
    ("", "is no ELAN file that can be read"),
    ("<a/>", "is no ELAN file that can be read"),
    ('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares entities"),
]


@pytest.mark.parametrize(("text", "message"), DAMAGED)
def test_damaged_files_are_one_sentence(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.eaf").write_text(text)
    with pytest.raises(DataError, match=message):
        read_tiers(tmp_path / "a.eaf")


def test_every_cut_and_every_lost_reference_is_one_sentence(tmp_path: Path) -> None:
    whole = elsewhere(tmp_path).read_text()
    lost = [whole.replace(f'"{name}"', '"nothing"', 1) for name in ("a101", "ts1003", "words")]
    lost.append(whole.replace('"a101"', '"a104"'))  # an annotation within itself
    cuts = [whole[:at] for at in range(0, len(whole) - 30, 97)]
    for text in [*lost, *cuts]:
        (tmp_path / "b.eaf").write_text(text)
        try:
            read_tiers(tmp_path / "b.eaf")
        except DataError:
            continue
        assert text in lost, "a file that is cut off must be refused"


@pytest.mark.parametrize(
    ("tiers", "message"),
    [
        ([interval_tier("a", ["x"], [0, 1]), interval_tier("a", ["y"], [0, 1])], "rename them"),
        ([interval_tier("", ["x"], [0, 1])], "a name for each"),
        ([interval_tier("a", ["x\1"], [0, 1])], "holds the character"),
        ([interval_tier("a", ["x"], [0, 0.0001])], "is too short for ELAN files"),
        ([Tier("a", "point", ("x", "y"), ((0.1, 0.1), (0.1, 0.1)), (), 1.0)], "less than 1 ms"),
    ],
)
def test_what_elan_cannot_hold_is_refused(tmp_path: Path, tiers, message) -> None:
    with pytest.raises(DataError, match=message):
        write_tiers(tmp_path / "a.eaf", Tiers(tuple(tiers), 1.0))
    assert not list(tmp_path.iterdir())


def test_convert_there_and_back_and_without_pympi(tmp_path: Path, monkeypatch) -> None:
    write_tiers(tmp_path / "x.TextGrid", Tiers(tuple(interval_tier(*row) for row in GRID), 1.2))
    for source, target in (("x.TextGrid", "y.eaf"), ("y.eaf", "z.TextGrid"), ("y.eaf", "w.csv")):
        arguments = ["convert", str(tmp_path / source), str(tmp_path / target)]
        assert CliRunner().invoke(cli, arguments).exit_code == 0
    grids = [read_tiers(tmp_path / name) for name in ("x.TextGrid", "z.TextGrid")]
    assert [(t.labels, t.times) for t in grids[0]] == [(t.labels, t.times) for t in grids[1]]

    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pympi"):
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ParameterError, match=r'pip install "margin-align\[elan\]"'):
        read_tiers(tmp_path / "y.eaf")
    with pytest.raises(ParameterError, match=r'pip install "margin-align\[elan\]"'):
        write_labels(tmp_path / "v.eaf", Alignment(["a"], [0.0], 1.0))


def test_an_alignment_of_text_has_words_with_phones_below(tmp_path: Path) -> None:
    tiers = [Alignment(labels, bounds[:-1], bounds[-1]) for _, labels, bounds in GRID]
    words = Alignment(["sil", *GRID[0][1][1:3], "sil"], tiers[0].onsets, 1.2)
    TextAlignment({"": SpeakerTiers(words, tiers[1], np.array([0, 1, 1, 2, 2, 3]))}).write(
        tmp_path / "a.eaf"
    )
    eaf = pympi.Eaf(tmp_path / "a.eaf")
    assert eaf.get_child_tiers_for("words") == ["phones"]
    assert [row[2] for row in eaf.get_annotation_data_for_tier("words")] == ["the", "kiwi"]
    assert read_tiers(tmp_path / "a.eaf").words().labels == words.labels


def test_ten_minutes_of_speech_are_written_in_a_second(tmp_path: Path) -> None:
    bounds = np.arange(0, 600, 0.08)
    phones = interval_tier("phones", ["a", "b"] * (len(bounds) // 2), [*bounds, 600])
    times = tuple(pairwise([*bounds[::4].tolist(), 600.0]))
    words = Tier("words", "interval", ("word",) * len(times), times, (), 600.0)
    begin = time.process_time()
    write_tiers(tmp_path / "a.eaf", Tiers((words, phones), 600.0))
    back = read_tiers(tmp_path / "a.eaf")
    assert [len(tier.labels) for tier in back] == [len(times), len(bounds)]
    assert time.process_time() - begin < 10
