"""Names of recordings, wherever the file that says them was made."""

from pathlib import PurePath, PureWindowsPath

__all__ = ["name_of"]


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
