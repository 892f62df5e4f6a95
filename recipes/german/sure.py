"""How sure an aligner of German is, and how often it is right, in quiet and in worse sound.

::

    python recipes/german/sure.py EMODB --learn labels|nothing --music FOLDER --people FOLDER

Each speaker by a model that never heard him or her, as in ``run.py``, in the conditions of
``recipes/rooms``: the share of boundaries of phones that are given, and of starts of words from
text, within 20 ms, beside the mean confidence; and how many texts are warned of.
"""

import argparse
import os
import sys
import zlib
from pathlib import Path

import numpy as np
from praatio import textgrid
from run import HOW, model_for, text_of

import align
from align.features import read_audio
from align.speech.text import align_text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rooms"))
from rooms.run import RATE, conditions

NEAR = 0.02  # seconds


class Sure:
    """Errors and confidence in one condition."""

    def __init__(self) -> None:
        self.phones: list[tuple[float, float]] = []
        self.starts: list[tuple[float, float]] = []
        self.warned: list[bool] = []

    def add(self, model: align.SpeechAligner, example: align.Example, samples: np.ndarray) -> None:
        """Align one recording from its phones and from its text."""
        labels, true = example.events, np.asarray(example.onsets)
        found = model.align(samples, labels, rate=RATE)
        assert found.confidence is not None
        errors = np.abs(found.onsets - true)
        self.phones += zip(errors[1:].tolist(), found.confidence[1:].tolist(), strict=True)
        audio = Path(str(example.audio))
        grid = textgrid.openTextgrid(str(audio.with_suffix(".TextGrid")), False)
        begun = [word.start for word in grid.getTier("words").entries]
        text = align_text(model, samples, text_of(audio), language="de", rate=RATE)
        self.warned.append(any("may not be of this" in warning for warning in text.warnings))
        words = text.words
        assert words.confidence is not None
        said = [k for k, label in enumerate(words.labels) if label and label != "sil"]
        if len(said) == len(begun):
            off = np.abs(words.onsets[said] - begun)
            self.starts += zip(off.tolist(), words.confidence[said].tolist(), strict=True)

    def row(self) -> str:
        """Return cells of a table."""
        cells = []
        for pairs in (self.phones, self.starts):
            errors, sure = np.array(pairs).T
            right = errors <= NEAR
            cells.append(f"{100 * right.mean():.1f} % | {100 * sure.mean():.1f} %")
        return " | ".join(cells) + f" | {sum(self.warned)} of {len(self.warned)}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--learn", choices=HOW, required=True)
    parser.add_argument("--model", help="a file in place of `speech-any`, with --learn nothing")
    parser.add_argument("--models", type=Path, default=Path("german-models"))
    parser.add_argument("--made", type=Path, help="networks of labels begin with this folder")
    parser.add_argument("--surroundings", type=int, default=0, help="copies to learn rooms from")
    parser.add_argument("--music", type=Path, required=True)
    parser.add_argument("--people", type=Path, required=True)
    parser.add_argument("--speakers", nargs="+", help="only these")
    parser.add_argument("--only", nargs="+", help="only these conditions")
    parser.add_argument("--every", type=int, default=1, help="recording that is tried")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()

    kinds = conditions(options.music, options.people)
    rows = {name: Sure() for name in options.only or kinds}
    corpus = align.read_corpus(options.corpus)
    for speaker in options.speakers or sorted(corpus.groups):
        model = align.load(options.model) if options.model else model_for(speaker, corpus, options)
        for example in list(corpus.subset([speaker]))[:: options.every]:
            clean = read_audio(str(example.audio), RATE)[0].astype(float)
            for name, into in rows.items():
                drawn = f"{name} {Path(str(example.audio)).stem}"
                rng = np.random.default_rng([options.seed, zlib.crc32(drawn.encode())])
                condition = kinds[name]
                samples = clean if condition is None else condition(clean, rng)
                into.add(model, example, samples.astype(np.float32))
    print("| | phones given, 20 ms | confidence | word starts, 20 ms | confidence | warned of |")
    print("|---|" + "---|" * 5)
    for name, one in rows.items():
        print(f"| {name} | {one.row()} |")


if __name__ == "__main__":
    main()
