"""Learning in the background: one thread that learns from what was confirmed, when it is woken."""

import threading
from typing import Any, Protocol

from align.errors import AlignError

__all__ = ["Learns", "Teaching"]


class Learns(Protocol):
    """What learns: a session."""

    def learn(self) -> dict[str, Any]:
        """Make one update; empty where nothing is pending."""


class Teaching:
    """A thread that calls `learn` until nothing is pending, each time it is woken.

    An update that fails is told in `problem` and ends the round; the thread goes on with the next.
    It is no daemon: `close` waits for the update that runs, so that nothing is left half done.
    """

    def __init__(self, session: Learns) -> None:
        self.problem: str | None = None
        self.learning = False
        self._session = session
        self._woken = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="align-studio-learning")

    def __enter__(self) -> "Teaching":
        self._thread.start()
        self.wake()  # what an earlier run left
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopped = True
        self._woken.set()
        self._thread.join()

    def wake(self) -> None:
        """Let the thread look whether there is something to learn."""
        self._woken.set()

    def _run(self) -> None:
        while self._woken.wait() and not self._stopped:
            self._woken.clear()
            self.learning = True
            try:
                while not self._stopped and self._session.learn():
                    self.problem = None
            except AlignError as error:
                self.problem = str(error)
            except Exception as error:  # whatever it is, corrections go on and the page tells it
                self.problem = f"{type(error).__name__}: {error}"
            finally:
                self.learning = False
