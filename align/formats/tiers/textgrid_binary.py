"""Binary TextGrids, as Praat writes them with "Save as binary file".

The numbers are big-endian: doubles of 8 bytes, counts of 4. A class name is a byte with its length
and as many bytes of ASCII. A text is a length of 2 bytes and as many bytes of ASCII, or, where the
length is 65535, a second length and as many units of UTF-16. The parts follow each other as in a
text file::

    ooBinaryFile TextGrid xmin xmax <has tiers: 1 byte> n_tiers
        {IntervalTier name xmin xmax n {xmin xmax text} | TextTier name xmin xmax n {x text}}

Source: ``oo_WRITE_BINARY`` and ``abcio.cpp`` of Praat; parselmouth is the oracle of the tests.
"""

import struct

from align.errors import DataError
from align.files.names import StrPath
from align.formats.tiers.praat_letters import from_praat
from align.formats.tiers.tier import Tier

BINARY_MARK = b"ooBinaryFile"
"""What a binary file of Praat begins with."""

_WIDE = 0xFFFF


class _Bytes:
    """The parts of the file, taken one by one."""

    def __init__(self, data: bytes, path: StrPath | None) -> None:
        self.data, self.path, self.at = data, path, len(BINARY_MARK)

    def error(self, message: str) -> DataError:
        return DataError(message, path=self.path)

    def take(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise self.error(f"ends after {len(self.data)} bytes; the file is truncated.")
        self.at += count
        return found

    def unsigned(self, size: int) -> int:
        return int.from_bytes(self.take(size), "big")

    def number(self) -> float:
        value: float = struct.unpack(">d", self.take(8))[0]
        return value

    def class_name(self) -> str:
        return self.take(self.unsigned(1)).decode("ascii", "backslashreplace")

    def text(self) -> str:
        length = self.unsigned(2)
        if length != _WIDE:
            return from_praat(self.take(length).decode("ascii", "backslashreplace"))
        wide = self.take(2 * self.unsigned(2))
        try:
            return from_praat(wide.decode("utf-16-be"))
        except UnicodeDecodeError:
            raise self.error(f"has a damaged text before byte {self.at}.") from None


def parse_binary_textgrid(data: bytes, path: StrPath | None = None) -> list[Tier]:
    """Return the tiers of a binary TextGrid; DataError says what is wrong with it.

    Examples
    --------
    >>> parse_binary_textgrid(b"ooBinaryFile" + bytes([8]) + b"TextGrid" + bytes(17 + 4))
    []
    """
    part = _Bytes(data, path)
    kind = part.class_name()
    if kind.split()[:1] != ["TextGrid"]:
        raise part.error(f"holds a {kind!r}, not a TextGrid; select and save the TextGrid.")
    part.number()
    part.number()
    part.take(1)
    # Nothing is allocated from a count: one that lies runs into the end of the file.
    return [_parse_tier(part) for _ in range(part.unsigned(4))]


def _parse_tier(part: _Bytes) -> Tier:
    kind = part.class_name()
    if kind not in ("IntervalTier", "TextTier"):
        raise part.error(f"a tier is of class {kind!r}, must be IntervalTier or TextTier.")
    interval = kind == "IntervalTier"
    name = part.text()
    part.number()
    end = part.number()
    rows: list[tuple[str, float, float]] = []
    for _ in range(part.unsigned(4)):
        first = part.number()
        last = part.number() if interval else first
        rows.append((part.text(), first, last))
    return Tier.of_rows(name, rows, "interval" if interval else "point", end=end)
