"""Who may ask the server: the page that it sent to a browser of this machine, and nobody else.

The server listens on the loopback address alone, but every user and every web page of this machine
reaches that. Hence each request must

* name this server in `Host`: a page of a name that was made to lead here (DNS rebinding) names its
  own;
* hold the token, 256 random bits, as the first part of its path;
* come from no other origin: not in `Origin`, nor in `Sec-Fetch-Site`, but for opening the page;
* where it changes something, be JSON, which no form of another page can send unasked, and not
  longer than `LARGEST` bytes.

The answers forbid the browser to run, load, send or keep anything else, and to show them to other
pages.

References
----------
https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
https://www.w3.org/TR/CSP3/ and https://www.w3.org/TR/fetch-metadata/
"""

import hmac

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 1 << 20
"""Bytes of a request."""

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Guard:
    """An application behind these checks; it sees paths without the token.

    Parameters
    ----------
    app : ASGI application
        What answers a request that passes.
    token : str
        First part of the path of every request.
    port : int
        Port of the server, which `Host` names.
    """

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; anything else, such as a WebSocket, is not listened to."""
        if scope["type"] != "http":
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        headers = Headers(scope=scope)
        token, slash, path = scope["path"][1:].partition("/")
        refused = self._who(headers, token if slash else "", path) or _what(scope, headers)
        if refused is None:
            inner = {**scope, "path": f"/{path}", "raw_path": None, "root_path": ""}
            await self._app(inner, receive, guarded)
        else:
            status, why = refused
            await JSONResponse({"error": why}, status)(scope, receive, guarded)

    def _who(self, headers: Headers, token: str, path: str) -> tuple[int, str] | None:
        """Status and reason where the asker is refused."""
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            return 421, "The request is for another host."
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token):
            return 404, "There is nothing here; open the address that align studio printed."
        if any(origin != f"http://{hosts[0]}" for origin in headers.getlist("origin")):
            return 403, "The request comes from another page."
        opens = path == "" and headers.get("sec-fetch-dest") == "document"
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none") and not opens:
            return 403, "The request comes from another page."
        return None


def _what(scope: Scope, headers: Headers) -> tuple[int, str] | None:
    """Status and reason where what is asked for is refused."""
    if scope["method"] in ("GET", "HEAD"):
        return None
    if scope["method"] != "POST":
        return 405, "Only GET and POST are answered."
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return 415, "The request must be JSON."
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdecimal()):  # the server reads no more than it says
        return 411, "The request must say how long it is."
    if int(length[:20]) > LARGEST:
        return 413, f"The request is longer than {LARGEST} bytes."
    return None
