"""How sure words are, and which runs of words are found to be in the wrong place.

::

    python recipes/words/astray.py TIMIT --music FOLDER --people FOLDER [--models DIR]
    python recipes/words/astray.py EMODB --german MODEL --music FOLDER --people FOLDER

Four sentences of a speaker at a time, of German three, in quiet and in worse sound, by models that
have not heard the speaker. What moves say is learned from the other folds, of German from the
speakers 03 and 08, in the conditions `TAUGHT`, where speech is not clear; the last line is what
all folds, or these two speakers, teach. See the README beside this file.
"""

import argparse
import zlib
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np
from run import models, true_words
from scipy.signal import butter, lfilter, resample, sosfilt
from scipy.stats import rankdata

import align
import align.speech.text.checking.astray as asking
from align.features import read_audio
from align.sequence.evidence import EvidenceModel
from align.speech.text import align_text
from align.speech.text.checking.astray import evidence_of_moves, is_clear, probable_runs
from align.speech.text.untimely import UNSURE

FAR = 0.1  # seconds
TEACHERS = ("03", "08")
TAUGHT = ("clean", "noise", "music", "people", "loud", "crowd")


def loud(samples, rng):
    """White, pink or brown noise, 2 to 12 dB louder than the speech."""
    from rooms.conditions import noise

    return noise(samples, rng, (-12, -2), kinds=3)


def crowd(people):
    """Return a condition: four others who say single words, up to 9 dB louder than the speech."""
    from rooms.conditions import mixed

    def condition(samples, rng):
        sound = np.zeros(samples.size)
        for _ in range(4):
            one = people[int(rng.integers(len(people)))]
            part = np.roll(np.resize(one, samples.size), int(rng.integers(samples.size)))
            sound += part / max(float(np.sqrt(np.mean(part**2))), 1e-6)
        return mixed(samples, sound, rng.uniform(-9, 0))

    return condition


def mumbled(samples, rng):
    """Faster by a quarter to six tenths, without what is above 1 to 2 kHz, in some noise."""
    from rooms.conditions import RATE, noise

    rate = rng.uniform(1.25, 1.6)
    fast = resample(samples, int(samples.size / rate))
    dull = butter(3, rng.uniform(900, 2000), fs=RATE, output="sos")
    return noise(sosfilt(dull, fast), rng), rate


def whispered(samples, rng):
    """Noise with the spectrum of the speech, by linear prediction of 25 ms."""
    from rooms.conditions import mixed
    from scipy.linalg import solve_toeplitz

    length, order = 400, 16
    window, out = np.hanning(length), np.zeros(samples.size + length)
    for at in range(0, samples.size - length, length // 2):
        frame = samples[at : at + length] * window
        r = np.correlate(frame, frame, "full")[length - 1 : length + order]
        r[0] = r[0] * 1.001 + 1e-9
        a = solve_toeplitz(r[:order], r[1 : order + 1])
        gain = np.sqrt(max(r[0] - a @ r[1 : order + 1], 1e-12) / length)
        out[at : at + length] += window * lfilter(
            [gain], np.append(1, -a), rng.standard_normal(length)
        )
    hiss = rng.standard_normal(samples.size)
    return mixed(out[: samples.size], hiss, rng.uniform(10, 25))


class Tried(NamedTuple):
    """One recording: confidence before, moves, distance from the truth, and whether it warned."""

    fold: int
    kind: str
    before: np.ndarray
    moves: np.ndarray
    off: np.ndarray
    warned: bool

    def evidence(self) -> np.ndarray:
        return evidence_of_moves(self.before, self.moves)

    def now(self, learned) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """Return confidence and misplaced runs, as before where speech is clear."""
        if is_clear(self.before):
            return self.before, []
        return learned[0](self.evidence()), probable_runs(learned[1](self.evidence()))


def tried(model, fold: int, kind: str, samples: np.ndarray, true, text, language) -> Tried | None:
    """Align words, of which those count that are taken to be said; None where a passage is not."""
    from rooms.conditions import RATE

    seen = []

    def keep(rows, moves, *_):
        seen.append((rows, moves))
        return rows

    with (
        mock.patch.object(asking, "is_clear", return_value=False),
        mock.patch.object(asking, "with_second_opinions", keep),
        mock.patch.object(asking, "astray_words", return_value=[]),
    ):
        found = align_text(model, samples.astype(np.float32), text, rate=RATE, language=language)
    words = np.array([k for k, label in enumerate(found.words.labels) if label != "sil"])
    whole = [(rows, moves) for rows, moves in seen if len(moves) == len(true)]
    if len(words) != len(true) or not whole:
        return None
    rows, moves = whole[-1]
    said = [k for k in sorted({row.word for row in rows} - {-1}) if not np.isnan(moves[k])]
    off = np.abs(found.words.onsets[words] - np.array([start for _, start, _ in true]))
    sure = found.words.confidence[words]
    told = [text for text in found.warnings if "probably only" not in text]  # by sureness before
    return Tried(fold, kind, sure[said], moves[said], off[said], bool(told))


def joined(paths, words_of, rng):
    """Return recordings of the same loudness one after the other, with pauses, and the words."""
    from rooms.conditions import RATE

    parts, true, at = [], [], 0
    for path in paths:
        samples = read_audio(path, RATE)[0].astype(float)
        samples *= 0.05 / np.sqrt(np.mean(samples**2))
        true += [(w, a + at / RATE, b + at / RATE) for w, a, b in words_of(path)]
        parts += [samples, 1e-4 * rng.standard_normal(int(rng.uniform(0.1, 0.7) * RATE))]
        at += parts[-2].size + parts[-1].size
    return np.concatenate(parts), true


def german_words(path):
    from praatio import textgrid

    grid = textgrid.openTextgrid(str(path.with_suffix(".TextGrid")), False)
    return [(e.label, e.start, e.end) for e in grid.getTier("words").entries]


def passages(corpus: Path, folder: Path, german: str | None):
    """Yield fold, model, a few recordings of a speaker, what returns their words, and their text.

    Of German every second recording, and the speakers that teach are fold 0, the others fold 1.
    """
    if german is None:
        for fold, (model, recordings) in enumerate(models(corpus, folder, None)):
            for _, own in groupby(recordings, lambda path: path.parent):
                paths = list(own)
                for some in (paths[:4], paths[4:]):
                    text = " ".join(word for path in some for word, *_ in true_words(path))
                    yield fold, model, some, true_words, text
        return
    model = align.load(german)
    for speaker in sorted(path.name for path in corpus.iterdir() if path.is_dir()):
        paths = sorted((corpus / speaker).glob("*.flac"))[::2]
        for k in range(0, len(paths) - 2, 3):
            some = paths[k : k + 3]
            said = [path.with_suffix(".txt").read_text(encoding="utf-8").strip() for path in some]
            yield int(speaker not in TEACHERS), model, some, german_words, " ".join(said)


def area(scores: np.ndarray, wrong: np.ndarray) -> float:
    """Return the area under the curve of scores that are higher where something is wrong."""
    n = wrong.sum()
    if n in (0, len(wrong)):
        return float("nan")
    return float((rankdata(scores)[wrong].sum() - n * (n + 1) / 2) / (n * (len(wrong) - n)))


def runs_of(far: np.ndarray) -> list[tuple[int, int]]:
    """Return runs of four words or more, all but single ones of which are far off."""
    far = far.copy()
    far[1:-1] |= far[:-2] & far[2:]
    runs = [list(run) for is_far, run in groupby(range(len(far)), lambda k: far[k]) if is_far]
    return [(run[0], run[-1] + 1) for run in runs if len(run) >= 4]


def row(name: str, some: list[Tried], learned) -> str:
    """Return a row of the table."""
    before = np.concatenate([one.before for one in some])
    off = np.concatenate([one.off for one in some])
    now = np.concatenate([one.now(learned[one.fold])[0] for one in some])
    right, far = off <= 0.02, off > FAR
    unsure = []
    n_runs = silent = hit = hit_silent = n_listed = listed_far = false = 0
    for one in some:
        sure, listed = one.now(learned[one.fold])
        if sure.mean() < UNSURE:
            unsure.append((one.off <= 0.02).mean())
        is_far = one.off > FAR
        false += any(is_far[max(0, a - 1) : b + 1].mean() < 0.3 for a, b in listed)
        n_listed += sum(b - a for a, b in listed)
        listed_far += sum(int(is_far[a:b].sum()) for a, b in listed)
        for a, b in runs_of(is_far):
            told = any(c < b and d > a for c, d in listed)
            n_runs, hit = n_runs + 1, hit + told
            silent, hit_silent = silent + (not one.warned), hit_silent + (told and not one.warned)
    cells = [
        f"{100 * right.mean():.1f} %",
        f"{100 * before.mean():.1f}",
        f"{100 * now.mean():.1f}",
        f"{area(-before, ~right):.3f}",
        f"{area(-now, ~right):.3f}",
        f"{area(-before, far):.3f}",
        f"{area(-now, far):.3f}",
        f"{far[np.argsort(before)[:50]].sum()}, {far[np.argsort(now)[:50]].sum()}",
        f"{hit} of {n_runs} ({hit_silent} of {silent})",
        f"{listed_far} of {n_listed}",
        f"{false} of {len(some)}",
        f"{np.mean([not is_clear(one.before) for one in some]):.0%}",
        f"{len(unsure)}" + (f", {np.mean(unsure):.0%}" if unsure else ""),
    ]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--music", type=Path, required=True)
    parser.add_argument("--people", type=Path, required=True)
    parser.add_argument("--models", type=Path, default=Path("words-models"))
    parser.add_argument("--german", help="model of any language; the corpus is EmoDB")
    parser.add_argument("--only", nargs="+", help="only these conditions")
    parser.add_argument(
        "--show", type=int, nargs="+", default=[0, 1, 2, 3], help="only these folds"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rooms"))
    from rooms.run import conditions, sounds

    kinds = {
        **conditions(options.music, options.people),
        "loud": loud,
        "crowd": crowd(sounds(options.people)),
        "mumbled": mumbled,
        "whispered": whispered,
    }
    if options.only:
        kinds = {name: kinds[name] for name in options.only}
    every: list[Tried] = []
    left_out = 0
    language = "de" if options.german else "en"
    for fold, model, some, words_of, text in passages(
        options.corpus, options.models, options.german
    ):
        drawn = f"{some[0].parent.name} {some[0].stem}"
        rng = np.random.default_rng([options.seed, zlib.crc32(drawn.encode())])
        clean, true = joined(some, words_of, rng)
        for name, condition in kinds.items():
            rng = np.random.default_rng([options.seed, zlib.crc32(f"{name} {drawn}".encode())])
            worse = clean if condition is None else condition(clean, rng)
            samples, rate = worse if isinstance(worse, tuple) else (worse, 1.0)
            words = [(w, a / rate, b / rate) for w, a, b in true]
            one = tried(model, fold, name, samples, words, text, language)
            left_out += one is None
            every += [] if one is None else [one]

    def learn(some: list[Tried]):
        taught = [one for one in some if one.kind in TAUGHT and not is_clear(one.before)]
        evidence = [one.evidence() for one in taught]
        right = EvidenceModel.fit(evidence, [one.off <= 0.02 for one in taught])
        return right, EvidenceModel.fit(evidence, [one.off > FAR for one in taught])

    if options.german:
        learned = {1: learn([one for one in every if one.fold == 0])}
    else:
        learned = {
            f: learn([one for one in every if one.fold != f]) for f in {one.fold for one in every}
        }
    shown = [one for one in every if one.fold in learned and one.fold in options.show]
    print(
        "| | right | said before | now | area, wrong: before | now | area, far: before | now | "
        "far of the 50 least sure | runs found (in silence) | far of words listed | false | "
        "asked | unsure, right |"
    )
    print("|---|" + "---|" * 13)
    for name in kinds:
        print(row(name, [one for one in shown if one.kind == name], learned))
    print(row("all", shown, learned))
    print(
        f"\n{left_out} recordings left out, whose text was taken to be one of more than was said"
    )
    both = learned[1] if options.german else learn(every)
    print("taught: right", both[0].weights.round(3), "astray", both[1].weights.round(3))


if __name__ == "__main__":
    main()
