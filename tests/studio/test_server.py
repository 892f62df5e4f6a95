"""The server of the studio: who is refused, what is answered, what is taken."""

import hmac
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import soundfile
from fake_session import DATA, FakeSession
from starlette.testclient import TestClient

from align.errors import DataError
from align.studio.background import Background
from align.studio.guard import LARGEST, Guard
from align.studio.server import studio_app
from align.studio.sounds import Sounds

PORT = 45678
TOKEN = "x" * 43
HOST = f"127.0.0.1:{PORT}"
OWN = f"http://{HOST}"
EDIT = {"do": "relabel", "tier": "phones", "id": 3, "label": "zz"}


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(("kiwi", "b/kiwi"))


@pytest.fixture
def client(session: FakeSession, tmp_path: Path) -> Iterator[TestClient]:
    with Sounds() as sounds, Background(session) as background:
        app = studio_app(
            session,
            sounds,
            background,
            recordings=DATA,
            exports=tmp_path / "export",
            token=TOKEN,
            port=PORT,
        )
        yield TestClient(app, base_url=OWN, raise_server_exceptions=False)


def post(client: TestClient, path: str, body: Any, **headers: str) -> Any:
    sent = {"content-type": "application/json", **headers}
    content = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(f"/{TOKEN}/api/{path}", content=content, headers=sent)


# Who is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["", "studio.js", "studio.css", "api/queue", "api/audio?name=kiwi"]
)
def test_the_page_itself_is_answered(client: TestClient, path: str) -> None:
    for host in (HOST, f"localhost:{PORT}"):
        assert client.get(f"/{TOKEN}/{path}", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/queue",
        f"/{TOKEN}",
        f"/{TOKEN[:-1]}/",
        f"/{TOKEN}x/",
        f"/{TOKEN.upper()}/",
        "/%C3%A9/",
        f"//{TOKEN}/",
        f"/api/../{TOKEN}x/",
    ],
)
def test_without_the_token_there_is_nothing(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


def test_the_token_is_compared_in_constant_time(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    same = hmac.compare_digest

    def spy(a: bytes, b: bytes) -> bool:
        asked.append((a, b))
        return same(a, b)

    monkeypatch.setattr("align.studio.guard.hmac.compare_digest", spy)
    client.get("/guess/")
    assert asked == [(b"guess", TOKEN.encode())]


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.2:{PORT}",
     f"localhost:{PORT}.evil.example", f"[::1]:{PORT}", ""],
)  # fmt: skip
def test_a_name_that_was_made_to_lead_here_is_refused(client: TestClient, host: str) -> None:
    assert client.get(f"/{TOKEN}/api/queue", headers={"host": host}).status_code == 421
    assert post(client, "edit", {}, host=host).status_code == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "", f"https://{HOST}", "http://127.0.0.1:1",
     f"http://localhost:{PORT}", f"{OWN}.evil.example"],
)  # fmt: skip
def test_another_origin_is_refused(client: TestClient, origin: str, session: FakeSession) -> None:
    body = {"name": "kiwi", "revision": 1, "action": EDIT}
    assert post(client, "edit", body, origin=origin).status_code == 403
    assert client.get(f"/{TOKEN}/api/queue", headers={"origin": origin}).status_code == 403
    assert session.view("kiwi")["revision"] == 1
    assert post(client, "edit", body, origin=OWN).status_code == 200


def test_what_the_browser_says_of_the_asking_page_counts(client: TestClient) -> None:
    for site in ("cross-site", "same-site"):
        sent = {"sec-fetch-site": site}
        assert client.get(f"/{TOKEN}/api/queue", headers=sent).status_code == 403
        assert client.get(f"/{TOKEN}/studio.js", headers=sent).status_code == 403
        opens = {**sent, "sec-fetch-dest": "document"}
        assert client.get(f"/{TOKEN}/", headers=opens).status_code == 200  # from a file or a mail
        framed = {**sent, "sec-fetch-dest": "iframe"}
        assert client.get(f"/{TOKEN}/", headers=framed).status_code == 403
    own = {"sec-fetch-site": "same-origin"}
    assert client.get(f"/{TOKEN}/api/queue", headers=own).status_code == 200


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"]
)
def test_what_a_form_can_send_is_refused(client: TestClient, kind: str) -> None:
    assert post(client, "edit", {}, **{"content-type": kind}).status_code == 415


def test_other_methods_are_refused(client: TestClient) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
        answer = client.request(method, f"/{TOKEN}/api/edit")
        assert answer.status_code == 405
        assert not [name for name in answer.headers if name.startswith("access-control")]
    assert client.get(f"/{TOKEN}/api/edit").status_code == 405
    assert post(client, "queue", {}).status_code == 405


def test_sizes_are_limited(client: TestClient) -> None:
    assert post(client, "edit", b"x" * (LARGEST + 1)).status_code == 413
    assert post(client, "edit", b"x" * LARGEST).status_code == 422
    parts = iter([b"{}"])  # without a length
    answer = client.post(
        f"/{TOKEN}/api/edit", content=parts, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 411


def test_websockets_are_not_listened_to() -> None:
    """The guard sends nothing, and lets nothing through to the application."""
    passed = []

    async def app(*arguments: Any) -> None:
        passed.append(arguments)

    guarded: Any = Guard(app, TOKEN, PORT)({"type": "websocket"}, None, None)  # type: ignore[arg-type]
    with pytest.raises(StopIteration):
        guarded.send(None)
    assert passed == []


@pytest.mark.parametrize(
    "path", ["", "studio.js", "api/queue", "api/nothing", "api/audio?name=no"]
)
def test_every_answer_forbids_what_is_not_needed(client: TestClient, path: str) -> None:
    answer = client.get(f"/{TOKEN}/{path}")
    policy = dict(
        part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert set(policy.values()) == {"'none'", "'self'"}  # nothing inline, nothing of others
    assert policy["frame-ancestors"] == "'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert "set-cookie" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_page_holds_no_script_of_its_own_nor_of_others(client: TestClient) -> None:
    page = client.get(f"/{TOKEN}/").text
    assert page.count("<script") == 1
    assert '<script src="studio.js"></script>' in page
    assert " style=" not in page
    assert "//" not in page.replace("<!doctype", "")  # no address of anywhere


# What is answered -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "nothing", "../kiwi", "/etc/passwd", "kiwi/", "KIWI", "kiwi\0", "%2e%2e"]
)
def test_names_are_those_of_the_session(client: TestClient, name: str) -> None:
    for what in ("recording", "audio"):
        answer = client.get(f"/{TOKEN}/api/{what}", params={"name": name})
        assert answer.status_code == 422
        assert "no recording of that name" in answer.json()["error"]
    answer = post(client, "confirm", {"name": name, "revision": 1})
    assert answer.status_code == 422


def test_what_the_session_says_is_passed_on(client: TestClient, session: FakeSession) -> None:
    assert client.get(f"/{TOKEN}/api/queue").json() == session.queue()
    assert client.get(f"/{TOKEN}/api/next").json() == {"name": "kiwi"}
    found = client.get(f"/{TOKEN}/api/recording", params={"name": "b/kiwi"}).json()
    assert found == session.view("b/kiwi")
    progress = client.get(f"/{TOKEN}/api/progress").json()
    assert progress["errors_per_100"] == session.progress()["errors_per_100"]
    assert progress["learns"]
    assert progress["problem"] is None


def test_sound_is_the_very_samples_and_comes_in_ranges(client: TestClient, tmp_path: Path) -> None:
    address = f"/{TOKEN}/api/audio?name=kiwi"
    whole = client.get(address)
    assert whole.headers["content-type"] == "audio/flac"
    (tmp_path / "heard.flac").write_bytes(whole.content)
    heard, rate = soundfile.read(tmp_path / "heard.flac")
    there, there_rate = soundfile.read(DATA / "kiwi.flac")
    assert (heard == there).all()
    assert str(rate) == str(there_rate) == whole.headers["audio-rate"]
    part = client.get(address, headers={"range": "bytes=100-199"})
    assert part.status_code == 206
    assert part.content == whole.content[100:200]


def test_a_change_is_made_once(client: TestClient, session: FakeSession) -> None:
    body = {"name": "kiwi", "revision": 1, "action": EDIT}
    first = post(client, "edit", body)
    assert first.status_code == 200
    assert first.json() == session.view("kiwi")
    assert first.json()["tiers"][0]["intervals"][3]["label"] == "zz"
    again = post(client, "edit", body)  # another window, or an answer that was lost
    assert again.status_code == 409
    assert again.json() == {
        "error": "kiwi was changed in another window.",
        "view": session.view("kiwi"),
    }
    assert session.view("kiwi")["revision"] == 2


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("edit", "{", "JSON object"),
        ("edit", "[" * 100_000, "JSON object"),
        ("edit", [1], "JSON object"),
        ("edit", {"name": "kiwi", "action": EDIT}, "revision"),
        ("edit", {"name": "kiwi", "action": EDIT, "revision": "1"}, "revision"),
        ("edit", {"name": "kiwi", "action": EDIT, "revision": True}, "revision"),
        ("edit", {"name": "kiwi", "revision": 1}, "action"),
        ("edit", {"name": "kiwi", "revision": 1, "action": {"do": "move", "id": 3, "to": 99.0}},
         "pass its neighbour"),
        ("edit", {"name": ["kiwi"], "revision": 1}, "name"),
        ("undo", {"name": "kiwi", "revision": 1}, "nothing to undo"),
    ],
)  # fmt: skip
def test_what_is_refused_is_told_in_a_sentence(
    client: TestClient, session: FakeSession, path: str, body: Any, says: str
) -> None:
    answer = post(client, path, body)
    assert answer.status_code == 422
    assert says in answer.json()["error"]
    assert session.view("kiwi")["revision"] == 1


def test_a_full_disk_is_told(client: TestClient) -> None:
    answer = post(client, "edit", {"name": "kiwi", "revision": 1, "action": {"do": "disk full"}})
    assert answer.status_code == 507
    assert "Nothing was changed" in answer.json()["error"]
    assert "No space left" in answer.json()["error"]


def test_undo_confirm_and_export(client: TestClient, session: FakeSession, tmp_path: Path) -> None:
    for revision in (1, 2):
        post(client, "edit", {"name": "kiwi", "revision": revision, "action": EDIT})
    assert post(client, "undo", {"name": "kiwi", "revision": 3}).json()["revision"] == 4
    assert post(client, "confirm", {"name": "kiwi", "revision": 4}).json()["state"] == "confirmed"
    for number in ("1", "2"):
        folder = post(client, "export", {"report": True}).json()["folder"]
        assert Path(folder) == tmp_path / "export" / number
        assert (Path(folder) / "model.align").exists()
    assert [report for _, report in session.exported] == [True, True]


def test_half_an_export_does_not_stay(
    client: TestClient, session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, *, report: bool) -> None:
        (path / "model.align").write_bytes(b"model")
        raise DataError("cannot be written: No space left on device.", path=str(path))

    monkeypatch.setattr(session, "export", full)
    assert post(client, "export", {}).status_code == 422
    assert list((tmp_path / "export").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_out_of_the_folder_is_not_followed(
    client: TestClient, session: FakeSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.flac").write_bytes((DATA / "kiwi.flac").read_bytes())
    monkeypatch.setattr(session, "audio", lambda name: tmp_path / "secret.flac")
    answer = client.get(f"/{TOKEN}/api/audio", params={"name": "kiwi"})
    assert answer.status_code == 422
    assert "outside the folder of recordings" in answer.json()["error"]


# Learning ---------------------------------------------------------------------------------------


def test_what_is_confirmed_is_learnt_from_in_the_background(session: FakeSession) -> None:
    session.pending = ["left by an earlier run"]
    with Background(session) as background:
        session.pending.append("kiwi")
        background.wake()
        for _ in range(1000):
            if len(session.learnt) == 2:
                break
            background._thread.join(0.005)
    assert set(session.learnt) == {"left by an earlier run", "kiwi"}


def test_what_has_to_come_to_its_end_is_told() -> None:
    begun, told = threading.Event(), threading.Event()

    class Slow(FakeSession):
        def learn(self) -> dict[str, Any]:
            begun.set()
            return {} if told.wait(10) else {"never": "told"}

    seen: list[str] = []
    with Background(Slow(), ending=lambda doing: (seen.append(doing), told.set())):
        assert begun.wait(10)
    assert seen == ["learning"]


@pytest.mark.parametrize("error", [ZeroDivisionError("by nothing"), ValueError("odd")])
def test_learning_that_fails_is_told_and_goes_on(error: Exception) -> None:
    class Failing(FakeSession):
        def learn(self) -> dict[str, Any]:
            if self.pending == ["bad"]:
                self.pending = []
                raise error
            return super().learn()

    session = Failing()
    session.pending = ["bad"]
    with Background(session) as background:
        while background.problem is None:
            background._thread.join(0.005)
        assert str(error) in background.problem
        session.pending = ["good"]
        background.wake()
        while not session.learnt:
            background._thread.join(0.005)
    assert background.problem is None


def test_encoded_recordings_are_few_and_removed(tmp_path: Path) -> None:
    rate = 8000
    with Sounds() as sounds:
        paths = []
        for k in range(18):
            soundfile.write(tmp_path / f"{k}.wav", [0.1 * k / 18] * 80, rate)
            paths.append(sounds.of(tmp_path / f"{k}.wav")[0])
        assert [path.exists() for path in paths] == [False, False] + [True] * 16
        assert sounds.of(tmp_path / "17.wav")[0] == paths[-1]
        soundfile.write(tmp_path / "17.wav", [0.0] * 160, rate)  # another one of that name
        assert sounds.of(tmp_path / "17.wav")[0] != paths[-1]
    assert not paths[-1].exists()
