"""Every ``--help``, in a terminal of 80 columns."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from align.cli import cli


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Name every command, the groups among them."""
    yield path
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name)


def found(path: tuple[str, ...]) -> click.Command:
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    return command


@pytest.mark.parametrize("path", [*commands(cli)], ids=lambda path: " ".join(("align", *path)))
def test_help_fits_80_columns_and_keeps_its_examples(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(cli, [*path, "--help"], terminal_width=80)
    assert result.exit_code == 0
    assert "\\b" not in result.output
    assert "\b" not in result.output
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= 80, [line for line in lines if len(line) > 80]
    examples = [line for line in str(found(path).help).splitlines() if line.startswith("align ")]
    assert set(examples) <= {line.removeprefix("  ") for line in lines}


def test_the_walk_finds_commands_of_groups():
    assert {("speech",), ("train", "music"), ("corpus", "speech")} <= {*commands(cli)}
