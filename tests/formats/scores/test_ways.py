"""Ways through scores: repeats within repeats, endings of all kinds, leaps, several movements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from align.formats.scores.ways import Ending, Signs, way_through


def bars(signs: Signs, choices: str = "") -> str:
    """Return the bars that are played, A for the first; a bar lasts 1."""
    way, _ = way_through(signs, [letter == "y" for letter in choices])
    return "".join(chr(65 + k) for start, end in way for k in range(int(start), int(end)))


def brackets(*spans: tuple[int, int, str]) -> list[Ending]:
    return [Ending.of(*span) for span in spans]


FIRST_AND_SECOND = Signs(4, [(0, 2)], brackets((1, 2, "1"), (2, 3, "2")))
THREE = Signs(5, [(0, 2), (2, 3)], brackets((1, 2, "1."), (2, 3, "2."), (3, 4, "3.")))
TWICE_AND_ONCE = Signs(4, [(0, 2)], brackets((1, 2, "1, 2"), (2, 3, "3")))
UP_TO = Signs(4, [(0, 2)], brackets((1, 2, "1.-3."), (2, 3, "4")))
ODD_AND_EVEN = Signs(4, [(0, 2), (0, 3)], brackets((1, 2, "1, 3"), (2, 3, "2")))
UNNUMBERED = Signs(4, [(0, 2)], brackets((1, 2, ""), (2, 3, "2")))
BOTH_SECOND = Signs(4, [(0, 2)], brackets((1, 2, "2"), (2, 3, "2")))
ALONE = Signs(3, [(0, 2)], brackets((1, 2, "1")))
TWO_GROUPS = Signs(
    6, [(0, 2), (3, 5)], brackets((1, 2, "1"), (2, 3, "2"), (4, 5, "1"), (5, 6, "2"))
)
NESTED = Signs(3, [(1, 2), (0, 3)])
THRICE = Signs(3, [(0, 2), (0, 2)])
SAME_END = Signs(2, [(1, 2), (0, 2)])


@pytest.mark.parametrize(
    ("signs", "choices", "found"),
    [
        (Signs(2), "", "AB"),
        (Signs(3, [(1, 2)]), "", "ABBC"),
        (THRICE, "yy", "ABABABC"),
        (THRICE, "yn", "ABABC"),
        (THRICE, "n", "ABC"),
        (FIRST_AND_SECOND, "y", "ABACD"),
        (FIRST_AND_SECOND, "n", "ACD"),
        (THREE, "yy", "ABACADE"),
        (THREE, "yn", "ABADE"),
        (THREE, "n", "ADE"),
        (TWICE_AND_ONCE, "", "ABABACD"),
        (UP_TO, "", "ABABABACD"),
        (ODD_AND_EVEN, "", "ABACABD"),
        (UNNUMBERED, "y", "ABACD"),
        (BOTH_SECOND, "y", "ABACD"),
        (BOTH_SECOND, "n", "ACD"),
        (ALONE, "y", "ABAC"),
        (ALONE, "n", "AC"),
        (Signs(3, [(0, 2)], brackets((1, 2, "2"))), "", "ABAC"),  # its only number
        (Signs(4, [(0, 2)], brackets((2, 3, "2"))), "", "ABABCD"),  # the first one is missing
        (Signs(4, [], brackets((2, 3, "2"))), "", "ABCD"),
        (TWO_GROUPS, "", "ABACDEDF"),
        (NESTED, "", "ABBCABBC"),
        (NESTED, "nyy", "ABCABBC"),
        (SAME_END, "", "ABBABB"),
        (Signs(3, da_capo=[2], fine=[1]), "", "ABAC"),  # another movement follows
        (Signs(4, da_capo=[2, 4], fine=[1, 3]), "", "ABACDC"),
        (Signs(3, da_capo=[3], fine=[1]), "", "ABCA"),
        (Signs(3, da_capo=[2], to_coda=[1], coda=[2]), "", "ABAC"),
        (Signs(4, dal_segno=[3], segno=[1], to_coda=[2], coda=[3]), "", "ABCBD"),
        (Signs(4, dal_segno=[4], segno=[0, 2]), "", "ABCDCD"),
        (Signs(2, dal_segno=[2]), "", "AB"),
        (Signs(2, to_coda=[1], da_capo=[2]), "", "ABAB"),
        (Signs(3, [(0, 1)], da_capo=[3], fine=[1]), "yn", "AABCA"),
    ],
)
def test_ways(signs: Signs, choices: str, found: str) -> None:
    assert bars(signs, choices) == found


def test_repeats_without_end_are_refused() -> None:
    signs = Signs(60.0, [(float(k), 60.0 - k) for k in range(30)])
    with pytest.raises(ValueError, match="never come to an end"):
        way_through(signs)


places = st.lists(st.integers(0, 12), max_size=3)
spans = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=4)


@given(spans, spans, st.tuples(*[places] * 6), st.lists(st.booleans(), max_size=6))
def test_any_signs_lead_to_the_end(repeats, brackets, leaps, taken) -> None:
    """Nothing is played backwards, beyond the end, or without end."""
    endings = [Ending.of(*sorted(span), str(1 + k % 3)) for k, span in enumerate(brackets)]
    repeats = [tuple(sorted(span)) for span in repeats]
    way, _ = way_through(Signs(12, repeats, endings, *leaps), taken)
    assert all(0 <= start < end <= 12 for start, end in way)
