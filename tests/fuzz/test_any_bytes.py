"""Whatever bytes a file holds: every parser reads them or refuses them with an `AlignError`."""

import functools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import parsers  # isort: skip
import seeds  # isort: skip

NOTATION = {"notation"}
TARGETS = sorted(parsers.TARGETS)
SPECIAL = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"1e999", b"-1e999", b"nan", b"9" * 400, b"1e-320",
    b"\x80",
    b'"', b"'", b"<", b"&x;", b"\xf0\x9f\x98\x80", b"\t", b"\n", b"\r", b"0", b"-", b"[" * 300,
    b"{" * 300, b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff" * 16,
    b"\xe2\x80\xa8", b"1_0", "\u0661".encode(), b",", b";", b"(", b"<!ENTITY x 'y'>", b"%",
)  # fmt: skip


@functools.cache
def known(target: str) -> list[bytes]:
    return seeds.seeds(target)


Edit = tuple[str, int, int, bytes]
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["cut", "put", "double", "end"]),
        st.integers(0, 1 << 16),
        st.integers(0, 12),
        st.sampled_from(SPECIAL) | st.binary(min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=4,
)


def damaged(data: bytes, edits: list[Edit]) -> bytes:
    """Remove, replace or double some of the bytes of a whole file."""
    for what, at, length, new in edits:
        start = at % (len(data) + 1)
        end = start + length
        if what == "cut":
            data = data[:start] + data[end:]
        elif what == "put":
            data = data[:start] + new + data[end:]
        elif what == "double":
            data = data[:end] + data[start:]
        else:
            data = data[:start]
    return data


@pytest.mark.parametrize("target", TARGETS)
def test_whole_files_are_read(target: str) -> None:
    for data in known(target):
        parsers.feed(target, data)


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_files_are_read_or_refused(target: str) -> None:
    if target in NOTATION:
        pytest.importorskip("partitura")

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 9), EDITS)
    def edits(which: int, changes: list[Edit]) -> None:
        whole = known(target)
        parsers.feed(target, damaged(whole[which % len(whole)], changes))

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
