"""What recognisers of speech write, read as a transcript."""

import json
from pathlib import Path

import pytest

from align.errors import DataError
from align.speech.text import read_transcript

WHISPER = {
    "text": " The kiwi is green. So it is.",
    "segments": [
        {
            **{"id": 0, "seek": 0, "start": 0.0, "end": 1.3, "text": " The kiwi is green."},
            **{"tokens": [50364, 440], "temperature": 0.0, "avg_logprob": -0.31},
            **{"compression_ratio": 1.2, "no_speech_prob": 0.01},
            "words": [{"word": " The", "start": 0.0, "end": 0.2, "probability": 0.87}],
        },
        {"id": 1, "seek": 0, "start": 1.3, "end": 2.5, "text": " So it is.", "words": []},
        {"id": 2, "seek": 0, "start": 2.5, "end": 2.5, "text": ""},
    ],
    "language": "en",
}
OTHERS = {
    "faster-whisper": [
        {"start": 0.0, "end": 1.3000000000000003, "text": " The kiwi is green."},
        {"start": 1.3, "end": 2.5, "text": " So it is."},
    ],
    "whisper.cpp": {
        "result": {"language": "en"},
        "transcription": [
            {
                "timestamps": {"from": "00:00:00,000", "to": "00:00:01,300"},
                "offsets": {"from": 0, "to": 1300},
                "text": " The kiwi is green.",
            },
            {"offsets": {"from": 1300, "to": 2500}, "text": " So it is."},
        ],
    },
    "one speaker": {
        "segments": [{**row, "speaker": "SPEAKER_00"} for row in WHISPER["segments"][:2]]
    },
}


def said(folder: Path, content: object) -> list[tuple[str, float | None, float | None, str]]:
    path = folder / "talk.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return [(one.text, one.start, one.end, one.speaker) for one in read_transcript(path)]


@pytest.mark.parametrize("content", [WHISPER, *OTHERS.values()], ids=["whisper", *OTHERS])
def test_layouts(tmp_path: Path, content: object) -> None:
    first, last = said(tmp_path, content)
    assert first == ("The kiwi is green.", 0.0, pytest.approx(1.3), "")
    assert last == ("So it is.", pytest.approx(1.3), 2.5, "")


def test_text_without_segments_has_no_times(tmp_path: Path) -> None:
    assert said(tmp_path, {"text": " The kiwi."}) == [("The kiwi.", None, None, "")]


def test_speakers_may_overlap_and_keep_their_order(tmp_path: Path) -> None:
    rows = [("B", 0.0, 2.0, "b"), ("A", 1.0, 3.0, "a"), ("B", 2.5, 3.0, "bb")]
    segments = [dict(zip(("speaker", "start", "end", "text"), row, strict=True)) for row in rows]
    found = said(tmp_path, {"segments": segments})
    assert found == [("b", 0.0, 2.0, "B"), ("bb", 2.5, 3.0, "B"), ("a", 1.0, 3.0, "A")]


def test_times_that_cannot_be_are_mended(tmp_path: Path) -> None:
    rows = [(0.0, 2.0, "a"), (1.5, 3.0, "b"), (3.5, 2.9, "c"), (3.0, 3.0, "d"), (4.0, 5.0, "e")]
    segments = [dict(zip(("start", "end", "text"), row, strict=True)) for row in rows]
    found = said(tmp_path, segments)
    assert found == [("a", 0.0, 2.0, ""), ("b c d", 2.0, 3.0, ""), ("e", 4.0, 5.0, "")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"duration": 1.0, "events": []}, 'has no "segments"'),
        ([1], "segment 1 has no text"),
        ([{"start": 0.0, "end": 1.0}], "segment 1 has no text"),
        ({"transcription": [{"text": "a", "offsets": None}]}, "segment 1 has no times"),
        ([{"start": None, "end": 1.0, "text": "a"}], "the time None, must be seconds"),
        ([{"start": True, "end": 1.0, "text": "a"}], "the time True"),
        ([{"start": 0.0, "end": float("nan"), "text": "a"}], "the time nan"),
        ([{"start": 0.0, "end": 10**400, "text": "a"}], "the time 1000"),
        ([{"start": 1.0, "end": 0.5, "text": "a"}], "at 1 s ends before it begins"),
        ({"segments": []}, "holds no text"),
    ],
)
def test_what_is_no_transcript_is_refused(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        said(tmp_path, content)
