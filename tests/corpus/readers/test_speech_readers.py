"""Readers of published corpora of speech, on tiny folders in their formats."""

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile

from align.corpus.readers import (
    READERS,
    cut_utterances,
    read_buckeye,
    read_l2arctic,
    read_timit,
    read_voxangeles,
    read_xlabel,
)
from align.errors import DataError, ParameterError
from align.formats.tiers.textgrid import format_textgrid
from align.types import Example

RATE = 16000

PHONES = """signal s0101a
type 0
color 121
comment created using xlabel Mon Nov 26 13:17:48 2001
font -misc-*-bold-*-*-*-15-*-*-*-*-*-*-*
separator ;
nfields 1
#
    0.000000  121 {B_TRANS}
    0.200000  121 SIL
    0.300000  121 k; *
    0.400000  121 ae+1
    0.500000  122 t ;
    1.200000  121 VOCNOISE
    1.300000  121 <EXCLUDE-name>
    1.400000  121 ih
    1.500000  121 z
    1.900000  121 IVER
    2.000000  121 {E_TRANS}
"""
WORDS = """signal s0101a
#
    0.200000  121 <SIL>
    0.500000  121 cat; k ae t; k ae t; NN
    1.300000  121 <VOCNOISE>
    1.500000  121 is; ih z; ih z; VBZ
"""


def silence(path: Path, seconds: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.zeros(round(seconds * RATE)), RATE, subtype="PCM_16")
    return path


def grid(path: Path, labels: list[str], bounds: list[float], tier: str = "phones") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    intervals = np.stack([bounds[:-1], bounds[1:]], axis=1)
    words = (["word"], [[bounds[0], bounds[-1]]])
    tiers = {"words": words, tier: (labels, intervals)}
    path.write_text(format_textgrid(tiers, bounds[-1]), encoding="utf-8")
    return path


# Buckeye ----------------------------------------------------------------------------------------


@pytest.fixture
def buckeye(tmp_path):
    track = silence(tmp_path / "s01" / "s0101a.wav", 2.0)
    track.with_suffix(".phones").write_text(PHONES)
    track.with_suffix(".words").write_text(WORDS)
    return tmp_path


def test_buckeye_tells_phones_from_the_rest(buckeye):
    (example,) = read_buckeye(buckeye)
    assert example.events == ("sil", "k", "ae", "t", "spn", "ih", "z", "spn", "sil")
    np.testing.assert_allclose(example.onsets, [0, 0.2, 0.3, 0.4, 0.5, 1.3, 1.4, 1.5, 1.9])
    assert example.group == "s01"
    assert example.end is None


def test_buckeye_has_words_too(buckeye):
    (example,) = read_buckeye(buckeye, tier="words")
    assert example.events == ("sil", "cat", "spn", "is")
    assert example.end == pytest.approx(1.5)


def test_an_xlabel_file_is_read_as_it_is(buckeye):
    entries = read_xlabel(buckeye / "s01" / "s0101a.phones")
    assert entries[0] == (0.0, 0.0, "{B_TRANS}", 9)
    assert entries[4] == (0.4, 0.5, "t", 13)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("0.400000  121 ae", "0.200000  121 ae"), r"line 12: .*'ae'"),
        (("    0.400000  121 ae", "    later  121 ae"), "line 12: .*end of a label.*'later'"),
        (("    1.300000  121 <EXCLUDE-name>", "    1.3"), "line 15: .*end colour label"),
        (("\n#\n", "\n"), "no line '#'"),
        (("2.000000", "3.000000"), "recording"),
    ],
)
def test_a_wrong_buckeye_file_is_a_problem_and_stops_nothing(buckeye, change, reason):
    silence(buckeye / "s02" / "s0201a.wav", 2.0).with_suffix(".phones").write_text(PHONES)
    path = buckeye / "s01" / "s0101a.phones"
    path.write_text(PHONES.replace(*change))
    corpus = read_buckeye(buckeye)
    assert [example.group for example in corpus] == ["s02"]
    ((where, why),) = corpus.problems
    assert Path(where) == path
    assert re.search(reason, why)


def test_a_track_without_labels_is_unpaired(buckeye):
    extra = silence(buckeye / "s03" / "s0301a.wav", 1.0)
    assert read_buckeye(buckeye).unpaired == [str(extra)]


def test_buckeye_refuses_what_is_no_tier(buckeye):
    with pytest.raises(ParameterError, match="tier='log'"):
        read_buckeye(buckeye, tier="log")


# Cutting ----------------------------------------------------------------------------------------


def test_utterances_lie_between_long_pauses(buckeye):
    (example,) = read_buckeye(buckeye)
    first, second = cut_utterances(example, pause=0.4)
    assert first.events == ("sil", "k", "ae", "t")  # 0.2 s of silence are no pause to cut in
    assert (first.start, first.stop) == (0.0, 0.5)
    assert second.events == ("ih", "z")  # noise stays with nobody
    np.testing.assert_allclose(second.onsets, [0.0, 0.1])


def test_margins_never_overlap():
    example = Example("x.wav", ["a", "sil", "b"], [0.0, 1.0, 1.3], end=2.0)
    first, second = cut_utterances(example, pause=0.1, margin=1.0)
    assert first.stop == second.start == pytest.approx(1.15)
    assert second.events == ("sil", "b")


def test_silence_alone_is_no_utterance():
    assert cut_utterances(Example("x.wav", ["sil", "spn"], [0.0, 0.1], end=0.3)) == []


@pytest.mark.parametrize("options", [{"pause": 0.0}, {"margin": -1.0}])
def test_cutting_refuses_wrong_lengths(options):
    with pytest.raises(ParameterError, match="must be positive seconds"):
        cut_utterances(Example("x.wav", ["a"], [0.0], end=1.0), **options)


def test_cutting_needs_onsets():
    with pytest.raises(ParameterError, match="must have an onset for each event"):
        cut_utterances(Example("x.wav", ["a"]))


# L2-ARCTIC --------------------------------------------------------------------------------------

BOUNDS = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
ANNOTATED = ["sil", "HH", "IH1,IY1,s", "TH, sil, d", "sil,AH0,a", "R,R*,s", "Z,err,s "]


@pytest.fixture
def l2arctic(tmp_path):
    for speaker in ("ABA", "SKA"):
        silence(tmp_path / speaker / "wav" / "arctic_a0001.wav", 0.7)
        grid(tmp_path / speaker / "annotation" / "arctic_a0001.TextGrid", ANNOTATED, BOUNDS)
    silence(tmp_path / "ABA" / "wav" / "arctic_a0002.wav", 0.2)
    grid(tmp_path / "ABA" / "textgrid" / "arctic_a0002.TextGrid", ["AH0", ""], [0.0, 0.1, 0.2])
    return tmp_path


def test_l2arctic_gives_what_was_said(l2arctic):
    corpus = read_l2arctic(l2arctic)
    assert corpus.groups == ["ABA", "SKA"]
    assert corpus[0].events == ("sil", "hh", "iy", "sil", "ah", "r", "err")
    np.testing.assert_allclose(corpus[0].onsets, BOUNDS[:-1])
    assert [Path(path).name for path in corpus.unpaired] == ["arctic_a0002.wav"]


def test_l2arctic_takes_the_best_of_several_recordings(l2arctic):
    for suffix in (".flac", ".ogg"):
        lost = l2arctic / "ABA" / "wav" / "arctic_a0001.wav"
        soundfile.write(lost.with_suffix(suffix), np.zeros(round(0.7 * RATE)), RATE)
    lost.unlink()
    assert Path(read_l2arctic(l2arctic)[0].name).suffix == ".flac"


def test_l2arctic_gives_what_should_have_been_said(l2arctic):
    corpus = read_l2arctic(l2arctic / "ABA", phones="canonical", stress=True)
    assert corpus[0].events == ("sil", "hh", "ih1", "th", "sil", "r", "z")
    assert corpus.groups == ["ABA"]


def test_l2arctic_has_forced_alignments_too(l2arctic):
    (example,) = read_l2arctic(l2arctic, labels="textgrid")
    assert example.events == ("ah", "sil")


@pytest.mark.parametrize(
    ("label", "reason"),
    [("IH,IY", "'IH,IY' is neither a phone nor"), ("IH,IY,x", "the type 'x', must be s, d or a")],
)
def test_l2arctic_lists_wrong_labels(l2arctic, label, reason):
    labels = [label, *ANNOTATED[1:]]
    grid(l2arctic / "SKA" / "annotation" / "arctic_a0001.TextGrid", labels, BOUNDS)
    corpus = read_l2arctic(l2arctic)
    assert len(corpus) == 1
    assert reason in corpus.problems[0][1]


def test_l2arctic_lists_annotations_without_sound(l2arctic):
    (l2arctic / "SKA" / "wav" / "arctic_a0001.wav").unlink()
    corpus = read_l2arctic(l2arctic)
    assert corpus.problems[0][1] == "has no recording of its name in the folder 'wav'."


def test_the_suitcase_files_are_named_after_speakers(tmp_path):
    silence(tmp_path / "suitcase_corpus" / "wav" / "aba.wav", 0.2)
    grid(tmp_path / "suitcase_corpus" / "annotation" / "aba.TextGrid", ["AH", ""], [0, 0.1, 0.2])
    assert read_l2arctic(tmp_path).groups == ["ABA"]


@pytest.mark.parametrize("options", [{"labels": "wav"}, {"phones": "both"}])
def test_l2arctic_refuses_unknown_options(l2arctic, options):
    with pytest.raises(ParameterError, match=f"{next(iter(options))}="):
        read_l2arctic(l2arctic, **options)


# TIMIT and folders ------------------------------------------------------------------------------


def test_timit_leaves_out_what_everybody_reads(tmp_path):
    for half in ("TRAIN", "TEST"):
        for name in ("SA1", "SI943"):
            audio = silence(tmp_path / half / "DR1" / f"F{half}0" / f"{name}.WAV", 0.2)
            audio.with_suffix(".PHN").write_text("0 1600 h#\n1600 3200 iy\n")
    corpus = read_timit(tmp_path)
    assert corpus.groups == ["FTEST0", "FTRAIN0"]
    assert {Path(e.name).name for e in corpus} == {"SI943.WAV"}
    assert read_timit(tmp_path, part="test").groups == ["FTEST0"]
    assert len(read_timit(tmp_path, dialect_sentences=True)) == 4
    alone = silence(tmp_path / "TRAIN" / "DR1" / "FTRAIN0" / "SI944.WAV", 0.2)
    wrong = audio.with_name("SX1.PHN")
    wrong.write_text("0 h#\n")
    silence(wrong.with_suffix(".WAV"), 0.2)
    assert read_timit(tmp_path).unpaired == [str(alone)]
    test = read_timit(tmp_path, part="test")
    assert (test.unpaired, [path for path, _ in test.problems]) == ([], [str(wrong)])
    train = read_timit(tmp_path, part="train")
    assert (train.unpaired, train.problems) == ([str(alone)], [])
    with pytest.raises(ParameterError, match="part='dev'"):
        read_timit(tmp_path, part="dev")


def test_voxangeles_has_a_folder_a_language(tmp_path):
    for language in ("ace", "bem"):
        audio = silence(tmp_path / language / "words" / f"{language}-001.wav", 0.3)
        grid(audio.with_suffix(".TextGrid"), ["ɓ", "a"], [0.0, 0.1, 0.3])
    corpus = read_voxangeles(tmp_path)
    assert corpus.groups == ["ace", "bem"]
    assert corpus[0].events == ("ɓ", "a")


def test_textgrids_may_stand_in_a_tree_of_their_own(tmp_path):
    audio = silence(tmp_path / "audio" / "ace" / "one.wav", 0.3)
    grid(tmp_path / "grids" / "ace" / "ONE.TextGrid", ["x", ""], [0.0, 0.1, 0.3], tier="ipa")
    lost = grid(tmp_path / "grids" / "ace" / "two.TextGrid", ["x", ""], [0.0, 0.1, 0.3])
    alone = silence(tmp_path / "audio" / "ace" / "three.wav", 0.3)
    corpus = read_voxangeles(tmp_path / "audio", tmp_path / "grids", tier="ipa")
    assert [example.name for example in corpus] == [str(audio)]
    assert corpus.problems == [(str(lost), "has no recording of its path and name.")]
    assert corpus.unpaired == [str(alone)]


def test_the_real_voxangeles_reads_as_read_corpus_does(shared_data):
    import align

    folder = shared_data / "speech" / "voxangeles"
    ours, theirs = read_voxangeles(folder), align.read_corpus(folder)
    assert [e.name for e in ours] == [e.name for e in theirs]
    assert all(a.events == b.events for a, b in zip(ours, theirs, strict=True))


# All --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(READERS))
def test_a_folder_that_is_not_there_is_said(name, tmp_path):
    with pytest.raises(DataError, match="nowhere"):
        READERS[name](tmp_path / "nowhere")


@pytest.mark.parametrize("name", sorted(READERS))
def test_an_empty_folder_is_said(name, tmp_path):
    with pytest.raises(DataError):
        READERS[name](tmp_path)
