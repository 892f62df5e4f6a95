"""What is expected of recordings that wait, and in which order they come."""

from align import Alignment
from align.batch.tasks import Task
from align.studio.document import Document
from align.studio.queue import expected_errors, in_order


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
