"""A headless browser for tests, driven by the DevTools protocol over a pipe; no package is needed.

References
----------
https://chromedevtools.github.io/devtools-protocol/
"""

import base64
import contextlib
import json
import os
import select
import shutil
import signal
import time
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

KEYS = {
    " ": ("Space", 32, " "),
    "Enter": ("Enter", 13, "\r"),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "Escape": ("Escape", 27, ""),
    "Tab": ("Tab", 9, ""),
    "F2": ("F2", 113, ""),
    "Delete": ("Delete", 46, ""),
}
CTRL, SHIFT = 2, 8


def find_browser() -> str | None:
    """The browser that ALIGN_BROWSER names, else one that is installed; None where is none."""
    if os.name == "nt":  # the pipe is made as POSIX systems make it
        return None
    named = os.environ.get("ALIGN_BROWSER")
    if named:
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One browser with one page."""

    def __init__(self, executable: str, folder: Path, *flags: str) -> None:
        """Start it; `folder` takes its profile and its downloads."""
        import fcntl

        self.downloads = folder / "downloads"
        self.downloads.mkdir(parents=True)
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        nothing = os.open(os.devnull, os.O_RDWR)
        low = (to_read, to_write, nothing)  # any of them may be 3 or 4
        *high, null = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 50) for fd in low]
        for fd in low:
            os.close(fd)
        arguments = [
            executable,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--mute-audio",
            "--disable-background-networking",
            "--remote-debugging-pipe",
            f"--user-data-dir={folder / 'profile'}",
            *flags,
            "about:blank",
        ]
        self._pid = os.posix_spawn(
            executable,
            arguments,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, high[0], 3),
                (os.POSIX_SPAWN_DUP2, high[1], 4),
                (os.POSIX_SPAWN_DUP2, null, 1),
                (os.POSIX_SPAWN_DUP2, null, 2),
            ],
            setpgroup=0,
        )
        for fd in (*high, null):
            os.close(fd)
        self._buffer = b""
        self._next = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(1280, 860)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, TimeoutError):
            self._session = None
            self.call("Browser.close", timeout=5)
        for _ in range(50):
            if os.waitpid(self._pid, os.WNOHANG)[0]:
                break
            time.sleep(0.1)
        else:
            os.killpg(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._to)
        os.close(self._from)

    def call(self, method: str, *, timeout: float = 60.0, **params: Any) -> Any:
        """Call a method of the protocol and return its result."""
        number = self._send(method, params)
        until = time.monotonic() + timeout
        while True:
            answer = self._receive(until)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)
            if answer.get("method") == "Page.javascriptDialogOpening":  # the page waits for it
                self._send("Page.handleJavaScriptDialog", {"accept": True})

    def _send(self, method: str, params: dict[str, Any]) -> int:
        self._next += 1
        message: dict[str, Any] = {"id": self._next, "method": method, "params": params}
        if self._session and not method.startswith(("Browser.", "Target.")):
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        return self._next

    def _receive(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._from, 1 << 16)
            if not data:
                raise OSError("the browser has gone")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\0", 1)
        received: dict[str, Any] = json.loads(line)
        return received

    # A page ----------------------------------------------------------------------------------

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def prefer(self, scheme: str) -> None:
        """Let the system prefer ``light`` or ``dark``."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def open(self, page: Path | str) -> None:
        """Open a page of `align.show.page` or of the studio and wait until its sound is read."""
        self.visit(page)
        self.wait("!!window.alignPage")
        self.run("alignPage.ready")

    def visit(self, page: Path | str) -> None:
        """Open any page and wait until it is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        self.wait("document.readyState === 'complete'")

    def run(self, expression: str) -> Any:
        """Evaluate JavaScript, waiting for a promise."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", answer))
        return answer["result"].get("value")

    def wait(self, expression: str, timeout: float = 20.0) -> None:
        until = time.monotonic() + timeout
        while not self.run(f"Boolean({expression})"):
            if time.monotonic() > until:
                raise TimeoutError(expression)
            time.sleep(0.03)

    def mouse(
        self,
        kind: str,
        x: float,
        y: float,
        modifiers: int = 0,
        buttons: int = 0,
        clicks: int = 1,
    ) -> None:
        button = "none" if kind == "mouseMoved" and not buttons else "left"
        self.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            button=button,
            buttons=buttons,
            clickCount=clicks if kind != "mouseMoved" else 0,
            modifiers=modifiers,
        )

    def click(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, buttons=1)
        self.mouse("mouseReleased", x, y)

    def double_click(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        for clicks in (1, 2):
            self.mouse("mousePressed", x, y, buttons=1, clicks=clicks)
            self.mouse("mouseReleased", x, y, clicks=clicks)

    def write(self, text: str) -> None:
        """Type a text into the element that has the focus, as a keyboard or an input method."""
        self.call("Input.insertText", text=text)

    def click_on(self, selector: str) -> None:
        """Click on the middle of an element."""
        x, y = self.run(
            f"(() => {{ const b = document.querySelector({json.dumps(selector)})"
            ".getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.click(x, y)

    def drag(self, x: float, y: float, to: float, modifiers: int = 0) -> None:
        """Drag from a point to another x."""
        self.mouse("mouseMoved", x, y, modifiers)
        self.mouse("mousePressed", x, y, modifiers, buttons=1)
        for share in (0.3, 0.7, 1.0):
            self.mouse("mouseMoved", x + share * (to - x), y, modifiers, buttons=1)
        self.mouse("mouseReleased", to, y, modifiers)

    def wheel(self, x: float, y: float, by: float, modifiers: int = 0) -> None:
        self.call(
            "Input.dispatchMouseEvent",
            type="mouseWheel",
            x=x,
            y=y,
            deltaX=0,
            deltaY=by,
            modifiers=modifiers,
        )

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press and release a key."""
        code, number, text = KEYS[key] if key in KEYS else _typed(key)
        common = {
            "key": key,
            "code": code,
            "windowsVirtualKeyCode": number,
            "modifiers": modifiers,
        }
        if modifiers & CTRL:
            text = ""
        down = "keyDown" if text else "rawKeyDown"
        self.call("Input.dispatchKeyEvent", type=down, text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def saved(self, name: str, action: Any, timeout: float = 20.0) -> Path:
        """Do something that saves a file, and return the file."""
        path = self.downloads / name
        path.unlink(missing_ok=True)
        self.call(
            "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads)
        )
        action()
        until = time.monotonic() + timeout
        while not path.exists() or any(self.downloads.glob("*.crdownload")):
            if time.monotonic() > until:
                raise TimeoutError(f"{name} was not saved")
            time.sleep(0.03)
        return path

    def screenshot(self, path: Path) -> None:
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def complaints(self) -> list[str]:
        """Return errors and warnings that the page has caused, and connections it tried."""
        own = self.run("location.origin")
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif event.get("method") == "Log.entryAdded":
                found.append(str(params["entry"]))
            elif event.get("method") == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "blob:", "data:", f"{own}/")):
                    found.append(url)
        return found


def _typed(key: str) -> tuple[str, int, str]:
    return f"Key{key.upper()}", ord(key.upper()), key
