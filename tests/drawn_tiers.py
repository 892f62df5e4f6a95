"""Tiers of words, phones and anything else, drawn for round trips."""

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from align.formats.tiers.tier import Tier, Tiers

SHOWN = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5)
TEXTS = st.lists(SHOWN, min_size=1, max_size=3).map(" ".join)
NAMES = st.lists(
    st.one_of(st.sampled_from(["words", "phones", "Ann - words", "Ann - phones"]), TEXTS),
    min_size=1,
    max_size=4,
    unique=True,
)


def interval_tier(name: str, labels: list[str], bounds: list[float]) -> Tier:
    return Tier(name, "interval", tuple(labels), tuple(pairwise(bounds)), (), bounds[-1])


def drawn_tiers(names: list[str], data: Any, unit: float) -> Tiers:
    """Return a tier of each name, of intervals or points, `unit` of whose times are a second.

    Each lasts three of these at the least, since gaps of 2.5 ms are taken for rounding and closed.
    """
    tiers = []
    for name in names:
        n = data.draw(st.integers(1, 6))
        steps = data.draw(st.lists(st.integers(3, 10**6), min_size=n, max_size=n))
        texts = data.draw(st.lists(st.one_of(st.just(""), TEXTS), min_size=n, max_size=n))
        bounds = (np.cumsum([0, *steps]) / unit).tolist()
        if data.draw(st.booleans()):
            times = tuple((at, at) for at in bounds[1:])
            tiers.append(Tier(name, "point", tuple(texts), times, (), bounds[-1]))
        else:
            tiers.append(interval_tier(name, texts, bounds))
    return Tiers(tuple(tiers), max(tier.end for tier in tiers))
