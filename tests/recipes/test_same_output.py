"""The recipe that compares what two installations write."""

from pathlib import Path

import pytest
from scripts import script

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "recipes" / "same_output" / "run.py"


@pytest.fixture(scope="module")
def recipe():
    return script(PATH)


@pytest.mark.parametrize(
    ("name", "one", "other", "same"),
    [
        ("a.csv", b"1\n", b"1\n", True),
        ("a.csv", b"1\n", b"2\n", False),
        (
            "a.json",
            b'{"real_time_factor": 0.1, "n": 2}',
            b'{"real_time_factor": 3e-1, "n": 2}',
            True,
        ),
        (
            "a.json",
            b'{"real_time_factor": 0.1, "n": 2}',
            b'{"real_time_factor": 0.1, "n": 3}',
            False,
        ),
        ("a.json", b'"/old/data/a.wav"', b'"/new/data/a.wav"', True),
        ("a.csv", b'"/old/data/a.wav"', b'"/new/data/a.wav"', False),
        ("said/1.txt", b"Aligning a ...\nok\n", b"ok\n", True),
        ("said/1.txt", b"aligning: 3 of 8\nok\n", b"aligning: 4 of 8\nok\n", True),
        (
            "said/1.txt",
            b"22.6 s of recordings in 10 s, 2 times as fast as they play\n",
            b"22.6 s of recordings in 12 s\n",
            True,
        ),
        ("said/1.txt", b"ok\n", b"not ok\n", False),
    ],
)
def test_files_that_differ(recipe, tmp_path, name, one, other, same):
    for folder, data in (("before", one), ("after", other)):
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
    packages = Path("/old/data"), Path("/new/data")
    found = recipe.differing(tmp_path / "before", tmp_path / "after", packages)
    assert found == ([] if same else [f"differs: {name}"])


def test_files_of_one_side_only(recipe, tmp_path):
    for name in ("before/a", "after/b", "after/.journal/c"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = recipe.differing(tmp_path / "before", tmp_path / "after", (Path("/x"), Path("/y")))
    assert found == ["only before: a", "only after: b"]


def test_every_format_is_written_and_converted(recipe, tmp_path):
    from align.formats import LABEL_FORMATS, MUSIC_FORMATS

    inputs = tmp_path / "inputs"
    (inputs / "bundled" / "minuet").mkdir(parents=True)
    commands = [*recipe.speech_commands(inputs), *recipe.music_commands(inputs)]
    assert len({command.name for command in commands}) == len(commands)
    written = {Path(word).name for command in commands for word in command.arguments}
    for suffix in LABEL_FORMATS:
        assert any(name.lower().endswith(suffix) for name in written)
    for suffix in MUSIC_FORMATS.keys() - {".midi"}:
        assert any(name.startswith("minuet.") and name.endswith(suffix) for name in written)
