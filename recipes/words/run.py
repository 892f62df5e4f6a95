"""Words from plain text, on TIMIT: four folds over speakers, and the bundled model.

::

    python recipes/words/run.py CORPUS [--models DIR] [--seen MODEL] [--realisations WHICH]

CORPUS is a folder of speakers with ``.wav``, ``.txt``, ``.wrd`` and ``.phn`` files, such as NLTK's
sample of TIMIT. See the README beside this file.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import align
from align.evaluation.scores import Score
from align.speech.text import TextAlignment, align_text, read_transcript

FOLDS = 4


def true_words(recording: Path) -> list[tuple[str, float, float]]:
    """Return TIMIT's words with their starts and ends in seconds; they may overlap."""
    rows = (
        line.split()
        for line in recording.with_suffix(".wrd").read_text(encoding="utf-8").splitlines()
    )
    return [(word, int(start) / 16000, int(end) / 16000) for start, end, word in rows]


def true_pauses(recording: Path) -> list[float]:
    """Return the middle of each pause between words, in seconds."""
    rows = [
        line.split()
        for line in recording.with_suffix(".phn").read_text(encoding="utf-8").splitlines()
    ]
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


def found_words(found: TextAlignment) -> list[tuple[str, float, float]]:
    """Return the words that were found with their starts and ends."""
    words = zip(found.words.labels, found.words.intervals.tolist(), strict=True)
    return [(word.lower(), start, end) for word, (start, end) in words if word != "sil"]


def errors_of(
    found: TextAlignment, true: Sequence[tuple[str, float, float]]
) -> tuple[list[float], list[float]]:
    """Return found less true starts, and ends; a compound is several of TIMIT's words."""
    starts, ends = [], []
    k = 0
    for word, start, end in found_words(found):
        parts = 1 + word.count("-") if true[k][0] != word else 1
        starts.append(start - true[k][1])
        ends.append(end - true[k + parts - 1][2])
        k += parts
    if k != len(true):
        raise SystemExit(f"{[word for word, *_ in found_words(found)]} are not {true}")
    return starts, ends


def shown(what: str, errors: Sequence[float]) -> str:
    """Return two lines about errors in seconds."""
    score = Score.from_errors(np.array(errors))
    shares = "  ".join(f"{ms} ms {score.within_ms[ms]:.1f} %" for ms in ("10", "20", "50", "100"))
    return (
        f"{score.boundaries} {what} within {shares}\n"
        f"mean {score.mean_abs_ms:.1f} ms, median {score.median_abs_ms:.1f} ms, "
        f"bias {score.bias_ms:+.1f} ms"
    )


def main() -> None:
    """Align all recordings with their text and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", type=Path, default=Path("words-models"))
    parser.add_argument("--seen", metavar="MODEL", help="One model for all, such as speech-en.")
    parser.add_argument(
        "--realisations",
        choices=["learned", "free", "few"],
        default="learned",
        help="What phones may become: as the model learned; all of it, at no cost; or the few "
        "choices of a model that learned without text.",
    )
    options = parser.parse_args()

    begins: list[float] = []
    ends: list[float] = []
    guessed: list[str] = []
    hit = missed = false = 0
    for model, recordings in models(options.corpus, options.models, options.seen):
        if options.realisations != "learned":
            model.realisations_ = {"nothing": 0.0} if options.realisations == "free" else None
        for recording in recordings:
            said = read_transcript(recording.with_suffix(".txt"))
            found = align_text(model, recording, said)
            guessed += found.guessed
            own = errors_of(found, true_words(recording))
            begins += own[0]
            ends += own[1]
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
    print(shown("word starts", begins))
    print(shown("word starts and ends", [*begins, *ends]))
    print(f"pauses between words: {hit} found, {missed} missed, {false} where there is none")
    print(f"words that no dictionary has: {', '.join(guessed) or 'none'}")


if __name__ == "__main__":
    main()
