"""``align studio``: what it says where it cannot begin, and what it hands on."""

import shutil
import socket
import sys
from contextlib import nullcontext
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command_line import assert_refused, run

DATA = Path(str(files("align.data")))


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    folder = tmp_path / "recordings"
    folder.mkdir()
    for suffix in (".flac", ".TextGrid"):
        shutil.copy(DATA / f"kiwi{suffix}", folder)
    return folder


@pytest.mark.parametrize("package", ["starlette", "uvicorn"])
def test_what_to_install(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.startswith(("align.studio.", "starlette", "uvicorn")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    done = run("studio", tmp_path, tmp_path / "out")
    assert_refused(done, 2, 'pip install "margin-align[studio]"')
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_opened(recordings: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert_refused(run("studio", tmp_path / "nowhere", out, "--no-browser"), 1, "nowhere")
    assert_refused(run("studio", recordings, out, "--model", "no-such"), 1, "no-such")
    assert run("studio", recordings, out, "--port", "0").exit_code == 2
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert_refused(
            run("studio", recordings, out, "--port", port, "--no-browser"), 2, str(port)
        )


def test_what_is_handed_on(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    def serve(session: Any, root: Path, out: Path, **options: Any) -> None:
        seen.update(options, names=session.names, root=root, out=out)
        options["ready"]("http://127.0.0.1:1/token/")
        options["ending"]("learning")

    monkeypatch.setattr("align.studio.serving.serve", serve)
    done = run("studio", recordings, tmp_path / "out", "--no-learn", "--port", 8765)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == "http://127.0.0.1:1/token/\n"
    assert "lets only you in" in done.stderr
    assert "It ends after what it is doing now (learning); Ctrl-C again ends it at" in done.stderr
    assert seen["names"] == ["kiwi"]
    assert (seen["port"], seen["learn"], seen["open_browser"]) == (8765, False, True)


def test_corrections_whose_recordings_were_renamed_are_told(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Opened(nullcontext[None]):
        outdated, missing = (), [f"day/{k}" for k in range(12)]
        names, without_text, foreign = ["a", "b", "c"], ["a", "c"], ["b"]

    monkeypatch.setattr("align.studio.session.Session", lambda *args, **options: Opened())
    monkeypatch.setattr("align.studio.serving.serve", lambda *args, **options: None)
    done = run("studio", recordings, tmp_path / "out", "--model", "piano")
    assert "2 recordings of 3 without text: last in the list" in done.stderr
    assert "Warning: 12 recordings that you corrected cannot be found below" in done.stderr
    assert "day/9 and 2 more. The corrections are kept" in done.stderr
    assert "1 recording whose labels in" in done.stderr
    assert "has changed since: b. They are left alone" in done.stderr


@pytest.mark.parametrize(
    ("named", "model"),
    [
        (("Piano", "Piano"), "piano"),
        (("Piano", "Flute"), "piano"),
        (("Flute", "Piano", "Violin"), "ensemble"),
    ],
)
def test_pieces_take_the_model_of_most_scores(
    named: tuple[str, ...], model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    monkeypatch.setattr("align.studio.session.Session", lambda model, *a, **o: seen.append(model))
    for k, name in enumerate(named):
        piece = tmp_path / "pieces" / str(k)
        piece.mkdir(parents=True)
        (piece / "audio.wav").write_bytes(b"")
        part = f"<part-list><score-part><part-name>{name}</part-name></score-part></part-list>"
        (piece / "score.musicxml").write_text(part)
    done = run("studio", tmp_path / "pieces", tmp_path / "out", "--no-browser")
    assert seen == [model]
    n = sum(name != "Piano" for name in named)
    assert f"Model {model}: {n} of {len(named)} scores name" in done.stderr
    run("studio", tmp_path / "pieces", tmp_path / "out", "--model", "piano")
    assert seen[1:] == ["piano"]


def test_without_pieces_it_is_the_model_of_speech(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr("align.studio.session.Session", lambda model, *a, **o: seen.append(model))
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder in (recordings, empty, tmp_path / "nowhere"):
        run("studio", folder, tmp_path / "out")
    assert seen == ["speech-en"] * 3


def test_the_language_decides_the_model_as_in_other_commands(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr("align.studio.session.Session", lambda model, *a, **o: seen.append(model))
    done = run("studio", recordings, tmp_path / "out", "--language", "de")
    assert "The model is speech-de, since the language is 'de'" in done.stderr
    run("studio", recordings, tmp_path / "out", "--language", "sw")
    run("studio", recordings, tmp_path / "out", "--language", "de", "--model", "speech-any")
    assert seen == ["speech-de", "speech-any", "speech-any"]
