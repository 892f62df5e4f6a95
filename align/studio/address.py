"""The address of a studio: a port of this machine, and a token that nobody can guess.

While a studio runs, its address is kept in a file that only its user can read. A studio that ends
takes it away; one that was killed leaves it behind, and the next takes it up, so that a page which
is still open goes on where it was.
"""

import os
import secrets
import socket
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from align.errors import DataError, ParameterError

_HOST = "127.0.0.1"
_BYTES = 32  # of the token


class Address(NamedTuple):
    """A socket that listens, its port, the token, and where they are kept."""

    open_socket: socket.socket
    port: int
    token: str
    file: Path

    @property
    def url(self) -> str:
        """What a browser opens."""
        return f"http://{_HOST}:{self.port}/{self.token}/"

    @classmethod
    def take(cls, file: Path, port: int = 0) -> "Address":
        """Take up the address in `file`, or a new one.

        Parameters
        ----------
        file : path
            Where the address is kept.
        port : int
            Which port; 0 for the one in `file`, or a free one.

        Raises
        ------
        ParameterError
            If the port is in use or not allowed.
        DataError
            If the file cannot be written.
        """
        known, token = _read(file)
        open_socket = _opened(known) if token and port in (0, known) else None
        if open_socket is None:
            token, open_socket = secrets.token_urlsafe(_BYTES), _opened(port)
        if open_socket is None:
            raise ParameterError(f"port {port} is in use or not allowed; choose another, or none.")
        address = cls(open_socket, open_socket.getsockname()[1], token, file)
        try:
            _write(file, f"{address.port} {token}\n")
        except OSError as error:
            open_socket.close()
            raise DataError(
                f"cannot be written: {error.strerror}; choose another folder.", path=file
            ) from None
        return address

    def release(self) -> None:
        """Close the socket and forget the address."""
        self.open_socket.close()
        self.file.unlink(missing_ok=True)


def _read(file: Path) -> tuple[int, str]:
    """Port and token; the token is empty where there is none that nobody else could know."""
    with suppress(OSError, ValueError):
        # On Windows modes say nothing: the folders of a user are closed to others there.
        if file.is_symlink() or (os.name == "posix" and file.stat().st_mode & 0o077):
            return 0, ""
        port, token = file.read_text("ascii").split()
        if len(token) == len(secrets.token_urlsafe(_BYTES)):
            return int(port), token
    return 0, ""


def _write(file: Path, text: str) -> None:
    file.unlink(missing_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(text)


def _opened(port: int) -> socket.socket | None:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if os.name == "posix":  # a port whose last connections are ending is free
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((_HOST, port))
        found.listen(64)
    except (OSError, OverflowError):
        with closing(found):
            return None
    return found
