"""By how much events score less than the best that any would."""

import numpy as np

from align.sequence.fit import fits_of
from align.terms import OnsetTerm, SegmentTerm


def test_fits_are_means_over_frames_below_the_best() -> None:
    scores = np.array([[-1.0, -1.0, -3.0, -3.0, -9.0], [-2.0, -2.0, -0.5, -0.5, -90.0]])
    best = scores.max(axis=0)
    terms = {
        "onset": OnsetTerm(np.zeros((1, 5)), np.zeros(4, dtype=np.intp)),
        "phone": SegmentTerm.from_frames(scores, np.array([1, 1, -1, 1]), best),
    }
    found = fits_of(terms, np.array([0, 2, 3, 4]), 5)
    assert found is not None
    np.testing.assert_allclose(found, [-1.0, 0.0, 0.0, -8.0])  # no less: it does not fit at all


def test_nothing_is_known_where_no_base_function_knows_the_best() -> None:
    term = SegmentTerm.from_frames(np.zeros((1, 5)), np.zeros(2, dtype=np.intp))
    assert fits_of({"phone": term}, np.array([0, 2]), 5) is None
