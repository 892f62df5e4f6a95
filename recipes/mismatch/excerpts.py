"""A chapter and the text of the whole book: recordings of a small part of a long text.

::

    python recipes/mismatch/excerpts.py CORPUS --folds N ... [--models DIR] [--seed N]
    python recipes/mismatch/excerpts.py CORPUS --model speech-any --language de [--seed N]

Sentences of a speaker whom the model has not heard are one recording, with half a second between
them, and stand somewhere in a text that is a hundred times as long as theirs: other sentences, in
an order drawn anew. Whole texts in recordings of a minute and more are tried as well, of which no
word may be left out.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path

import numpy as np
from run import fold_models
from where import RATE

import align
from align.features import read_audio
from align.speech.text import align_text
from align.speech.text.reading.transcript import read_transcript
from align.types import SILENCE

LENGTHS = (2, 4, 8)  # sentences of a recording
TIMES = 100  # that a text is as long as what was said of it
DRAWS = 6  # of each speaker and length
NEAR = 3  # words that may be missing or too many
PAUSE = np.zeros(RATE // 2, dtype=np.float32)


def recording_of(examples: Iterable[align.Example]) -> np.ndarray:
    """Return some recordings one after the other."""
    parts = [(read_audio(str(example.audio), RATE)[0], PAUSE) for example in examples]
    return np.concatenate([PAUSE, *(part for pair in parts for part in pair)])


def around(texts: Sequence[str], n_words: int, rng: np.random.Generator) -> list[str]:
    """Return so many words of texts in some order."""
    drawn = (word for k in rng.integers(len(texts), size=n_words) for word in texts[k].split())
    return list(islice(drawn, n_words))


def judged(
    model: align.SpeechAligner, sound: np.ndarray, text: Sequence[Sequence[str]], language: str
) -> str:
    """Return whether the middle one of three texts is found."""
    try:
        found = align_text(
            model, sound, " ".join(map(" ".join, text)), rate=RATE, language=language
        )
    except align.AlignError:
        return "refused"
    tier = " ".join(word for word in found.words.labels if word != SILENCE)
    heard, said = (re.findall(r"\w+", one.casefold()) for one in (tier, " ".join(text[1])))
    same = SequenceMatcher(None, heard, said, autojunk=False).find_longest_match().size
    if max(len(heard), len(said)) - same <= NEAR:
        return "found"
    warned = bool(found.words.warnings) or any(m.probability >= 0.9 for m in found.mismatches)
    return "warned" if warned else "wrong"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("models"))
    parser.add_argument("--folds", type=int, nargs="+", default=[])
    parser.add_argument("--model", default="speech-any")
    parser.add_argument("--language", default="en")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    every = align.read_corpus(options.corpus, kind="speech")
    told = {
        example.audio: " ".join(
            u.text for u in read_transcript(Path(str(example.audio)).with_suffix(".txt"))
        )
        for example in every
    }
    pairs = (
        list(fold_models(options.corpus, options.models, options.folds))
        if options.folds
        else [(align.load(options.model), list(every))]
    )
    counts: dict[str, Counter[str]] = {}
    for model, heard in pairs:
        for speaker in sorted({str(example.group) for example in heard}):
            own = [example for example in heard if str(example.group) == speaker]
            others = sorted(set(told.values()))
            for length in (n for n in LENGTHS for _ in range(DRAWS)):
                some = [own[k] for k in rng.permutation(len(own))[:length]]
                sound = recording_of(some)
                said = [word for example in some for word in told[example.audio].split()]
                beside = around(others, TIMES * len(said), rng)
                cut = int(rng.integers(len(beside)))
                for what, text in (
                    (f"{length} of {TIMES * length}", (beside[:cut], said, beside[cut:])),
                    (f"all {length}", ([], said, [])),
                ):
                    result = judged(model, sound, text, options.language)
                    counts.setdefault(what, Counter())[result] += 1
            whole = own[:40]
            text = ([], [word for e in whole for word in told[e.audio].split()], [])
            result = judged(model, recording_of(whole), text, options.language)
            counts.setdefault(f"all {len(whole)}", Counter())[result] += 1
            print(speaker, {what: dict(count) for what, count in counts.items()}, flush=True)
    for what, count in counts.items():
        print(f"{what:<12}" + "".join(f"{k:>10} {n:3d}" for k, n in sorted(count.items())))


if __name__ == "__main__":
    main()
