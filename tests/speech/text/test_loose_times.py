"""Subtitles and segments of recognisers: their times say about where, and hold no word."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
from kiwi_text import KIWI, TEXT, WORDS

from align.errors import DataError, ParameterError
from align.speech.text import Utterance, align_text, read_transcript
from align.speech.text.conversation import conversations_of

SPOKEN = TEXT.rstrip(".").split()
CUT = (4, 9, len(SPOKEN))


@pytest.fixture(scope="module")
def whole():
    return align_text("speech-en", KIWI, TEXT, dictionary=WORDS)


def clock(seconds: float) -> str:
    return f"00:{int(seconds // 60):02}:{seconds % 60:06.3f}".replace(".", ",")


def written(path: Path, whole, off: tuple[float, ...]) -> Path:
    """Write subtitles of the kiwi that begin, and end, so many seconds too late."""
    onsets = [t for w, t in zip(whole.words.labels, whole.words.onsets, strict=True) if w != "sil"]
    rows, first = [], 0
    for n, stop in enumerate(CUT):
        start = onsets[first] + off[n]
        end = (onsets[stop] if stop < len(onsets) else whole.duration) + off[n + 1]
        rows.append((max(start, 0.0), end, " ".join(SPOKEN[first:stop])))
        first = stop
    if path.suffix == ".srt":
        path.write_text(
            "\n".join(
                f"{n}\n{clock(start)} --> {clock(end)}\n{text}\n"
                for n, (start, end, text) in enumerate(rows, start=1)
            )
        )
    else:
        segments = [dict(zip(("start", "end", "text"), row, strict=True)) for row in rows]
        path.write_text(json.dumps({"segments": segments}))
    return path


@pytest.mark.parametrize("suffix", [".srt", ".json"])
@pytest.mark.parametrize(
    "off",
    [(0.0, 0.0, 0.0, 0.0), (0.3, -0.3, 0.3, 0.0), (0.2, 0.4, 0.5, 1.5), (1.0, 1.0, 1.0, 0.2)],
)
def test_words_lie_where_they_do_without_times(tmp_path: Path, whole, suffix, off) -> None:
    said = read_transcript(written(tmp_path / f"a{suffix}", whole, off))
    found = align_text("speech-en", KIWI, said, dictionary=WORDS)
    assert found.words.labels == whole.words.labels
    np.testing.assert_array_equal(found.words.onsets, whole.words.onsets)
    assert found.match == pytest.approx(whole.match)
    # each utterance is told as it was said, from its first word to the end of its last one
    assert [u.text for u in found.utterances] == [u.text for u in said]
    ends = dict(zip(found.words.labels, found.words.intervals.tolist(), strict=True))
    assert [u.start for u in found.utterances] == [
        ends[SPOKEN[k].strip(",")][0] if k else ends["A"][0] for k in (0, *CUT[:-1])
    ]


def test_subtitles_of_one_speaker_may_overlap(tmp_path: Path, whole) -> None:
    path = written(tmp_path / "a.srt", whole, (0.0, 0.0, 0.0, 0.0))
    text = path.read_text().splitlines()
    text[1] = text[1].split(" --> ")[0] + " --> " + text[5].split(" --> ")[1]
    path.write_text("\n".join(text))
    found = align_text("speech-en", KIWI, read_transcript(path), dictionary=WORDS)
    np.testing.assert_array_equal(found.words.onsets, whole.words.onsets)


def test_a_subtitle_may_stay_when_the_recording_has_ended_but_not_begin_there(whole) -> None:
    late = Utterance(TEXT, 0.0, whole.duration + 3.0, loose=True)
    found = align_text("speech-en", KIWI, [late], dictionary=WORDS)
    np.testing.assert_array_equal(found.words.onsets, whole.words.onsets)
    beyond = [late, Utterance("kiwi", whole.duration + 1.0, whole.duration + 3.0, loose=True)]
    said = [beyond[1]]
    with pytest.raises(DataError, match="lies beyond the end of the recording"):
        align_text("speech-en", KIWI, said, dictionary=WORDS)
    with pytest.raises(DataError, match="lies beyond the end of the recording"):
        align_text("speech-en", KIWI, [Utterance(TEXT, 0.0, 7.9)], dictionary=WORDS)


@pytest.mark.parametrize(
    ("late", "told"),
    [
        ((2.6, 2.6, 2.6, 2.6), "they are about 2.6 s too late"),
        ((600.0, 600.0, 600.0, 600.0), "they are about 600.0 s too late"),
        ((0.0, 3.0, 6.0, 6.0), r"they are off by \+0.[0-9] to \+5.[0-9] s"),
    ],
)
def test_times_that_do_not_fit_are_told_and_not_followed(tmp_path: Path, whole, late, told):
    said = read_transcript(written(tmp_path / "a.srt", whole, late))
    found = align_text("speech-en", KIWI, said, dictionary=WORDS)
    np.testing.assert_array_equal(found.words.onsets, whole.words.onsets)
    assert [u.text for u in found.utterances] == [u.text for u in said]
    (warning,) = found.warnings
    assert re.fullmatch(
        f"the times of the text do not fit the recording: {told}; its words were found without.",
        warning,
    )


def test_what_has_times_beyond_the_end_is_left_out_and_told(whole) -> None:
    late = Utterance(TEXT, 0.0, whole.duration, loose=True)
    credits = Utterance("a lazy kiwi", whole.duration + 1.0, whole.duration + 3.0, loose=True)
    found = align_text("speech-en", KIWI, [late, credits], dictionary=WORDS)
    assert found.words.labels == whole.words.labels
    np.testing.assert_array_equal(found.words.onsets, whole.words.onsets)
    (missing,) = found.mismatches
    assert (missing.kind, missing.words) == ("unspoken", ("a", "lazy", "kiwi"))
    assert missing.start == missing.end == whole.duration
    assert found.warnings == (
        f"3 words of the text have times beyond the end of the recording ({whole.duration:.3f} s),"
        " and were left out.",
    )


def test_the_last_word_may_be_there_though_its_time_is_beyond_the_end(whole) -> None:
    *words, last = TEXT.rstrip(".").split()
    first = Utterance(" ".join(words), 0.0, whole.duration - 0.5, loose=True)
    late = Utterance(last, whole.duration + 0.2, whole.duration + 0.6, loose=True)
    found = align_text("speech-en", KIWI, [first, late], dictionary=WORDS)
    np.testing.assert_array_equal(found.words.onsets, whole.words.onsets)
    assert not found.mismatches
    assert "do not fit the recording" in found.warnings[0]


def together(*said: Utterance) -> list[list[str]]:
    found = conversations_of([(u, u.text.split()) for u in said])
    return [[u.text for u in c.said] for c in found]


def test_a_long_pause_parts_passages_and_a_short_one_does_not() -> None:
    first, near = (
        Utterance("a", 0.0, 1.0, "A", loose=True),
        Utterance("b", 4.9, 6.0, "B", loose=True),
    )
    far = Utterance("c", 10.1, 11.0, "A", loose=True)
    assert together(first, near, far) == [["a", "b"], ["c"]]
    assert together(first, far, near) == [
        ["a", "b"],
        ["c"],
    ]  # speaker by speaker, as they are read
    exact = Utterance("a", 0.0, 1.0), Utterance("b", 1.0, 2.0)
    assert together(*exact) == [["a"], ["b"]]
    assert together(Utterance("a"), Utterance("b")) == [["a", "b"]]


def test_loose_times_are_times() -> None:
    with pytest.raises(ParameterError, match="'a' is loose, so it needs a start and an end"):
        Utterance("a", 1.0, loose=True)


def test_speakers_who_speak_at_once_are_held_to_their_times() -> None:
    said = [
        Utterance("a", 0.0, 3.0, "A", loose=True),
        Utterance("b", 2.5, 4.0, "A", loose=True),  # one speaker's own are one
        Utterance("c", 1.0, 2.0, "B", loose=True),
    ]
    found = conversations_of(list(zip(said, "abc", strict=True)))
    assert [c.as_one() for c in found] == [
        (Utterance("a b", 0.0, 4.0, "A"), ("a", "b")),
        (Utterance("c", 1.0, 2.0, "B"), ("c",)),
    ]
    turns = [Utterance("a", 0.0, 3.0, "A", loose=True), Utterance("c", 2.6, 4.0, "B", loose=True)]
    assert together(*turns) == [["a", "c"]]


@pytest.mark.parametrize(
    ("begin", "end", "text"),
    [
        (2.073, 2.572, "over the lazy dog"),
        (1.965, 2.724, "brown fox jumps over"),
        (0.574, 1.297, "lazy dog while"),
        (1.241, 2.51, "jumps over the lazy"),
    ],
)
def test_words_that_were_not_said_where_a_recording_is_cut(begin, end, text) -> None:
    # the ways around words stay within the recording, also where a pause was put at its ends
    samples, rate = soundfile.read(KIWI, dtype="float32")
    cut = samples[int(begin * rate) : int(end * rate)]
    found = align_text("speech-en", cut, text, rate=rate, dictionary=WORDS)
    assert [word for word in found.words.labels if word != "sil"] == text.split()
    assert found.words.onsets[-1] < found.duration
