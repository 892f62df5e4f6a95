"""The words of `docs/glossary.md` are those of the public names."""

import re

import pytest
from doc_pages import ROOT
from public_names import public_names, words_of

PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")

LEFT: dict[str, str] = {}
"""Places that still have a word that is not used; to be deleted with the word."""


def rows(title: str) -> list[list[str]]:
    """Return the cells of the table under a heading, without its head."""
    text = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return cells[2:]


def forms(word: str) -> set[str]:
    """Return a word, in the plural, and as what is done or does it."""
    return {word, f"{word}s", f"{word}ed", f"{word}er", f"{word}ers", f"{word}ing"}


def test_the_glossary_is_short_and_in_order() -> None:
    words = [word for word, _, _ in rows("Words")]
    assert 30 <= len(words) <= 45
    assert len(set(words)) == len(words)


@pytest.mark.parametrize(("word", "names"), [(row[0], row[2]) for row in rows("Words")])
def test_names_carry_the_word(word: str, names: str) -> None:
    found = re.findall(r"`(\w+)`", names)
    assert found
    for name in found:
        assert name in public_names(), f"{word}: no public name is {name}"


@pytest.mark.parametrize(("parameter", "others"), [(row[0], row[2]) for row in rows("Parameters")])
def test_a_parameter_has_one_name(parameter: str, others: str) -> None:
    assert any(place.endswith(f"({parameter[1:-1]})") for place in public_names()[parameter[1:-1]])
    for name in re.findall(r"`(\w+)`", others):
        assert name not in public_names(), (
            f"{name} at {sorted(public_names()[name])}, must be {parameter}"
        )


def test_no_name_has_a_word_that_is_not_used() -> None:
    replaced = {form for row in rows("Words that are not used") for word in row[0].split(", ")
                for form in forms(word)}  # fmt: skip
    wrong, used = [], set()
    for name, places in public_names().items():
        for word in replaced.intersection(words_of(name)):
            for place in places:
                left = [known for known in LEFT if place.startswith(known)]
                used.update(left)
                if not left:
                    wrong.append(f"{place}: {word}")
    assert not wrong, "\n".join(sorted(wrong))
    assert used == set(LEFT), "words that are gone: delete them from LEFT"
