"""c of each rule, in the numbers of its formula with no constant at 1."""

import pytest

from align.learners import (
    FixedTuning,
    LossTuning,
    MistakeTuning,
    RunningTuning,
    SelfTuning,
    SqrtTuning,
)


@pytest.mark.parametrize(
    ("tuning", "c"),
    [
        (FixedTuning(0.3), 0.3),
        (MistakeTuning(U=2.0), 3.0 * (5 / 4) ** 0.5),
        (SelfTuning(U=2.0), 3.0 * (6 / 2) ** 0.5),
        (SqrtTuning(L=3.0, U=2.0), (7 * 3 / 2) ** 0.5),
        (RunningTuning(U=2.0, share=0.5), 3.0 * (7 * 0.5 / 2) ** 0.5),
        (LossTuning(L=3.0, U=2.0, beta=0.7), 8**0.25 * (3 / 2) ** 0.5 * (0.7 + 4.0) ** 0.5),
    ],
    ids=str,
)
def test_c_is_what_the_table_of_rules_says(tuning, c):
    assert tuning(radius=3.0, n_mistakes=5, n_rounds=7, loss=4.0) == pytest.approx(c, rel=1e-12)
