"""Which model is shown: what is paid stays within its bound, and near the best model."""

import numpy as np
import pytest

from align.studio.leader import LEAD, leader

NAMES = ("half", "habits", "networks", "given")


def paid(rounds):
    """Return the mistakes paid, and how often another model was shown."""
    shown, total, changes = NAMES[0], 0, 0
    sums = dict.fromkeys(NAMES, 0)
    for one in rounds:
        total += one[NAMES.index(shown)]
        sums = {name: sums[name] + int(x) for name, x in zip(NAMES, one, strict=True)}
        new = leader(shown, sums)
        changes += new != shown
        shown = new
    return total, changes


@pytest.mark.parametrize("seed", range(20))
def test_what_is_paid_stays_within_the_bound(seed):
    rng = np.random.default_rng(seed)
    rounds = rng.integers(0, 6, size=(200, 4)) * (rng.random((200, 4)) < rng.random(4))
    total, changes = paid(rounds)
    assert total <= rounds.sum(axis=0).min() + (changes + 1) * (LEAD + rounds.max())


def test_against_an_adversary_too():
    sums, shown, rounds = dict.fromkeys(NAMES, 0), NAMES[0], []
    for _ in range(300):  # the model that is shown always errs
        rounds.append([5 * (name == shown) for name in NAMES])
        sums[shown] += 5
        shown = leader(shown, sums)
    rounds = np.array(rounds)
    total, changes = paid(rounds)
    assert total == 1500
    assert total <= rounds.sum(axis=0).min() + (changes + 1) * (LEAD + 5)


def test_a_model_that_never_errs_is_shown_soon_and_for_good():
    assert paid([(1, 1, 1, 0)] * 100) == (LEAD + 1, 1)
