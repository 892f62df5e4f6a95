"""The server of the studio: a session over HTTP, for one page, on this machine.

=====================================  ==========================================================
request                                answer
=====================================  ==========================================================
``GET /``, ``studio.js``, ``.css``     the page
``GET api/queue``, ``api/progress``    `Session.queue`, `Session.progress` with who is learning
``GET api/next``                       the name most worth a look
``GET api/recording?name=``            `Session.view`
``GET api/audio?name=``                FLAC, also in ranges; its rate in Hz in ``Audio-Rate``
``POST api/edit|undo|redo|confirm``    ``{"name", "revision", "action"}``; the new view
``POST api/export``                    ``{"report"}``; where the files are
=====================================  ==========================================================

An old revision is answered with 409 and the newest view, refused input with 422 and one sentence,
a disk that takes nothing more with 507. All this lies below ``/TOKEN/``; see `align.studio.guard`.
"""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from align.errors import AlignError, DataError, ParameterError
from align.files.names import StrPath
from align.studio.background import Background
from align.studio.guard import Guard
from align.studio.page import document, icon, script, style
from align.studio.revision import StaleRevision
from align.studio.sounds import Sounds

if TYPE_CHECKING:
    from align.studio.session import Session

_CHANGES = ("edit", "undo", "redo", "confirm")


def studio_app(
    session: "Session",
    sounds: Sounds,
    background: Background,
    *,
    recordings: StrPath,
    exports: StrPath,
    token: str,
    port: int,
) -> ASGIApp:
    """Return the ASGI application that serves a session.

    Encoded recordings are kept in `sounds`; `background` learns, and aligns what waits. Nothing
    that lies elsewhere than in `recordings` is served, and each export gets a folder of its own in
    `exports`, counted from 1. `token` and `port` are those of `Guard`.
    """
    answers = _Answers(session, sounds, background, Path(recordings), Path(exports))
    routes = [
        Route("/", answers.page),
        Route("/studio.js", lambda request: Response(script(), media_type="text/javascript")),
        Route("/icon.svg", lambda request: Response(icon(), media_type="image/svg+xml")),
        Route("/studio.css", lambda request: Response(style(), media_type="text/css")),
        *(
            Route(f"/api/{name}", getattr(answers, name))
            for name in ("queue", "next", "progress", "recording", "audio")
        ),
        *(Route(f"/api/{name}", answers.change, methods=["POST"]) for name in _CHANGES),
        Route("/api/export", answers.export, methods=["POST"]),
    ]
    handlers: dict[Any, Any] = {AlignError: _refused, OSError: _not_written}
    return Guard(Starlette(routes=routes, exception_handlers=handlers), token, port)


class _Answers:
    """What each address answers; the session is asked in threads, so that none has to wait."""

    def __init__(
        self,
        session: "Session",
        sounds: Sounds,
        background: Background,
        recordings: Path,
        exports: Path,
    ) -> None:
        self._session, self._sounds, self._background = session, sounds, background
        self._recordings, self._exports = recordings.resolve(), exports

    def page(self, request: Request) -> Response:
        return Response(document(), media_type="text/html")

    def queue(self, request: Request) -> Response:
        return JSONResponse(self._session.queue())

    def next(self, request: Request) -> Response:
        return JSONResponse({"name": self._session.next()})

    def progress(self, request: Request) -> Response:
        at_work = self._background
        about = {
            "learns": at_work.learns,
            "doing": at_work.doing,
            "aligned": at_work.aligned,
            "problem": at_work.problem,
        }
        return JSONResponse({**self._session.progress(), **about})

    def recording(self, request: Request) -> Response:
        return JSONResponse(self._session.view(self._named(request.query_params.get("name"))))

    def audio(self, request: Request) -> Response:
        name = self._named(request.query_params.get("name"))
        if not self._session.audio(name).resolve().is_relative_to(self._recordings):
            raise DataError("lies outside the folder of recordings; copy it there.", path=name)
        path, rate = self._sounds.of(self._session.sound(name))
        return FileResponse(path, media_type="audio/flac", headers={"Audio-Rate": str(rate)})

    async def change(self, request: Request) -> Response:
        body = await _body(request)
        name, revision = self._named(body.get("name")), body.get("revision")
        if type(revision) is not int:
            raise ParameterError("revision is missing; it must be a whole number.")
        what = request.url.path.rpartition("/")[2]
        arguments: list[Any] = [name]
        if what == "edit":
            action = body.get("action")
            if not isinstance(action, dict):
                raise ParameterError("action is missing; it must be an object.")
            arguments.append(action)
        change: Callable[..., Any] = getattr(self._session, what)
        try:
            view = await run_in_threadpool(change, *arguments, revision=revision)
        except StaleRevision as error:
            newest = await run_in_threadpool(self._session.view, name)
            return JSONResponse({"error": str(error), "view": newest}, 409)
        self._background.wake()
        return JSONResponse(view)

    async def export(self, request: Request) -> Response:
        body = await _body(request)
        report = body.get("report", False) is True
        folder = await run_in_threadpool(_new_folder, self._exports)
        try:
            await run_in_threadpool(self._session.export, folder, report=report)
        except BaseException:  # half an export looks like a whole one
            rmtree(folder, ignore_errors=True)
            raise
        return JSONResponse({"folder": str(folder)})

    def _named(self, name: Any) -> str:
        """Return a name that the session itself has listed; there is no other way to a file."""
        if not isinstance(name, str) or name not in self._session.names:
            raise ParameterError("There is no recording of that name in this session.")
        return name


def _new_folder(parent: Path) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        with suppress(FileExistsError):
            folder = parent / str(number)
            folder.mkdir()
            return folder
    raise AssertionError("numbers do not end")


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = await request.json()
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise ParameterError("The request must be a JSON object.")
    return body


def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 422)


def _not_written(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": f"Nothing was changed: {error}"}, 507)
