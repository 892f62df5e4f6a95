"""A short sequence that stands for a long one, against what features say of the long one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from align.sequence.rough import covering


@given(st.text("ab.", min_size=1, max_size=60))
def test_every_event_stands_as_it_does_in_the_long_sequence(text):
    def seen(events, k):
        """Return all that a feature may look at."""
        ends = k == 0, k == len(events) - 1
        drawn_out = k + 1 < len(events) and events[k + 1] == "."
        return events[k], events[k - 1] if k else "", drawn_out, ends

    events = tuple(text)
    cover, place = covering(events, lambda event: event == ".")
    assert len(cover) <= len(events)
    for k, at in enumerate(place):
        assert seen(events, k) == seen(cover, at)


def test_the_cover_of_a_long_sequence_is_short():
    rng = np.random.default_rng(0)
    events = tuple(rng.choice(list("abcd."), 10_000).tolist())
    assert len(covering(events, lambda event: event == ".")[0]) < 200
