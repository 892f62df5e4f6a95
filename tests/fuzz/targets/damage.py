"""How whole files are damaged: bytes removed, replaced or doubled, and values that are special."""

__all__ = ["KINDS", "SPECIAL", "Edit", "damaged"]

SPECIAL = (
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"1e999", b"-1e999", b"nan", b"9" * 400, b"1e-320",
    b"\x80",
    b'"', b"'", b"<", b"&x;", b"\xf0\x9f\x98\x80", b"\t", b"\n", b"\r", b"0", b"-", b"[" * 300,
    b"{" * 300, b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x00\x00\x00\x00", b"\xff" * 16,
    b"\xe2\x80\xa8", b"1_0", "\u0661".encode(), b",", b";", b"(", b"<!ENTITY x 'y'>", b"%",
)  # fmt: skip
KINDS = ("cut", "put", "double", "end")
Edit = tuple[str, int, int, bytes]
"""What is done (of `KINDS`), where, to how many bytes, and the new ones."""


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
