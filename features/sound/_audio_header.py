"""How many bytes of sound the header of an audio file promises.

libsndfile takes the size of the file where it is smaller than what the header declares, and says
nothing. The functions here read the declared size themselves, for the containers that have one:
RIFF WAV and its variants RIFX, RF64 and W64, AIFF, CAF, AU and NIST SPHERE. An Ogg file declares
no size, but flags its last page.
"""

import os
import struct
from typing import BinaryIO, NamedTuple

from align.errors import DataError

_MAX_CHUNKS = 10_000
_MAX_OGG_PAGE = 65_307
_OPEN_END = (0xFFFFFFFF, 0x7FFFF000)  # what FFmpeg and SoX declare where they write to a pipe
_TAGS = (b"LIST", b"ID3", b"id3 ", b"TAG", b"bext")  # what follows sound, even where it is cut off
_PADDING = 1 << 16  # bytes of zeros with which a recorder may fill up its last block
_W64_DATA = b"data" + bytes.fromhex("f3acd3118cd100c04f8edb8a")


class Extent(NamedTuple):
    """Where the samples begin in a file, and how many bytes of them the header declares.

    `beyond` bytes follow them that are nothing else, so the header declares too few.
    """

    start: int
    size: int
    beyond: int = 0


def declared_extent(stream: BinaryIO, path: str | os.PathLike[str]) -> Extent | None:
    """Read where the samples are said to be; None where the header does not say.

    `stream` is at its beginning. Raises DataError for SPHERE with compressed samples, which
    libsndfile cannot read.
    """
    head = stream.read(1024)
    kind, form = head[:4], head[8:12]
    if kind in (b"RIFF", b"RF64") and form == b"WAVE":
        return _chunk(stream, b"data", 12, "<4sI")
    if kind == b"RIFX" and form == b"WAVE":
        return _chunk(stream, b"data", 12, ">4sI")
    if kind == b"FORM" and form in (b"AIFF", b"AIFC"):
        return _chunk(stream, b"SSND", 12, ">4sI")
    if kind == b"caff":
        return _chunk(stream, b"data", 8, ">4sq", align=1)
    if kind == b"riff" and head[24:28] == b"wave":
        return _chunk(stream, _W64_DATA, 40, "<16sq", align=8, own_header=True)
    if kind == b".snd" and len(head) >= 12:
        start, size = struct.unpack(">II", head[4:12])
        return None if size == 0xFFFFFFFF else Extent(start, size)
    if head.startswith(b"NIST_1A"):
        return _sphere(head, path)
    return None


def _chunk(
    stream: BinaryIO,
    wanted: bytes,
    position: int,
    layout: str,
    align: int = 2,
    own_header: bool = False,
) -> Extent | None:
    """Walk chunks from `position` to the one with the samples.

    `layout` is that of a chunk's name and size; the next chunk begins at a multiple of `align`;
    With `own_header`, sizes count the header of the chunk itself.
    """
    length = struct.calcsize(layout)
    long_size = None
    for _ in range(_MAX_CHUNKS):
        stream.seek(position)
        header = stream.read(length)
        if len(header) < length:
            return None
        name, size = struct.unpack(layout, header)
        size -= length * own_header
        if name == b"ds64":  # RF64 keeps sizes beyond 4 GB here
            sizes = stream.read(16)
            long_size = struct.unpack("<Q", sizes[8:])[0] if len(sizes) == 16 else None
        if name == wanted:
            if size == 0xFFFFFFFF and long_size is not None:
                size = long_size
            if size < 0 or (length == 8 and size in _OPEN_END):  # -1: CAF of open end
                return None
            start = position + length
            return Extent(start, size, _beyond(stream, layout, start + size) if length == 8 else 0)
        if size < 0:
            return None
        position += length + size + -size % align
    return None


def _beyond(stream: BinaryIO, layout: str, end: int) -> int:
    """Return how many bytes follow the samples, or 0 if they are chunks, tags or padding.

    Where a recorder lost power, or wrote more bytes than 32 bits can count, the header declares
    less sound than there is.
    """
    total = stream.seek(0, os.SEEK_END)
    for at in (end, end + end % 2):  # not all writers fill up an odd size
        stream.seek(at)
        header = stream.read(8)
        if len(header) < 8 or header.startswith(_TAGS):
            return 0
        name, size = struct.unpack(layout, header)
        if at + 8 + size <= total and all(0x20 <= byte < 0x7F for byte in name):
            return 0
    stream.seek(end)
    rest = stream.read(_PADDING + 1)
    return total - end if len(rest) > _PADDING or any(rest) else 0


def _sphere(head: bytes, path: str | os.PathLike[str]) -> Extent | None:
    fields: dict[str, str] = {}
    for line in head.decode("latin-1").split("end_head")[0].splitlines():
        parts = line.split(None, 2)
        if len(parts) == 3 and parts[1].startswith("-"):
            fields[parts[0]] = parts[2].strip()
    coding = fields.get("sample_coding", "")
    if "embedded" in coding or "shorten" in coding:
        raise DataError(
            f"it is NIST SPHERE compressed as {coding!r}, which libsndfile cannot read; convert "
            "it with `sph2pipe -f wav IN OUT`.",
            path=path,
        )
    try:
        start = int(head[7:16].split()[0])
        width = int(fields.get("channel_count", "1")) * int(fields.get("sample_n_bytes", "2"))
        return Extent(start, width * int(fields["sample_count"]))
    except (ValueError, IndexError, KeyError):
        return None


def ogg_ends(stream: BinaryIO) -> bool:
    """Return whether the last page of an Ogg file is whole, and flagged as the last."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, size - 2 * _MAX_OGG_PAGE))
    tail = stream.read()
    at = tail.rfind(b"OggS")
    if at < 0 or len(tail) < at + 27:
        return False
    segments = tail[at + 27 : at + 27 + tail[at + 26]]
    whole = len(tail) >= at + 27 + tail[at + 26] + sum(segments)
    return whole and bool(tail[at + 5] & 4)


def states_mp3_length(stream: BinaryIO) -> bool:
    """Return whether an MP3 states its length; otherwise libsndfile estimates it."""
    head = stream.read(1 << 18)
    return any(tag in head for tag in (b"Xing", b"Info", b"VBRI"))
