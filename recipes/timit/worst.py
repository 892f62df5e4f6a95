"""Draw the twenty worst boundaries of the cross-validation, to see whose fault they are.

::

    python recipes/timit/worst.py CORPUS PICTURES [--found FILE.json] [--sheet FILE.png] [--jobs N]

CORPUS is a folder of TIMIT speakers, cross-validated as ``run.py`` does. PICTURES is a folder for
one picture of each boundary and ``worst.txt``, which lists them; ``--sheet`` draws all twenty on
one. The onsets that were found are kept in the file of ``--found``, and taken from it where it
exists.
"""

import argparse
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image
from run import folds

import align
from align.features import read_audio
from align.show.spectrogram import spectrogram

N_WORST = 20
COLUMNS = 4
TRUTH, FOUND = "#d35400", "#0b62c4"
AROUND = 0.35  # seconds shown on either side


def found_onsets(options: argparse.Namespace) -> dict[str, list[float]]:
    """Align every recording with a model that was not trained on its speaker."""
    if options.found is not None and options.found.exists():
        kept: dict[str, list[float]] = json.loads(options.found.read_text(encoding="utf-8"))
        return kept
    found = {}
    for _, seen, unseen in folds(options.corpus):
        model = align.SpeechAligner(n_jobs=options.jobs, random_state=0).fit(seen)
        for example in unseen:
            place = str(Path(example.name).relative_to(options.corpus))
            found[place] = model.align(example.audio, example.events).onsets.tolist()
    if options.found is not None:
        options.found.write_text(json.dumps(found), encoding="utf-8")
    return found


def draw(
    example: align.Example,
    onsets: np.ndarray,
    k: int,
    title: str,
    axes: Sequence[Any],
    size: float = 10.0,
) -> None:
    """Draw the surroundings of boundary k: the truth above, what was found below."""
    wave, picture = axes
    samples, rate = read_audio(example.audio)[:2]
    true = np.asarray(example.onsets)
    middle = (true[k] + onsets[k]) / 2
    reach = AROUND + abs(true[k] - onsets[k]) / 2
    first, last = max(0.0, middle - reach), min(len(samples) / rate, middle + reach)
    part = np.asarray(samples[round(first * rate) : round(last * rate)])
    wave.plot(first + np.arange(part.size) / rate, part, color="0.3", linewidth=0.5)
    wave.set_yticks([])
    draw_spectrogram(picture, part, rate, first, last)
    for times, colour, style, height in (
        (true, TRUTH, "--", 0.93),
        (onsets, FOUND, "-", 0.02),
    ):
        for i, time in enumerate(times):
            if first <= time <= last:
                width = 2.5 if i == k else 1.0
                picture.axvline(time, color=colour, linestyle=style, linewidth=width)
                wave.axvline(time, color=colour, linestyle=style, linewidth=width)
            end = times[i + 1] if i + 1 < len(times) else last
            place = (max(time, first) + min(end, last)) / 2
            if min(end, last) - max(time, first) > 0.015:
                picture.text(
                    place,
                    height,
                    str(example.events[i]),
                    color=colour,
                    ha="center",
                    fontsize=size,
                    transform=picture.get_xaxis_transform(),
                    bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 1},
                )
    picture.set_xlim(first, last)
    wave.set_title(title, fontsize=size)


def draw_one(title: str, worst: tuple[align.Example, np.ndarray, int], path: Path) -> None:
    """Draw one boundary."""
    figure, axes = plt.subplots(
        2, 1, figsize=(8, 4.5), sharex=True, height_ratios=(1, 3), layout="constrained"
    )
    draw(*worst, title, axes)
    axes[1].set_ylabel("kHz")
    axes[1].set_xlabel("s")
    figure.savefig(path, dpi=80)
    plt.close(figure)


def draw_sheet(
    titles: Sequence[str], worst: Sequence[tuple[align.Example, np.ndarray, int]], path: Path
) -> None:
    """Draw all on one sheet, of few colours to keep the file small."""
    rows = -(-len(worst) // COLUMNS)
    figure = plt.figure(figsize=(3.6 * COLUMNS, 2.3 * rows), layout="constrained")
    grid = figure.subfigures(rows, COLUMNS).ravel()
    for title, one, part in zip(titles, worst, grid, strict=False):
        axes = part.subplots(2, 1, sharex=True, height_ratios=(1, 4), gridspec_kw={"hspace": 0})
        draw(*one, title, axes, size=8.0)
        for ax in axes:
            ax.tick_params(left=False, labelleft=False, labelsize=6)
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=96, format="png")
    plt.close(figure)
    palette = Image.new("P", (1, 1))
    greys = [round(255 * level / 11) for level in range(12)]
    palette.putpalette([*np.repeat(greys, 3).tolist(), *to_bytes(TRUTH), *to_bytes(FOUND)])
    few = Image.open(buffer).convert("RGB").quantize(palette=palette, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


def to_bytes(colour: str) -> list[int]:
    """Red, green and blue of a colour like ``#d35400``."""
    return list(bytes.fromhex(colour[1:]))


def draw_spectrogram(ax: Any, part: np.ndarray, rate: int, first: float, last: float) -> None:
    """Draw the spectrogram, the upper 60 dB in grey."""
    level, top = spectrogram(part, rate)
    ax.imshow(
        level,
        origin="lower",
        aspect="auto",
        extent=(first, last, 0.0, top / 1000.0),
        cmap="gray_r",
        interpolation="bilinear",
        vmin=-60.0,
        vmax=0.0,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("pictures", type=Path)
    parser.add_argument("--found", type=Path)
    parser.add_argument("--sheet", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    found = found_onsets(options)
    errors = []
    for example in align.read_corpus(options.corpus, kind="speech"):
        place = str(Path(example.name).relative_to(options.corpus))
        if place in found:
            onsets = np.array(found[place])
            off = onsets - np.asarray(example.onsets)
            errors += [
                (abs(off[k]), k, off[k], place, example, onsets) for k in range(1, len(off))
            ]
    errors.sort(key=lambda one: -one[0])
    options.pictures.mkdir(parents=True, exist_ok=True)
    lines, titles, worst = [], [], []
    for rank, (_, k, off, place, example, onsets) in enumerate(errors[:N_WORST], start=1):
        pair = f"{example.events[k - 1]} to {example.events[k]}"
        lines.append(f"{rank}. {place}: {pair} at {example.onsets[k]:.3f} s, {1000 * off:+.0f} ms")
        titles.append(f"{rank}. {pair}, {1000 * off:+.0f} ms")
        worst.append((example, onsets, k))
        draw_one(lines[-1], worst[-1], options.pictures / f"worst-{rank:02d}.png")
    if options.sheet is not None:
        draw_sheet(titles, worst, options.sheet)
    text = "\n".join(lines)
    (options.pictures / "worst.txt").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
