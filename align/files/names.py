"""Names of files, and of recordings wherever the file that says them was made."""

import os
import unicodedata
from pathlib import PurePath, PureWindowsPath
from typing import TypeAlias

StrPath: TypeAlias = str | os.PathLike[str]
"""What may name a file."""


def comparable(name: str) -> str:
    r"""Return a name as names of files are compared: case, and how accents are stored, are alike.

    macOS stores the accents of names apart from their letters, other systems mostly together.

    Examples
    --------
    >>> comparable("Zoe\u0308"), comparable("ZO\u00cb")
    ('zoë', 'zoë')
    """
    return unicodedata.normalize("NFC", name.casefold())


def suffix_of(path: StrPath) -> str:
    """Return what the name of a file ends in, from its last dot on, in lower case.

    Examples
    --------
    >>> suffix_of("talks.2/A.TextGrid"), suffix_of("README")
    ('.textgrid', '')
    """
    return os.path.splitext(os.fspath(path))[1].lower()


def name_of(path: str) -> str:
    r"""Return the name of a file without its folders, of a path of any system.

    Results that were made on Windows say its paths, and are read elsewhere.

    Examples
    --------
    >>> name_of("talks/a.wav"), name_of(r"C:\talks\a.wav"), name_of("a:b.wav")
    ('a.wav', 'a.wav', 'a:b.wav')
    """
    name = PurePath(path).name
    return PureWindowsPath(name).name if "\\" in name else name
