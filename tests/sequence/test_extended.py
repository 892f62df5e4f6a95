"""What was found in a recording that was made longer, in its own time."""

import numpy as np
import pytest

from align.decoders import Lattice
from align.features import Signal
from align.sequence.extended import Extended
from align.terms import OnsetTerm

HOP = 0.005


def signal(n_frames: int) -> Signal:
    return Signal(np.zeros(80 * n_frames, dtype=np.float32), rate=16000, hop=HOP)


LONGER = Extended(signal(100), signal(140), before=20)
SILENT = np.array([True, False, False, True])


def test_pauses_begin_in_what_was_added_and_nothing_else_does() -> None:
    assert LONGER.windows(Lattice.chain(3)).tolist() == [[0, 121], [20, 121], [20, 121]]
    only_in_front = Extended(signal(100), signal(120), before=20)
    assert only_in_front.windows(Lattice.chain(2)).tolist() == [[0, 120], [20, 120]]
    own = signal(100)
    assert Extended(own, own).windows(Lattice.chain(2)) is None


def test_events_of_a_sequence_have_a_frame_each_within_the_recording() -> None:
    held = LONGER.held(4)
    assert held is not None
    assert held.windows.tolist() == [[0, 118], [20, 119], [21, 120], [22, 121]]
    limits = np.array([3, 5, 7, 2])
    assert held.limits(limits, 10, True).tolist() == limits.tolist()
    assert held.limits(limits, 34, True).tolist() == [12, 20, 28, 8]
    own = signal(100)
    assert Extended(own, own).held(4) is None


def test_what_begins_in_silence_may_begin_with_the_recording() -> None:
    longer = LONGER._replace(closed=lambda event: event == "cl")
    (term,) = longer.edge(("sil", "cl", "k")).values()
    assert isinstance(term, OnsetTerm)
    assert term.rows.tolist() == [-1, 0, -1]
    assert np.flatnonzero(term.table[0]).tolist() == [20]
    assert longer.weight(0.5).keys() == longer.edge(("cl",)).keys()
    assert longer.weight(0.5)["edge"] == pytest.approx(1.5)
    own = signal(100)
    for other in (Extended(own, own), Extended(own, signal(120))):
        assert not other.edge(("cl",))
        assert not other.weight(0.5)


def test_pauses_of_ten_milliseconds_are_in_the_recording() -> None:
    times, inside = LONGER.within(np.array([0.0, 0.115, 0.3, 0.58]), SILENT)
    np.testing.assert_allclose(times, [0.0, 0.015, 0.2, 0.48])
    assert inside.all()


def test_shorter_pauses_are_not() -> None:
    times, inside = LONGER.within(np.array([0.0, 0.105, 0.3, 0.595]), SILENT)
    assert inside.tolist() == [False, True, True, False]
    np.testing.assert_allclose(times[1:3], [0.0, 0.2])
    assert times[1] == 0.0


def test_what_sounds_stays_within_the_recording() -> None:
    times, inside = LONGER.within(np.array([0.098, 0.099, 0.603]), np.zeros(3, dtype=bool))
    assert inside.all()
    assert times[0] == 0.0
    assert 0.0 < times[1] < times[2] < 0.5


def test_without_additions_nothing_changes() -> None:
    own = signal(100)
    times = np.array([0.0, 0.004, 0.3, 0.499])
    found, inside = Extended(own, own).within(times, SILENT)
    assert found is times
    assert inside.all()
