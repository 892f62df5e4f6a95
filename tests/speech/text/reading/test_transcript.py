"""Transcripts in the forms people have them."""

from pathlib import Path

import pytest

from align.errors import DataError
from align.formats.textgrid import format_textgrid
from align.speech.text import Utterance, read_transcript


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def grid(path: Path, **tiers: list[tuple[float, float, str]]) -> Path:
    text = format_textgrid(
        {
            n.replace("_", " "): ([t for *_, t in r], [r_[:2] for r_ in r])
            for n, r in tiers.items()
        },
        10.0,
    )
    return write(path, text)


@pytest.mark.parametrize("name", ["a.txt", "a.lab", "a.TXT", "a.transcript"])
def test_text_on_one_line_or_several(tmp_path: Path, name: str) -> None:
    (found,) = read_transcript(write(tmp_path / name, "The kiwi\nis green.\n"))
    assert found.text.split() == ["The", "kiwi", "is", "green."]
    assert (found.start, found.end, found.speaker) == (None, None, "")


def test_timit(tmp_path: Path) -> None:
    (found,) = read_transcript(write(tmp_path / "a.txt", "0 46797 She had 10 dogs.\n"))
    assert found.text == "She had 10 dogs."
    (found,) = read_transcript(write(tmp_path / "b.txt", "10 20 thirty\nand more"))
    assert found.text.startswith("10 20")
    words = write(tmp_path / "a.wrd", "0 7000 she\n6800 9000 had\n")  # TIMIT's words may overlap
    assert read_transcript(words)[0].text == "she had"
    with pytest.raises(DataError, match="start end word"):
        read_transcript(write(tmp_path / "b.wrd", "0 7000\n"))


def test_audacity_labels_are_utterances(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "0.5\t1.5\tthe kiwi\n2.0\t3.0\tis green\n")
    first, second = read_transcript(path)
    assert (first.text, first.start, first.end) == ("the kiwi", 0.5, 1.5)
    assert (second.text, second.start, second.end) == ("is green", 2.0, 3.0)


def test_tiers_are_speakers(tmp_path: Path) -> None:
    path = grid(
        tmp_path / "a.TextGrid",
        Ann=[(0.0, 1.0, "hello"), (1.0, 2.0, " "), (2.0, 3.0, "you")],
        Bob=[(1.0, 2.5, "hi")],
        Ann___words=[(0.0, 1.0, "old")],
        empty=[(0.0, 1.0, "")],
    )
    path.write_text(path.read_text().replace("Ann   words", "Ann - words"))
    found = read_transcript(path)
    assert [(u.speaker, u.text, u.start, u.end) for u in found] == [
        ("Ann", "hello", 0.0, 1.0),
        ("Ann", "you", 2.0, 3.0),
        ("Bob", "hi", 1.0, 2.5),
    ]
    (only,) = read_transcript(path, tiers=["Bob"])
    assert (only.speaker, only.text) == ("", "hi")
    with pytest.raises(
        DataError, match="no interval tier 'Cid'; its interval tiers: 'Ann', 'Bob'"
    ):
        read_transcript(path, tiers=["Bob", "Cid"])


def test_one_tier_needs_no_name(tmp_path: Path) -> None:
    path = grid(tmp_path / "a.TextGrid", text=[(0.0, 1.0, "hello")], phones=[(0.0, 1.0, "hh")])
    (found,) = read_transcript(path)
    assert (found.speaker, found.text) == ("", "hello")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", " \n", "holds no text"),
        ("a.lab", "0 100 sil\n100 200 k\n", "labels with times, not text"),
        ("a.txt", "0\t1\ta b\n0.5\t2\tc d\n", "overlaps"),
    ],
)
def test_what_is_no_transcript(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_transcript(write(tmp_path / name, content))


def test_grids_without_text(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no text"):
        read_transcript(grid(tmp_path / "a.TextGrid", Ann=[(0.0, 1.0, " ")]))
    with pytest.raises(DataError, match=r"no tier of utterances .*'phones'.* --tier"):
        read_transcript(grid(tmp_path / "b.TextGrid", phones=[(0.0, 1.0, "old")]))
    assert read_transcript(tmp_path / "b.TextGrid", tiers=["phones"])[0].text == "old"
    with pytest.raises(DataError, match="holds no text"):
        read_transcript(grid(tmp_path / "c.TextGrid", words=[(0.0, 1.0, "<p:>")]))


WORDS = [(0.0, 0.2, ""), (0.2, 0.5, "the"), (0.5, 0.9, "kiwi"), (0.9, 2.0, ""), (2.0, 2.5, "ran")]
PHONES = [(0.0, 0.5, "dh"), (0.5, 2.5, "k")]


@pytest.mark.parametrize("names", [("words", "phones"), ("ORT-MAU", "MAU"), ("Ann - words", "x")])
def test_words_of_earlier_alignments_are_a_text(tmp_path: Path, names: tuple[str, str]) -> None:
    tiers = {names[0]: WORDS} | ({names[1]: PHONES} if names[1] != "x" else {})
    path = grid(tmp_path / "a.TextGrid", **tiers)
    assert read_transcript(path) == [Utterance("the kiwi ran")]
    named = read_transcript(path, tiers=[names[0]])  # each an utterance, at its times
    assert [(u.text, u.start) for u in named] == [("the", 0.2), ("kiwi", 0.5), ("ran", 2.0)]


def test_words_of_several_speakers_are_told_apart_by_pauses(tmp_path: Path) -> None:
    tiers = {"Ann - words": WORDS, "Bob - words": [(0.0, 0.9, ""), (0.9, 1.9, "what")]}
    found = read_transcript(grid(tmp_path / "a.TextGrid", **tiers))
    assert [(u.speaker, u.text, u.start, u.end) for u in found] == [
        ("Ann", "the kiwi", 0.2, 0.9),
        ("Ann", "ran", 2.0, 2.5),
        ("Bob", "what", 0.9, 1.9),
    ]


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("schön".encode("latin-1"))
    with pytest.raises(DataError, match="is not UTF-8"):
        read_transcript(path)
    path.write_bytes("schön".encode("utf-16"))
    assert read_transcript(path)[0].text == "schön"
