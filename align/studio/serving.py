"""Running the server until it is asked to end, and opening its page."""

import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from align.files.names import StrPath
from align.studio.address import Address
from align.studio.background import Background
from align.studio.server import studio_app
from align.studio.sounds import Sounds

if TYPE_CHECKING:
    from align.studio.session import Session

_PATIENCE = 3  # seconds that requests get to end


def serve(
    session: "Session",
    recordings: StrPath,
    out: StrPath,
    *,
    port: int = 0,
    learn: bool = True,
    open_browser: bool = True,
    ready: Callable[[str], None] = lambda url: None,
    ending: Callable[[str], None] = lambda doing: None,
) -> None:
    """Serve a session until the process is interrupted.

    Parameters
    ----------
    session : Session
        What is corrected; it is not closed.
    recordings, out : path
        Its folders; the address is kept in ``OUT/studio/address`` while the server runs.
    port : int
        Which port; 0 for a free one.
    learn : bool
        Learn from what is confirmed, in a thread.
    open_browser : bool
        Open the page.
    ready : callable
        Called with the address when the server can be reached.
    ending : callable
        Called with what has to come to its end, where there is anything when it is interrupted.

    Raises
    ------
    ParameterError
        If the port cannot be used.
    DataError
        If the folder cannot be written.
    """
    with ExitStack() as stack:
        made = prepared(session, recordings, out, port=port, learn=learn, ending=ending)
        address, server = stack.enter_context(made)
        ready(address.url)  # the socket listens; what comes now waits
        if open_browser:
            stack.enter_context(_opened(address.url))
        with suppress(KeyboardInterrupt):  # the way to end it
            server.run(sockets=[address.open_socket])


@contextmanager
def prepared(
    session: "Session",
    recordings: StrPath,
    out: StrPath,
    *,
    port: int = 0,
    learn: bool = True,
    ending: Callable[[str], None] = lambda doing: None,
) -> Iterator[tuple[Address, uvicorn.Server]]:
    """Yield an address that listens, and a server that is ready to run on its socket.

    Parameters and errors are those of `serve`.
    """
    with ExitStack() as stack:
        address = Address.take(Path(out, "studio", "address"), port)
        stack.callback(address.release)
        sounds = stack.enter_context(Sounds())
        background = stack.enter_context(Background(session, learn=learn, ending=ending))
        app = studio_app(
            session,
            sounds,
            background,
            recordings=recordings,
            exports=Path(out, "export"),
            token=address.token,
            port=address.port,
        )
        config = uvicorn.Config(
            app,
            log_level="error",  # not of requests: they hold the token
            lifespan="off",
            ws="none",
            proxy_headers=False,  # nobody stands between
            server_header=False,
            timeout_graceful_shutdown=_PATIENCE,
        )
        yield address, uvicorn.Server(config)


@contextmanager
def _opened(url: str) -> Iterator[None]:
    """Open a page in the browser, whose arguments every user of this machine can read.

    Hence the browser is given a file of this user alone that leads on to the address.
    """
    with tempfile.TemporaryDirectory(prefix="align-studio-") as folder:
        file = Path(folder, "open.html")
        file.write_text(
            '<!doctype html><meta charset="utf-8"><title>Align studio</title>'
            f'<meta http-equiv="refresh" content="0; url={escape(url)}">',
            encoding="utf-8",
        )
        threading.Thread(target=webbrowser.open, args=(file.as_uri(),), daemon=True).start()
        yield
