"""Short texts: pieces of one to six words are cut out of recordings, with right and wrong words.

::

    python recipes/mismatch/short.py EMODB --model speech-any --language de [--speakers NAME ...]
                                     [--every N] [--words N ...] [--seed N]
    python recipes/mismatch/short.py TIMIT --folds N ... [--models DIR] [--every N]

A piece begins and ends where the corpus says that its words do. A wrong text has as many words,
one after the other, of another sentence. EMODB has a folder of recordings and TextGrids for each
speaker, TIMIT one with ``.wav`` and ``.wrd`` files. See the README beside this file.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from run import fold_models

import align
from align.features.sound.audio import read_audio
from align.formats.files import read_tiers
from align.speech.text import make_dictionary
from align.types import SILENCE

WRONG = 4  # wrong texts of each piece
RATE = 16000
FROM = 3  # words, from which on the goal is 98 % of wrong texts


class Spoken(NamedTuple):
    """A recording, its words and when each is said, and the name of its sentence."""

    audio: Path
    words: Sequence[str]
    spans: Sequence[tuple[float, float]]
    sentence: str


Count = dict[int, list[tuple[bool, bool]]]  # for each number of words: is right, is warned of


def emodb(corpus: Path, speakers: Sequence[str] | None) -> Iterator[Spoken]:
    """Yield the recordings of some speakers of EmoDB whose words all have their time."""
    for grid in sorted(corpus.glob("*/*.TextGrid")):
        if speakers and grid.parent.name not in speakers:
            continue
        (tier,) = (t for t in read_tiers(grid) if t.name == "words")
        spans = [s for label, s in zip(tier.labels, tier.times, strict=True) if label != SILENCE]
        words = grid.with_suffix(".txt").read_text(encoding="utf-8").split()
        if len(words) == len(spans):
            yield Spoken(grid.with_suffix(".flac"), words, spans, grid.name[2:5])


def timit(audio: Path) -> Spoken:
    """Return a recording of TIMIT."""
    rows = [r.split() for r in audio.with_suffix(".wrd").read_text(encoding="utf-8").splitlines()]
    spans = [(int(a) / RATE, int(b) / RATE) for a, b, _ in rows]
    return Spoken(audio, [word for _, _, word in rows], spans, audio.stem)


def measure(
    warned: Callable[[np.ndarray, Sequence[str]], bool | None],
    recordings: Sequence[Spoken],
    sizes: Sequence[int],
    every: int,
    rng: np.random.Generator,
    count: Count,
) -> None:
    """Count which right and wrong texts of pieces of some recordings are warned of."""
    for n in sizes:
        for own in recordings[::every]:
            at = int(rng.integers(max(len(own.words) - n, 0) + 1))
            runs = {
                tuple(other.words[i : i + n])
                for other in recordings
                if other.sentence != own.sentence
                for i in range(len(other.words) - n + 1)
            }
            chosen = [sorted(runs)[k] for k in rng.permutation(len(runs))[:WRONG]]
            if len(own.words) < n:
                continue
            start, end = own.spans[at][0], own.spans[at + n - 1][1]
            samples = read_audio(str(own.audio), RATE)[0][round(start * RATE) : round(end * RATE)]
            for right, words in [(True, own.words[at : at + n]), *((False, w) for w in chosen)]:
                found = warned(samples, words)
                if found is not None:
                    count.setdefault(n, []).append((right, found))


def warned_by(
    model: align.SpeechAligner, language: str
) -> Callable[[np.ndarray, Sequence[str]], bool | None]:
    """Return what says whether a model warns of a text; None where it does not even fit."""
    words_of = make_dictionary(language=language)

    def warned(samples: np.ndarray, words: Sequence[str]) -> bool | None:
        try:
            found = model.align_text(
                samples, " ".join(words), rate=RATE, dictionary=words_of, language=language
            )
        except align.AlignError:
            return None
        return any("may not be of this recording" in text for text in found.warnings)

    return warned


def table(count: Count) -> str:
    """Return the figures."""
    rows = [(f"{n} words", pairs) for n, pairs in sorted(count.items())]
    some = [pair for n, pairs in count.items() if n >= FROM for pair in pairs]
    rows.append((f"{FROM} words or more", some))
    lines = []
    for name, pairs in rows:
        right = [found for is_right, found in pairs if is_right]
        wrong = [found for is_right, found in pairs if not is_right]
        if right and wrong:
            lines.append(
                f"{name:16s} right {len(right):4d}, warned of {100 * np.mean(right):5.1f} %; "
                f"wrong {len(wrong):5d}, found {100 * np.mean(wrong):5.1f} %"
            )
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--model", help="a name, or a file, that is tried on EMODB")
    parser.add_argument("--language", default="de")
    parser.add_argument("--speakers", nargs="+")
    parser.add_argument("--folds", type=int, nargs="+", help="of TIMIT, instead of a model")
    parser.add_argument("--models", type=Path, default=Path("mismatch-models"))
    parser.add_argument("--words", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--every", type=int, default=1, help="recording that is tried")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    count: Count = {}
    if options.model is not None:
        model = align.load(options.model)
        recordings = list(emodb(options.corpus, options.speakers))
        warned = warned_by(model, options.language)
        measure(warned, recordings, options.words, options.every, rng, count)
    else:
        for model, examples in fold_models(options.corpus, options.models, options.folds or []):
            recordings = [timit(Path(str(e.audio))) for e in examples]
            measure(warned_by(model, "en"), recordings, options.words, options.every, rng, count)
    print(table(count))


if __name__ == "__main__":
    main()
