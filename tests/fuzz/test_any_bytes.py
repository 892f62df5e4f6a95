"""Whatever bytes a file holds: every parser reads them or refuses them with an `AlignError`."""

import functools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import damage  # isort: skip
import parsers  # isort: skip
import seeds  # isort: skip

NEEDS = {"notation": "partitura", "media": "av", "document": "docx", "sheet": "openpyxl"}
TARGETS = sorted(parsers.TARGETS)


@functools.cache
def known(target: str) -> list[bytes]:
    return seeds.seeds(target)


EDITS = st.lists(
    st.tuples(
        st.sampled_from(damage.KINDS),
        st.integers(0, 1 << 16),
        st.integers(0, 12),
        st.sampled_from(damage.SPECIAL) | st.binary(min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("target", TARGETS)
def test_whole_files_are_read(target: str) -> None:
    if target in NEEDS:
        pytest.importorskip(NEEDS[target])
    for data in known(target):
        parsers.feed(target, data)


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_read_or_refused(target: str) -> None:
    if target in NEEDS:
        pytest.importorskip(NEEDS[target])

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 9), EDITS)
    def edits(which: int, changes: list[damage.Edit]) -> None:
        whole = known(target)
        parsers.feed(target, damage.damaged(whole[which % len(whole)], changes))

    @settings(max_examples=10, suppress_health_check=list(HealthCheck))
    @given(st.binary(max_size=200))
    def anything(data: bytes) -> None:
        parsers.feed(target, data)

    edits()
    anything()


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.binary(min_size=5, max_size=13))
def test_signed_models_with_wrong_content_are_read_or_refused(data: bytes) -> None:
    parsers.feed("signed_model", data)
