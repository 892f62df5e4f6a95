"""What a small network that others have trained brings to ours: Basic Pitch as inputs.

    pip download --no-deps basic-pitch==0.4.0
    unzip basic_pitch-0.4.0-py2.py3-none-any.whl -d WHEEL
    pip install onnx
    python recipes/music/basic_pitch.py CORPUS \
        WHEEL/basic_pitch/saved_models/icassp_2022/nmp.onnx --work DIR [--seed S] [--without]

Basic Pitch (Bittner and others, ICASSP 2022; Spotify, Apache-2.0) has 17,000 weights, and was
trained on MAESTRO, Slakh, GuitarSet, MedleyDB and iKala. It says, every 11.6 ms, for each of 88
keys how probable it is that a note begins and that one sounds, and for each third of a semitone
that there is a pitch. Its weights are read from the file; the forward pass is numpy's, and agrees
with onnxruntime's by 2.3e-4 (probabilities, a window of 2 s of a quartet).

The note network reads, beside what it reads anyway, for pitch p: log odds of onset and note at p
and at -1, 1, -12, 12 and 19 semitones from it, those of the pitch and of the best of its three
thirds, and the 32 numbers that the onset is told from at p; in frames of 10 ms, by interpolation.
Networks are trained in folds as by ``run.py --folds 4 --weights piano``, with 16 stretches in an
update; ``--without`` trains plain ones of 16, to compare with.
"""

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import soxr
from networks import KeptNetwork
from onnx import numpy_helper
from run import dealt, held_out, placed, print_tables

import align
from align.features.sound.signal import Signal

RATE, HOP = 22050, 256
WINDOW, MOVE, SKIP = 43844, 112, 30
"""Samples of a window, as in its training; frames kept of it, and frames before them."""

KEYS, THIRDS, BINS = 88, 264, 309
OCTAVES, PER_OCTAVE = 9, 36
LOWEST = 21
BESIDE = np.array([0, -1, 1, -12, 12, 19])
PAD = 24
SILENT = -5.0
"""Log odds beyond the keys, and beyond the recording."""

ODDS = 2 * BESIDE.size + 2
INNER = 32


class BasicPitch:
    """The network, read from its ONNX file."""

    def __init__(self, path: str | Path) -> None:
        graph = onnx.load(str(path)).graph
        known = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        convolutions = [node for node in graph.node if node.op_type == "Conv"]
        self.layers = {
            known[node.input[1]].shape: (known[node.input[1]], known[node.input[2]])
            for node in convolutions[-6:]
        }
        kernels = {node.input[1]: known[node.input[1]] for node in convolutions[:-6]}
        filters = [kernel[:, 0, 0] for kernel in kernels.values()]
        self.waves = np.concatenate([k for k in filters if len(k) == PER_OCTAVE]).T.copy()
        self.low = next(k[0] for k in filters if len(k) == 1)
        scale = next(node for node in graph.node if node.output[0].endswith("/mul_1"))
        self.gain = known[scale.input[1]][:, 0, 0] ** 2
        norm = [
            float(known[node.input[1]][0])
            for node in graph.node
            if "batch_normalization/FusedBatchNormV3" in node.output[0]
            and node.op_type in ("Mul", "Add")
        ]
        self.factor, self.shift = norm

    def answers(self, samples: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return what it says of samples at 22,050 Hz, in frames of 256 samples.

        Log odds of pitches [shape=(T, 264)], notes and onsets [shape=(T, 88)], and what the onset
        is told from [shape=(T, 88, 32)].
        """
        n = -(-len(samples) // HOP)
        padded = np.pad(samples, (SKIP * HOP, WINDOW))
        parts: list[tuple[np.ndarray, ...]] = []
        for first in range(0, n, MOVE):
            level = self.levels(padded[first * HOP : first * HOP + WINDOW])
            low, high = float(level.min()), float(level.max())
            level = (level - low) / max(high - low, 1e-9)
            found = self._network(np.asarray(level, dtype=np.float32))
            parts.append(tuple(a[SKIP : SKIP + MOVE] for a in found))
        return tuple(np.concatenate(column)[:n] for column in zip(*parts, strict=True))

    def levels(self, x: np.ndarray) -> np.ndarray:
        """Return the constant-Q transform of samples in dB [shape=(T, 309)]."""
        octaves, hop, n = [], HOP, len(x) // HOP + 1
        for octave in range(OCTAVES):
            padded = np.pad(x, 128, mode="reflect")
            windows = np.lib.stride_tricks.sliding_window_view(padded, 256)[::hop][:n]
            octaves.insert(0, windows @ self.waves)
            if octave < OCTAVES - 1:
                windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 127), 256)[::2]
                x, hop = windows @ self.low, hop // 2
        both = np.stack(octaves, axis=1)
        power = both[:, :, :PER_OCTAVE] ** 2 + both[:, :, PER_OCTAVE:] ** 2
        flat = power.reshape(len(both), -1)[:, -BINS:]
        return np.asarray(10 * np.log10(flat * self.gain + 1e-10))

    def _network(self, level: np.ndarray) -> tuple[np.ndarray, ...]:
        level = level * self.factor + self.shift
        stacked = np.zeros((len(level), THIRDS, 8), dtype=np.float32)
        for i, harmonic in enumerate((0.5, 1, 2, 3, 4, 5, 6, 7)):
            shift = round(PER_OCTAVE * np.log2(harmonic))
            first, last = max(0, -shift), min(THIRDS, BINS - shift)
            stacked[:, first:last, i] = level[:, first + shift : last + shift]
        inner = np.maximum(self._layer(stacked, (32, 8, 5, 5), 3), 0)
        near = np.maximum(self._layer(stacked, (8, 8, 3, 39)), 0)
        pitch = self._layer(near, (1, 8, 5, 5))
        wide = np.maximum(self._layer(_logistic(pitch), (32, 1, 7, 7), 3), 0)
        note = self._layer(wide, (1, 32, 7, 3))
        onset = self._layer(np.concatenate([_logistic(note), inner], axis=2), (1, 33, 3, 3))
        return pitch[..., 0], note[..., 0], onset[..., 0], inner

    def _layer(self, x: np.ndarray, shape: tuple[int, ...], stride: int = 1) -> np.ndarray:
        """Convolve [shape=(T, F, C)], zeros beyond the ends, so that F / stride remain."""
        weights, bias = self.layers[shape]
        out, channels, times, wide = shape
        whole = max(wide - stride, 0)
        before = whole // 2
        padded = np.pad(x, ((times // 2, times // 2), (before, whole - before), (0, 0)))
        n, columns = len(x), (padded.shape[1] - wide) // stride + 1
        taps = weights.transpose(2, 3, 1, 0).reshape(times, wide * channels, out).copy()
        step, along, _ = padded.strides
        windows = np.lib.stride_tricks.as_strided(
            padded,
            (len(padded), columns, wide * channels),
            (step, along * stride, padded.itemsize),
        )
        windows = np.ascontiguousarray(windows)
        total = np.zeros((n * columns, out), dtype=np.float32) + bias
        for tap in range(times):
            total += windows[tap : tap + n].reshape(-1, wide * channels) @ taps[tap]
        return np.asarray(total.reshape(n, columns, out))


def _logistic(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)), dtype=np.float32)


class HearingNetwork(KeptNetwork):
    """A note network that also reads what Basic Pitch says."""

    _n_beside = ODDS + INNER

    def __init__(self, folder: Path, heard: Path, network: BasicPitch, **settings: object) -> None:
        super().__init__(folder, None, **settings)
        self.heard_folder, self.basic_pitch = heard, network

    def _heard(self, signal: Signal) -> Any:
        return super()._heard(signal), signal.cached(("basic pitch",), lambda: self._said(signal))

    def _said(self, signal: Signal) -> tuple[np.ndarray, np.ndarray]:
        """Return log odds [shape=(T, 136, 4)] and inner numbers [shape=(T, 88, 32)], in frames."""
        path = self.heard_folder / f"{Path(signal.name).parent.name}.npz"
        if path.exists():
            with np.load(path) as kept:
                return kept["odds"], kept["inner"]
        x = signal.samples
        if signal.rate != RATE:
            x = soxr.resample(x, signal.rate, RATE)
        pitch, note, onset, inner = self.basic_pitch.answers(x)
        thirds = pitch.reshape(-1, KEYS, 3)
        odds = np.stack([onset, note, thirds.max(axis=2), thirds[:, :, 1]], axis=2)
        odds = np.pad(odds, ((0, 0), (PAD, PAD), (0, 0)), constant_values=SILENT)
        said = _in_frames(odds, signal).astype(np.float32), _in_frames(inner, signal)
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(path, odds=said[0], inner=said[1].astype(np.float16))
        return said[0], said[1].astype(np.float16)

    def _write(
        self, x: np.ndarray, heard: Any, pitch: int, first: int, context: np.ndarray | None
    ) -> None:
        levels, (odds, inner) = heard
        own = x.shape[1] - self._n_beside
        super()._write(x[:, :own], levels, pitch, first, context)
        x[:, own : own + ODDS] = SILENT
        begin, end = max(first, 0), min(first + len(x), len(odds))
        if end > begin:
            row, key = x[begin - first : end - first], pitch - LOWEST
            for column in (0, 1):
                at = own + column * BESIDE.size
                row[:, at : at + BESIDE.size] = odds[begin:end, key + PAD + BESIDE, column]
            row[:, own + ODDS - 2 : own + ODDS] = odds[begin:end, key + PAD, 2:]
            row[:, own + ODDS :] = inner[begin:end, key]


def _in_frames(a: np.ndarray, signal: Signal) -> np.ndarray:
    """Interpolate from the frames of Basic Pitch to those of a signal, centred on onsets."""
    at = np.arange(signal.n_frames) * signal.hop * RATE / HOP
    k = np.clip(at.astype(np.intp), 0, len(a) - 2)
    share = np.clip(at - k, 0, 1).astype(np.float32).reshape(-1, 1, 1)
    return np.asarray(a[k] * (1 - share) + a[k + 1] * share)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("onnx", help="nmp.onnx of the wheel")
    parser.add_argument("--work", default="music-work", help="where networks are kept")
    parser.add_argument("--weights", default="piano", help="a model with all other weights")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--batch", type=int, default=16, help="stretches in an update")
    parser.add_argument("--seed", type=int, default=0, help="of the networks")
    parser.add_argument("--without", action="store_true", help="train plain networks")
    arguments = parser.parse_args()
    examples = dealt(align.read_corpus(arguments.corpus, kind="music"), arguments.folds)
    work = Path(arguments.work)
    settings = {"random_state": arguments.seed, "batch": arguments.batch}
    kept = KeptNetwork(work / "networks", None, **settings)
    if not arguments.without:
        network = BasicPitch(arguments.onnx)
        kept = HearingNetwork(work / "hearing", work / "heard", network, **settings)
    known = held_out(examples, arguments.weights, kept)
    found: dict[str, Any] = {}
    for fold in range(arguments.folds):
        for _, errors in placed(examples, fold, known):
            found.update(errors)
    print_tables("default", found, whole=True)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
