"""German without its short vowels, as Arabic and Hebrew are written: what the sound gives back.

::

    python recipes/german/unwritten.py EMODB

Edges of words by `speech-any`, with the phones of espeak-ng, without their short vowels (but a
first one), and with vowels that may stand between consonants.
"""

import argparse
import itertools
from pathlib import Path
from unittest.mock import patch

import run

import align
from align.speech.text.pronouncing.espeak import espeak_ways

SHORT = frozenset("a i u e o y ɛ ɪ ʊ ɔ ə œ ɜ ɑ ɒ ʌ".split())
LOOK_UP = "align.speech.text.pronouncing.lookup"


def without_vowels(word: str, language: str) -> list[tuple[str, ...]]:
    """Return the ways in which a word is said, without what Arabic would not write."""
    return [
        tuple(phone for k, phone in enumerate(way) if k == 0 or phone not in SHORT)
        for way in espeak_ways(word, language)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--every", type=int, default=1, help="only each n-th recording")
    options = parser.parse_args()
    model = align.load("speech-any")
    recordings = sorted(options.corpus.rglob("*.flac"))[:: options.every]
    for what, ways, vowels in (
        ("all vowels", espeak_ways, ()),
        ("no short vowels", without_vowels, ()),
        ("vowels by the sound", without_vowels, ("a", "i", "u")),
    ):
        changed = {"espeak_ways": ways, "unwritten_vowels": lambda *_, vowels=vowels: vowels}
        with patch.multiple(LOOK_UP, **changed):
            found = [run.edges(model, audio) for audio in recordings]
        pairs = itertools.chain.from_iterable(pair for pair in found if pair is not None)
        print(run.line(what, list(itertools.chain.from_iterable(pairs))), flush=True)


if __name__ == "__main__":
    main()
