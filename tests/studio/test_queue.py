"""What is expected of recordings that wait, and in which order they come."""

from align import Alignment
from align.batch.tasks import Task
from align.studio.document import Document
from align.studio.queue import Found, expected_errors, in_order
from align.studio.recordings import Recordings


def document(confidence: float, match: float) -> Document:
    found = Alignment(
        ["k", "iy"], [0.0, 0.1], duration=0.2, confidence=[confidence] * 2, match=match
    )
    return Document.of(found)


def test_a_low_match_is_no_expected_error_but_goes_first() -> None:
    sure, unlike = document(0.9, 1.0), document(0.9, 0.3)
    assert expected_errors(sure) == expected_errors(unlike) == 0.2
    tasks = {name: Task(name, f"{name}.wav", f"{name}.txt") for name in ("sure", "unlike")}
    assert in_order(tasks, {"sure": sure, "unlike": unlike}, {}) == ["unlike", "sure"]


def test_what_fails_is_tried_once_by_each_model_and_counts_once() -> None:
    """It was tried again without end in the background, and counted twice once it was right."""
    recordings = Recordings(
        [Task("a", "a.wav", "a.phones")], [], lambda task: Found(None, 1, "unknown phone.")
    )
    assert recordings.to_align(1) == ["a"]
    recordings.align("a")
    assert recordings.to_align(1) == []
    assert recordings.to_align(2) == ["a"]
    assert recordings.counts() == {"confirmed": 0, "waiting": 0, "failed": 1}
    right = document(0.9, 1.0).to_json()
    recordings.take({"do": "confirm", "name": "a", "base": right, "state": right})
    assert recordings.counts() == {"confirmed": 1, "waiting": 0, "failed": 0}
