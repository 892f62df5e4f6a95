"""Work in the background: one thread that learns, and aligns anew what waits, when it is woken."""

import threading
from collections.abc import Callable
from typing import Any, Protocol

from align.errors import AlignError


class Works(Protocol):
    """What works: a session."""

    def learn(self) -> dict[str, Any]:
        """Make one update; empty where nothing is pending."""

    def prepare(self) -> str | None:
        """Align one recording that waits; None for none left."""


class Background:
    """A thread that learns while something is pending, then aligns what waits.

    It does so each time it is woken. What fails is said in `problem` and ends the round; the
    thread goes on with the next. It is no daemon: leaving the context waits for what runs, so that
    nothing is left half done. `ending` is called with what that is.

    Attributes
    ----------
    doing : {"", "learning", "aligning"}
        What it does now.
    aligned : int
        How many recordings it has aligned.
    problem : str or None
        Why it stopped last.
    """

    def __init__(
        self,
        session: Works,
        *,
        learn: bool = True,
        ending: Callable[[str], None] = lambda doing: None,
    ) -> None:
        self.learns = learn
        self._ending = ending
        self.doing = ""
        self.aligned = 0
        self.problem: str | None = None
        self._session = session
        self._woken = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="align-studio")

    def __enter__(self) -> "Background":
        self._thread.start()
        self.wake()  # what an earlier run left
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopped = True
        self._woken.set()
        if doing := self.doing:
            self._ending(doing)
        self._thread.join()

    def wake(self) -> None:
        """Let the thread look whether there is something to do."""
        self._woken.set()

    def _run(self) -> None:
        while self._woken.wait() and not self._stopped:
            self._woken.clear()
            try:
                while not self._stopped and self._one():
                    self.problem = None
            except AlignError as error:
                self.problem = str(error)
            except Exception as error:  # whatever it is, corrections go on and the page says it
                self.problem = f"{type(error).__name__}: {error}"
            finally:
                self.doing = ""

    def _one(self) -> bool:
        """Do one thing; False where there is nothing to do."""
        if self.learns:
            self.doing = "learning"
            if self._session.learn():
                return True
        self.doing = "aligning"
        if self._session.prepare() is None:
            return False
        self.aligned += 1
        return True
