"""Running ``align`` within the tests, and what every refusal looks like."""

from click.testing import CliRunner, Result

from align.cli import cli

__all__ = ["assert_refused", "run"]


def run(*args: object, stdin: str | None = None) -> Result:
    """Run a command."""
    return CliRunner().invoke(cli, [str(arg) for arg in args], input=stdin)


def assert_refused(result: Result, status: int, *words: str) -> None:
    """Check that there is one sentence, which holds the words, and no traceback."""
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output + result.stderr
    found = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert len(found) == 1, result.stderr
    assert found[0].endswith((".", "?"))
    for word in words:
        assert word in found[0]
