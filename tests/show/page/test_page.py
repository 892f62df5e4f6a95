"""The page as text: data, escaping, doubts, recordings and their sound, without a browser."""

import base64
import io
import json
import re
import shutil
import tomllib
from dataclasses import replace
from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from align.batch.run import align_corpus
from align.errors import DataError, ParameterError
from align.formats import Tier, Tiers, write_tiers
from align.formats.tiers.textgrid import format_textgrid
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.show.page import Recording, format_page, read_recordings, write_page
from align.show.page.document import OWN_PARTS
from align.show.page.parts import SHARED
from align.show.page.sound import encode_sound
from align.show.page.uncertainty import most_uncertain, typical_lengths
from align.speech.text.tiers import SpeakerTiers, TextAlignment
from align.types import Mismatch, Note, PlayedPassage

RATE = 8000
DATA = Path(str(files("align.data")))


def data_of(page: str) -> dict:
    return json.loads(re.search(r'id="data">(.*?)</script>', page, re.S)[1])


def sound_of(page: str) -> bytes:
    return base64.b64decode(re.search(r'id="sound-0">(.*?)</script>', page, re.S)[1])


def silence(seconds: float = 1.0) -> dict:
    return {"audio": np.zeros(int(seconds * RATE)), "rate": RATE}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for suffix in (".flac", ".TextGrid"):
        shutil.copy(DATA / f"kiwi{suffix}", tmp_path)
    return tmp_path


# The text ---------------------------------------------------------------------------------------


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4), st.text(max_size=20))
def test_labels_never_leave_their_element(labels: list[str], name: str) -> None:
    labels = [label.strip() or "x" for label in labels]
    found = Alignment(labels, np.arange(len(labels)) / 5, 1.0)
    recording = Recording(found, name, tier=name or "t", **silence())
    page = format_page(recording, title="</script><script>alert(1)</script>" + labels[0])
    assert data_of(page)["recordings"][0]["tiers"][0]["labels"] == labels
    # As many elements as in a page of harmless labels: nothing could begin or end one.
    harmless = format_page(Recording(Alignment(["a"], [0.0], 1.0), "a", **silence()), title="a")
    for tag in ("<script", "</script", "<img", "<!--", "<title", "</title"):
        assert page.lower().count(tag) == harmless.lower().count(tag)


def test_the_page_says_match_and_warnings(folder: Path) -> None:
    found = Alignment(["k"], [0.0], 1.0, match=0.12, warnings=["check <it>"])
    (shown,) = data_of(format_page(Recording(found, "a", audio=np.zeros(RATE), rate=RATE)))[
        "recordings"
    ]
    assert (shown["match"], shown["warnings"]) == (0.12, ["check <it>"])
    kiwi = Alignment.from_labels(folder / "kiwi.TextGrid", audio=folder / "kiwi.flac")
    replace(kiwi, match=0.25, warnings=("look",)).to_json(folder / "kiwi.json")
    (read,) = read_recordings([folder / "kiwi.json"])  # of a file, which is read as labels
    assert (read.match, read.warnings) == (0.25, ("look",))
    (other,) = read_recordings([folder / "kiwi.TextGrid"])
    assert (other.match, other.warnings) == (None, ())


def test_the_page_needs_no_network_and_allows_none(folder: Path) -> None:
    found = read_recordings([folder / "kiwi.TextGrid"])
    page = format_page(found)
    assert "http:" not in page
    assert "https:" not in page
    assert not re.search(r"""(src|href)\s*=\s*["']""", page)
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy


def test_times_are_kept_to_the_last_digit() -> None:
    onsets = [0.0, 0.1 + 0.2, 1 / 3 + 1e-13]
    page = format_page(Recording(Alignment(["a", "b", "c"], onsets, 1.0, 0.9), **silence()))
    tier = data_of(page)["recordings"][0]["tiers"][0]
    assert tier["edges"] == [*onsets, 0.9, 1.0]
    assert tier["labels"] == ["a", "b", "c", ""]


def test_notes() -> None:
    notes = [Note(60, 0.0), Note(64, 0.0), Note(62, 0.5)]
    found = MusicAlignment(notes, [0.1, 0.12, 0.6], 1.0, confidence=[0.9, 0.2, 0.8])
    truth = MusicAlignment(notes, [0.1, 0.1, 0.65], 1.0)
    content = data_of(format_page(Recording(found, reference=truth, **silence())))["recordings"][0]
    assert content["kind"] == "music"
    assert content["notes"]["onsets"] == [0.1, 0.12, 0.6]
    assert [one[0] for one in content["doubts"]] == [1, 2, 0]
    assert content["doubts"][1][2] == "50 ms before the reference; confidence 0.80"
    assert content["reference"] == {"onsets": [0.1, 0.1, 0.65], "pitches": [60, 64, 62]}


def test_writing(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    recording = Recording(Alignment(["a"], [0.0], 1.0), **silence())
    summary = write_page(recording, path)
    assert summary.size == path.stat().st_size
    assert (summary.recordings, summary.events, summary.seconds) == (1, 1, 1.0)
    with pytest.raises(DataError, match="exists"):
        write_page(recording, path)
    write_page(recording, path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(ParameterError, match="nothing to show"):
        write_page([], path)
    with pytest.raises(ParameterError, match=r"references has 1 items, must have .* 2"):
        write_page([recording, recording], path, references=[None])
    with pytest.raises(ParameterError, match="str is no alignment"):
        write_page(["kiwi.TextGrid"], path)
    with pytest.raises(DataError, match="knows no recording"):
        write_page(Alignment(["a"], [0.0], 1.0), path)
    late = Recording(Alignment(["a", "b"], [0.0, 1.5], 2.0), "late", **silence())
    with pytest.raises(DataError, match=r"lasts 1\.000 s, but an event begins at 1\.500 s"):
        format_page(late)


def test_an_alignment_writes_its_page(folder: Path) -> None:
    found = Alignment.from_labels(folder / "kiwi.TextGrid", audio=folder / "kiwi.flac")
    summary = found.report(folder / "page.html", reference=found)
    assert summary.events == len(found)
    content = data_of((folder / "page.html").read_text())["recordings"][0]
    assert content["reference"]["labels"] == list(found.labels)
    assert content["stem"] == "kiwi"


def test_where_score_and_recording_disagree() -> None:
    wrong = Mismatch("unplayed", 0.6, 0.7, ("D4",), 0.95, notes=("n2",))
    found = MusicAlignment(
        [Note(60, 0.0), Note(62, 0.5)],
        [0.1, 0.6],
        1.0,
        confidence=[0.9, 0.8],
        unplayed=np.array([0.1, 0.95]),
        mismatches=(wrong,),
    )
    content = data_of(format_page(Recording(found, **silence())))["recordings"][0]
    assert content["mismatches"] == [{"start": 0.6, "end": 0.7, "text": str(wrong)}]
    assert content["doubts"][0] == [1, 0.95, "probably not played (0.95); confidence 0.80"]
    assert "not played" not in content["doubts"][1][2]
    part = replace(
        found, confidence=np.array([0.9, 0.0]), passages=(PlayedPassage(0.1, 0.2, 0.0, 0.1),)
    )
    content = data_of(format_page(Recording(part, **silence())))["recordings"][0]
    assert [doubt[0] for doubt in content["doubts"]] == [0]  # of the other a sentence tells


def test_words_of_a_text(folder: Path) -> None:
    from align.speech.text.tiers import SpeakerTiers, TextAlignment

    audio = str(folder / "kiwi.flac")
    words = Alignment(["sil", "key"], [0.0, 0.1], 4.9, audio=audio)
    phones = Alignment(["sil", "k", "iy"], [0.0, 0.1, 0.2], 4.9, audio=audio)
    extra = Mismatch("untranscribed", 0.3, 0.9, (), 0.99)
    longer = replace(extra, start=extra.start - 0.01)  # as it was before a tier cut it
    phones = replace(phones, warnings=("look.", f"{extra}.", f"{longer}."))
    found = TextAlignment(
        {"": SpeakerTiers(words, phones, np.array([0, 1, 1]))}, mismatches=(extra,)
    )
    content = data_of(format_page(found))["recordings"][0]
    assert [tier["name"] for tier in content["tiers"]] == ["words", "phones", "check"]
    assert content["warnings"] == ["look."]
    assert content["mismatches"] == [{"start": 0.3, "end": 0.9, "text": str(extra)}]
    assert content["main"] == 1


@pytest.mark.parametrize("suffix", [".json", ".TextGrid"])
def test_all_tiers_of_a_file(folder: Path, suffix: str) -> None:
    times = ((0.0, 0.1), (0.1, 4.9))
    tones = Tier("tones", "point", ("H*",), ((0.3, 0.3),), (), 4.9)
    tiers = [
        Tier(f"{name} - {what}", "interval", ("sil", "key"), times, (), 4.9)
        for name in ("Ann", "Bob")
        for what in ("words", "phones")
    ]
    write_tiers(folder / f"two{suffix}", Tiers((*tiers, tones), 4.9))
    (recording,) = read_recordings([folder / f"two{suffix}"], audio=[folder / "kiwi.flac"])
    assert recording.tier == "Ann - phones"
    assert recording.place == 1
    content = data_of(format_page([recording]))["recordings"][0]
    names = ["Ann - words", "Ann - phones", "Bob - words", "Bob - phones", "tones"]
    assert [tier["name"] for tier in content["tiers"]] == names
    assert content["tiers"][4]["points"] == [0.3]
    assert content["main"] == 1


def test_every_file_of_the_template_is_used_and_packaged() -> None:
    folder = Path(str(files("align.show.page")))
    used = {f"{name}.js" for name in (*SHARED, *OWN_PARTS)} | {"page.css", "page.html"}
    assert {p.name for p in folder.iterdir() if p.is_file() and p.suffix != ".py"} == used
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["align.show.page"]
    assert all(any(fnmatch(name, pattern) for pattern in patterns) for name in used)


# Sound ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ogg", "flac", "wav"])
def test_sound(kind: str) -> None:
    rng = np.random.default_rng(0)
    samples = 0.5 * np.sin(np.arange(3 * 16000) / 7) + 0.01 * rng.standard_normal(3 * 16000)
    encoded = encode_sound(np.stack([samples, samples], 1), 16000, kind)
    decoded, rate = soundfile.read(io.BytesIO(encoded.data))
    assert rate == encoded.rate == 16000
    assert decoded.shape == samples.shape
    assert encoded.duration == 3.0
    assert np.abs(decoded - samples).max() < (0.1 if kind == "ogg" else 1e-4)
    assert encoded.media_type == f"audio/{kind}"


def test_rates_that_browsers_cannot_play_are_changed() -> None:
    assert encode_sound(np.zeros(96000), 96000, "wav").rate == 48000
    assert encode_sound(np.zeros(4000), 4000, "wav").rate == 8000


def test_samples_beyond_full_scale_are_not_cut() -> None:
    samples = 2.0 * np.sin(np.arange(8000) / 20)
    decoded, _ = soundfile.read(io.BytesIO(encode_sound(samples, 8000, "wav").data))
    assert np.abs(decoded - samples / np.abs(samples).max()).max() < 1e-3


def test_another_format_of_sound() -> None:
    with pytest.raises(ParameterError, match="sound='mp3', must be one of ogg, flac, wav"):
        encode_sound(np.zeros(8), 8000, "mp3")


# Doubts -----------------------------------------------------------------------------------------


def test_lengths_that_are_hard_to_believe() -> None:
    intervals = np.array([[0.0, 0.9], [0.9, 0.904], [0.904, 1.6], [1.6, 1.7]])
    found = most_uncertain(["sil", "t", "aa", "k"], intervals, [None] * 4)
    assert [(one.event, one.reason) for one in found] == [
        (1, "lasts 4 ms"),
        (2, "lasts 0.70 s"),
    ]


def test_lengths_unlike_others_with_the_label() -> None:
    lengths = np.array([0.10, 0.11, 0.09, 0.10, 0.12, 0.10, 0.09, 0.11, 0.55])
    edges = np.concatenate(([0.0], np.cumsum(lengths)))
    intervals = np.stack((edges[:-1], edges[1:]), 1)
    typical = typical_lengths([["s"] * 9], [intervals])
    found = most_uncertain(["s"] * 9, intervals, [None] * 9, typical=typical)
    assert [one.event for one in found] == [8]
    assert found[0].reason == "5.5 times as long as is usual for s"
    assert typical_lengths([["s"] * 7], [intervals[:7]]) == {}  # too few to tell


def test_the_order_of_doubts() -> None:
    intervals = np.array([[0.0, 0.1], [0.1, 0.2], [0.2, 0.3]])
    found = most_uncertain(
        ["a", "b", "c"], intervals, [0.9, 0.3, None], np.array([0.0, np.nan, 0.24])
    )
    assert [one.event for one in found] == [1, 2, 0]
    assert found[1].reason == "40 ms before the reference"
    assert found[1].value == pytest.approx(1 - np.exp(-1), abs=1e-4)


# Files ------------------------------------------------------------------------------------------


def test_all_tiers_of_a_textgrid(folder: Path) -> None:
    grid = {
        "words": (["key"], [(0.1, 0.4)]),
        "phones": (["k", "iy"], [(0.1, 0.2), (0.2, 0.4)]),
        "notes": (["?"], [(0.3, 0.4)]),
    }
    (folder / "kiwi.TextGrid").write_text(format_textgrid(grid, 4.9))
    (recording,) = read_recordings([folder / "kiwi.TextGrid"])
    assert recording.tier == "phones"
    content = data_of(format_page(recording))["recordings"][0]
    assert [tier["name"] for tier in content["tiers"]] == ["words", "phones", "notes"]
    assert content["main"] == 1
    assert content["tiers"][1]["labels"] == ["", "k", "iy", ""]
    (recording,) = read_recordings([folder / "kiwi.TextGrid"], tier="words")
    assert data_of(format_page(recording))["recordings"][0]["main"] == 0
    with pytest.raises(DataError, match="has no interval tier 'tones'"):
        read_recordings([folder / "kiwi.TextGrid"], tier="tones")


def test_a_tier_says_where_text_and_recording_disagree(folder: Path) -> None:
    """From the files that `align speech --text` writes, as from what it finds."""
    words = Alignment(["sil", "key"], [0.0, 0.1], 4.9)
    phones = Alignment(["sil", "k", "iy"], [0.0, 0.1, 0.2], 4.9)
    found = TextAlignment(
        {"": SpeakerTiers(words, phones, np.array([0, 1, 1]))},
        mismatches=(
            Mismatch("unspoken", 1.0, 1.5, ("the", "key"), 0.75),
            Mismatch("untranscribed", 2.0, 3.0, (), 0.875),
        ),
    )
    found.to_json(folder / "kiwi.json")
    found.to_textgrid(folder / "kiwi.TextGrid", overwrite=True)
    for path, sure in ((folder / "kiwi.json", " (0.75)"), (folder / "kiwi.TextGrid", "")):
        (recording,) = read_recordings([path], audio=[folder / "kiwi.flac"])
        listed = data_of(format_page(recording))["recordings"][0]["mismatches"]
        text = f"from 1.00 to 1.50 s: 'the key' was probably not said{sure}"
        assert listed[0] == {"start": 1.0, "end": 1.5, "text": text}
        assert (listed[1]["start"], listed[1]["end"]) == (2.0, 3.0)


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_confidences_are_read(folder: Path, suffix: str) -> None:
    truth = Alignment.from_labels(folder / "kiwi.TextGrid")
    confidence = np.linspace(0.25, 0.75, len(truth))
    found = Alignment(truth.events, truth.onsets, truth.duration, confidence=confidence)
    path = folder / f"kiwi{suffix}"
    (found.to_csv if suffix == ".csv" else found.to_json)(path)
    (recording,) = read_recordings([path])
    assert np.allclose(np.array(recording.confidence, float), confidence, atol=1e-4)


def test_confidences_and_matches_of_several_speakers_are_read(folder: Path) -> None:
    def tiers(onset: float, sure: float, match: float, said: str) -> SpeakerTiers:
        words, phones = (
            Alignment(
                ["sil", label],
                [0.0, onset],
                4.9,
                confidence=[1.0, sure],
                match=match,
                warnings=(said,),
            )
            for label in ("key", "k")
        )
        return SpeakerTiers(words, phones, np.array([0, 1]))

    both = {"Ann": tiers(0.5, 0.4, 0.9, "one"), "Bob": tiers(1.5, 0.6, 0.7, "two")}
    TextAlignment(both).to_json(folder / "kiwi.json")
    (ann,) = read_recordings([folder / "kiwi.json"])
    (bob,) = read_recordings([folder / "kiwi.json"], tier="Bob - phones")
    assert (ann.confidence, bob.confidence) == ((1.0, 0.4), (1.0, 0.6))
    assert (ann.match, ann.warnings) == (0.7, ("one", "two"))


def test_confidences_that_are_none_are_left_out(folder: Path) -> None:
    path = folder / "kiwi.csv"
    path.write_text(
        "start,end,label,confidence\n0,1,a,high\n1,2,b,nan\n2,3,c,0.5\n3,4,d,7\n4,4.5,e\n"
    )
    (recording,) = read_recordings([path])
    assert recording.confidence == (None, None, 0.5, None, None)


def test_confidences_of_notes(folder: Path) -> None:
    notes = [Note(60, 0.0), Note(64, 0.0), Note(62, 0.5)]
    found = MusicAlignment(notes, [0.1, 0.12, 0.6], 4.9, confidence=[0.9, 0.2, 0.8])
    found.to_csv(folder / "kiwi.csv")
    (recording,) = read_recordings([folder / "kiwi.csv"])
    assert recording.confidence == (0.9, 0.2, 0.8)


def test_folders(folder: Path, tmp_path: Path) -> None:
    """The outputs of a corpus run: a tree, with the recordings in another."""
    out = tmp_path / "out"
    for speaker in ("a", "b"):
        (out / speaker).mkdir(parents=True)
        (tmp_path / "in" / speaker).mkdir(parents=True)
        shutil.copy(folder / "kiwi.flac", tmp_path / "in" / speaker)
        shutil.copy(folder / "kiwi.TextGrid", out / speaker)
    (out / "quality.csv").write_text("file\n")
    (out / ".align").mkdir()
    found = read_recordings([out], audio=[tmp_path / "in"], reference=[out])
    assert [recording.name for recording in found] == ["a/kiwi", "b/kiwi"]
    assert str(found[1].audio) == str(tmp_path / "in" / "b" / "kiwi.flac")
    assert found[0].reference == found[0].alignment


def test_what_is_missing(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist; check the name"):
        read_recordings([folder / "no.TextGrid"])
    (folder / "lonely.csv").write_text("start,end,label\n0,1,a\n")
    with pytest.raises(DataError, match="has no recording of its name beside it"):
        read_recordings([folder / "lonely.csv"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no label files"):
        read_recordings([tmp_path / "empty"])
    with pytest.raises(DataError, match="has no counterpart in"):
        read_recordings([folder / "kiwi.TextGrid"], reference=[tmp_path / "empty"])
    with pytest.raises(ParameterError, match="--audio was given 1 times for 2 alignments"):
        read_recordings([folder / "kiwi.TextGrid"] * 2, audio=[folder / "kiwi.flac"])
    with pytest.raises(DataError, match="there is no such file"):
        read_recordings([folder / "kiwi.TextGrid"], audio=[folder / "no.wav"])
    (folder / "kiwi.csv").write_text("start,end,label\n0,1,a\n1,9,b\n")
    with pytest.raises(DataError, match="lies beyond the end of the recording"):
        read_recordings([folder / "kiwi.csv"])


def test_a_recording_that_json_names(folder: Path) -> None:
    (folder / "kiwi.flac").rename(folder / "other.flac")
    found = Alignment(["a"], [0.0], 4.0, audio=str(folder / "other.flac"))
    found.to_json(folder / "kiwi.json")
    (recording,) = read_recordings([folder / "kiwi.json"])
    assert str(recording.audio) == str(folder / "other.flac")


def test_a_piece_of_music(tmp_path: Path) -> None:
    shutil.copytree(DATA / "minuet", tmp_path / "minuet")
    for where in (tmp_path, tmp_path / "minuet", tmp_path / "minuet" / "truth.csv"):
        (recording,) = read_recordings([where])
        assert (recording.name, recording.stem) == ("minuet", "truth")
        assert isinstance(recording.alignment, MusicAlignment)


# Names, paths, and what a run has kept ----------------------------------------------------------


def pieces(root: Path, *names: str, labels: str = "truth") -> None:
    """Pieces in folders of their own, and their labels elsewhere under the names of the pieces."""
    for name in names:
        shutil.copytree(DATA / "minuet", root / "pieces" / name)
        target = root / "aligned" / f"{name}.csv"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DATA / "minuet" / f"{labels}.csv", target)


def test_pieces_of_one_folder_have_names_of_their_own(tmp_path: Path) -> None:
    names = ["bach10/01", "bach10/02", "other"]
    pieces(tmp_path, *names)
    found = read_recordings([tmp_path / "aligned"], audio=[tmp_path / "pieces"])
    assert [recording.name for recording in found] == names
    assert [(recording.folder, recording.stem) for recording in found] == [
        (name, "truth") for name in names
    ]  # as a corpus wants them
    again = read_recordings([tmp_path / "pieces"])
    assert [recording.name for recording in again] == names


def test_recordings_of_one_name_are_told_and_saved_apart(tmp_path: Path) -> None:
    pieces(tmp_path, "a/01", "b/01")
    shutil.copy(tmp_path / "aligned/a/01.csv", tmp_path / "pieces/a/01/other.csv")
    inside = [tmp_path / "pieces" / place / "truth.csv" for place in ("a/01", "b/01")]
    found = read_recordings(inside)
    assert [recording.name for recording in found] == ["a/01", "b/01"]
    folders = [tmp_path / "pieces" / place for place in "ab"]
    found = read_recordings(folders)
    assert len({(recording.folder, recording.stem) for recording in found}) == len(found) == 3
    assert len({recording.name for recording in found}) == 3
    for place in ("x", "y"):
        (tmp_path / place).mkdir()
        for suffix in (".flac", ".TextGrid"):
            shutil.copy(DATA / f"kiwi{suffix}", tmp_path / place)
    found = read_recordings([tmp_path / place / "kiwi.TextGrid" for place in ("x", "y")])
    assert [recording.name for recording in found] == ["x/kiwi", "y/kiwi"]
    assert [recording.folder for recording in found] == ["x", "y"]


def test_what_a_run_has_kept_says_how_sure_a_textgrid_is(tmp_path: Path) -> None:
    (tmp_path / "in" / "anna").mkdir(parents=True)
    shutil.copy(DATA / "kiwi.flac", tmp_path / "in" / "anna")
    truth = Alignment.from_labels(DATA / "kiwi.TextGrid")
    (tmp_path / "in" / "anna" / "kiwi.phones").write_text(" ".join(truth.labels))
    align_corpus(tmp_path / "in", tmp_path / "out")
    grid = tmp_path / "out" / "anna" / "kiwi.TextGrid"
    for labels in (grid, tmp_path / "out"):
        (recording,) = read_recordings([labels], audio=[tmp_path / "in" / "anna" / "kiwi.flac"])
        assert None not in recording.confidence
        assert recording.match is not None
    onsets = recording.alignment.onsets.copy()
    onsets[5] += 0.003
    grid.unlink()
    Alignment(truth.labels, onsets, truth.duration).to_textgrid(grid)
    (moved,) = read_recordings([grid], audio=[tmp_path / "in" / "anna" / "kiwi.flac"])
    there = np.array(moved.confidence, float)
    assert np.isnan(there).sum() == 1  # of a boundary that was moved, nothing is known
    assert np.isnan(there[5])


def test_worst_first_is_by_confidence_where_it_is_known() -> None:
    times = np.array([[0.0, 0.1], [0.1, 0.105], [0.105, 0.3], [0.3, 0.4]])
    labels = ["a", "b", "c", "d"]
    found = most_uncertain(labels, times, [0.9, 0.8, 0.3, None])
    assert [one.event for one in found] == [2, 1, 0]
    assert found[1].reason == "confidence 0.80; lasts 5 ms"
    unknown = most_uncertain(labels, times, [None] * 4)
    assert [one.event for one in unknown] == [1]
    far = most_uncertain(labels, times, [0.9, 0.8, 0.3, 0.99], times[:, 0] + [0, 0, 0, 0.2])
    assert far[0].event == 3  # a reference knows better


def test_of_several_speakers_who_says_most_is_listed(folder):
    """What stands in front of an interview, such as its title, is of a speaker without name."""

    def tier(name, labels):
        return Tier(
            name, "interval", labels, tuple((k, k + 1.0) for k in range(len(labels))), (), 3
        )

    tiers = (
        tier("phones", ("sil",)),
        tier("Ann - phones", ("sil", "k")),
        tier("Bob - phones", ("sil", "iy", "k", "iy")),
    )
    write_tiers(folder / "talk.TextGrid", Tiers(tiers, 4.0))
    (found,) = read_recordings([folder / "talk.TextGrid"], audio=[folder / "kiwi.flac"])
    assert found.tier == "Bob - phones"
