"""Take the picture of the studio that `docs/studio.md` shows: ``python docs/figures/studio.py``.

Six recordings of the corpus to practise on are confirmed with their true times, as a person would.
It needs Chromium, and the extra `studio`.
"""

import sys
import tempfile
import threading
from pathlib import Path

import align
from align.cli.demo_corpus import write_demo_corpus
from align.studio.serving import prepared

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from devtools import Browser, find_browser  # noqa: E402

CONFIRMED = 6


def main() -> None:
    """Write ``studio.png`` beside this file."""
    executable = find_browser()
    if executable is None:
        raise SystemExit("There is no Chromium; install one, or name it in ALIGN_BROWSER.")
    with tempfile.TemporaryDirectory() as folder:
        write_demo_corpus(Path(folder, "practice"))
        recordings, out = Path(folder, "practice", "recordings"), Path(folder, "out")
        with align.Session("speech-en", recordings, out) as session:
            for _ in range(CONFIRMED):
                name = session.next()
                session.correct(name, recordings / f"{name}.TextGrid")
                session.learn()
            with prepared(session, recordings, out) as (address, server):
                sockets = [address.open_socket]
                thread = threading.Thread(target=server.run, kwargs={"sockets": sockets})
                thread.start()
                with Browser(executable, Path(folder, "browser")) as browser:
                    browser.resize(1200, 720)
                    browser.open(address.url)
                    for _ in range(4):
                        browser.press("ArrowRight")
                    browser.press(">")
                    browser.run("alignPage.idle()")
                    browser.wait("document.getElementById('aligning').textContent === ''")
                    browser.run("alignPage.settled()")
                    browser.screenshot(HERE / "studio.png")
                server.should_exit = True
                thread.join()


if __name__ == "__main__":
    main()
