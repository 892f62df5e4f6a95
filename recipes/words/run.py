"""Word starts from plain text, on TIMIT: four folds over speakers, and the bundled model.

::

    python recipes/words/run.py CORPUS [--models DIR] [--seen MODEL]

CORPUS is a folder of speakers with ``.wav``, ``.txt``, ``.wrd`` and ``.phn`` files, such as NLTK's
sample of TIMIT. See the README beside this file.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import align
from align.evaluation.report import Score
from align.speech.text import TextAlignment, align_text, read_transcript

FOLDS = 4


def true_words(recording: Path) -> list[tuple[str, float]]:
    """Return TIMIT's words with their starts in seconds; they may overlap."""
    rows = (line.split() for line in recording.with_suffix(".wrd").read_text().splitlines())
    return [(word, int(start) / 16000) for start, _, word in rows]


def true_pauses(recording: Path) -> list[float]:
    """Return the middle of each pause between words, in seconds."""
    rows = [line.split() for line in recording.with_suffix(".phn").read_text().splitlines()]
    return [(int(a) + int(b)) / 32000 for a, b, phone in rows[1:-1] if phone == "pau"]


def models(
    corpus: Path, folder: Path, seen: str | None
) -> Iterator[tuple[align.SpeechAligner, list[Path]]]:
    """Yield a model and the recordings to align with it; what was trained is kept in `folder`."""
    speakers = sorted(path.name for path in corpus.iterdir() if path.is_dir())
    if seen is not None:
        yield align.load(seen), sorted(corpus.rglob("*.wav"))
        return
    folder.mkdir(parents=True, exist_ok=True)
    for f in range(FOLDS):
        held_out = speakers[f::FOLDS]
        path = folder / f"fold{f}.align"
        if not path.exists():
            examples = align.read_corpus(corpus, kind="speech")
            train = examples.subset([s for s in speakers if s not in held_out])
            align.SpeechAligner().fit(train).save(path)
        recordings = [wav for s in held_out for wav in sorted((corpus / s).glob("*.wav"))]
        yield align.load(path), recordings


def starts(found: TextAlignment) -> list[tuple[str, float]]:
    """Return the words that were found with their starts, compounds in their parts' place."""
    words = zip(found.words.labels, found.words.onsets.tolist(), strict=True)
    return [(word.lower(), onset) for word, onset in words if word != "sil"]


def errors_of(found: TextAlignment, true: Sequence[tuple[str, float]]) -> list[float]:
    """Return found less true starts; a compound begins with the first of TIMIT's words."""
    errors = []
    k = 0
    for word, onset in starts(found):
        errors.append(onset - true[k][1])
        k += 1 + word.count("-") if true[k][0] != word else 1
    if k != len(true):
        raise SystemExit(f"{[word for word, _ in starts(found)]} are not {true}")
    return errors


def main() -> None:
    """Align all recordings with their text and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("words-models"))
    parser.add_argument("--seen", metavar="MODEL", help="One model for all, such as speech-en.")
    options = parser.parse_args()

    errors: list[float] = []
    guessed: list[str] = []
    hit = missed = false = 0
    for model, recordings in models(options.corpus, options.models, options.seen):
        for recording in recordings:
            said = read_transcript(recording.with_suffix(".txt"))
            found = align_text(model, recording, said)
            guessed += found.guessed
            errors += errors_of(found, true_words(recording))
            pauses = true_pauses(recording)
            heard = [
                interval
                for label, interval in zip(
                    found.words.labels[1:-1], found.words.intervals[1:-1].tolist(), strict=True
                )
                if label == "sil"
            ]
            within = [any(a <= pause <= b for a, b in heard) for pause in pauses]
            hit, missed = hit + sum(within), missed + len(within) - sum(within)
            false += sum(not any(a <= pause <= b for pause in pauses) for a, b in heard)
    score = Score.from_errors(np.array(errors))
    shares = "  ".join(f"{ms} ms {score.within_ms[ms]:.1f} %" for ms in ("10", "20", "50", "100"))
    print(f"{score.boundaries} words within {shares}")
    print(
        f"mean {score.mean_abs_ms:.1f} ms, median {score.median_abs_ms:.1f} ms, "
        f"bias {score.bias_ms:+.1f} ms"
    )
    print(f"pauses between words: {hit} found, {missed} missed, {false} where there is none")
    print(f"words that no dictionary has: {', '.join(guessed) or 'none'}")


if __name__ == "__main__":
    main()
