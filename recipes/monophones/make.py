"""Make `align/data/monophones.npz` of PocketSphinx's acoustic model of American English.

::

    pip download --no-deps pocketsphinx
    python recipes/monophones/make.py pocketsphinx-*.whl VOXANGELES TIMIT align/data/monophones.npz

The model has, for each of 42 phones, 128 Gaussians in each of three streams (cepstra and their
first and second differences), and for each of three states of a phone how much each of them
weighs. Here those that are near each other become one, 16 for a phone and stream.

Symbols of the IPA that occur ten times or more in the labels of two corpora are then each given
the phone that scores most where they are said. See the README beside this file.
"""

import argparse
import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

import align
from align.corpus.ipa import to_ipa
from align.features import Signal, read_audio
from align.features.monophones import HOP, gaussians_of, scores_of
from align.types import SILENCES

MODEL = "pocketsphinx/model/en-us/en-us/"
KEPT = 16  # Gaussians of a phone in a stream
OFTEN = 10  # times that a symbol is said, to be given a phone
NO_SPEECH = ("SIL", "+NSN+", "+SPN+")
LEAST_VARIANCE = 1e-4  # as PocketSphinx has it
LIFTER = 1.0 + 11.0 * np.sin(np.arange(13) * np.pi / 22)  # of its cepstra; ours have none
WEIGHT_STEP = 1024 * np.log(1.0001)  # its weights are bytes: negative logarithms in such steps


def gaussians(content: bytes) -> list[np.ndarray]:
    """Read means or variances, for each stream [shape=(42, 128, 13)]."""
    at = content.index(b"endhdr\n") + 7
    mark, phones, streams, codes = struct.unpack_from("<4i", content, at)
    if mark != 0x11223344:
        raise SystemExit("means and variances must be little-endian.")
    sizes = struct.unpack_from(f"<{streams}i", content, at + 16)
    values = np.frombuffer(content, "<f4", -1, at + 16 + 4 * streams + 4)
    rows = values[: phones * codes * sum(sizes)].reshape(phones, -1).astype(float)
    ends = codes * np.cumsum(sizes)[:-1]
    parts = np.split(rows, ends, axis=1)
    return [p.reshape(phones, codes, n) for p, n in zip(parts, sizes, strict=True)]


def weights(content: bytes, phones: int) -> np.ndarray:
    """Read the log weights of the states of phones without context [shape=(3, phones, 3, 128)]."""
    at = 0
    while True:  # lines of text, each behind its length, until one of none
        (n,) = struct.unpack_from("<i", content, at)
        at += 4 + n
        if n == 0:
            break
    codes, states = struct.unpack_from("<2i", content, at)
    table = np.frombuffer(content, np.uint8, 3 * codes * states, at + 8).reshape(3, codes, states)
    own = -WEIGHT_STEP * table[:, :, : 3 * phones].reshape(3, codes, phones, 3)
    return own.transpose(0, 2, 3, 1)


def names(content: bytes) -> list[str]:
    """Read the names of the phones."""
    (length,) = struct.unpack_from("<i", content, 8)
    (phones,) = struct.unpack_from("<i", content, 12 + length)
    return [name.decode() for name in content[12 + length + 40 :].split(b"\0")[:phones]]


def merged(
    mean: np.ndarray, variance: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return fewer Gaussians of a phone, each with the moments of those that it stands for."""
    share = weight.mean(axis=0) / weight.mean(axis=0).sum()
    spread = np.sqrt(share @ variance)
    near = KMeans(KEPT, n_init=3, random_state=0).fit(mean / spread, sample_weight=share)
    own = np.eye(KEPT)[near.labels_] * share[:, None]
    own /= own.sum(axis=0)
    means = own.T @ mean
    variances = own.T @ (variance + mean**2) - means**2
    return means, variances, np.log(weight @ np.eye(KEPT)[near.labels_])


def phones_of(
    examples: Sequence[align.Example],
    phones: Sequence[str],
    table: Mapping[str, np.ndarray],
) -> dict[str, int]:
    """Return the phone that scores most where each symbol of the IPA is said, if it often is."""
    speech = np.array([k for k, name in enumerate(phones) if name not in NO_SPEECH])
    found: dict[str, list[np.ndarray]] = {}
    for example in examples:
        samples, rate = read_audio(str(example.audio), 16000)
        scores = scores_of(Signal(samples, rate), gaussians_of(table))
        scores -= scores.max(axis=1, keepdims=True)
        frames = np.rint(np.append(example.onsets, len(scores) * HOP) / HOP).astype(int)
        for event, first, last in zip(example.events, frames, frames[1:], strict=False):
            label = str(event)
            if label not in SILENCES and first < len(scores):
                mean = scores[first : max(last, first + 1), speech].mean(axis=0)
                found.setdefault(label, []).append(mean)
    often = {label: rows for label, rows in sorted(found.items()) if len(rows) >= OFTEN}
    return {label: int(speech[np.mean(rows, axis=0).argmax()]) for label, rows in often.items()}


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wheel", type=Path)
    parser.add_argument("voxangeles", type=Path)
    parser.add_argument("timit", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    with zipfile.ZipFile(options.wheel) as wheel:
        content = {
            name: wheel.read(MODEL + name) for name in ("means", "variances", "sendump", "mdef")
        }
    phones = names(content["mdef"])
    log_weights = weights(content["sendump"], len(phones))
    shape = (3, len(phones), KEPT)
    means, variances = np.zeros((*shape, 13)), np.zeros((*shape, 13))
    kept = np.zeros((3, len(phones), 3, KEPT))
    streams = zip(gaussians(content["means"]), gaussians(content["variances"]), strict=True)
    for s, (mean, variance) in enumerate(streams):
        variance = np.maximum(variance, LEAST_VARIANCE)
        for p in range(len(phones)):
            weight = np.exp(log_weights[s, p])
            means[s, p], variances[s, p], kept[s, p] = merged(mean[p], variance[p], weight)
    table = {
        "phones": np.array(phones),
        "means": (means / LIFTER).astype(np.float16),
        "deviations": (np.sqrt(variances) / LIFTER).astype(np.float16),
        "weights": kept.astype(np.float16),
    }
    words = align.read_corpus(options.voxangeles, kind="speech")
    sentences = to_ipa(align.read_corpus(options.timit, kind="speech"))
    symbols = phones_of([*words, *sentences], phones, table)
    table |= {"symbols": np.array([*symbols]), "columns": np.array([*symbols.values()])}
    out = io.BytesIO()
    np.savez_compressed(out, **table)
    options.out.write_bytes(out.getvalue())
    print(f"{options.out}: {len(out.getvalue()) / 1000:.0f} kB, {' '.join(phones)}")
    print(" ".join(f"{symbol}={phones[column]}" for symbol, column in symbols.items()))


if __name__ == "__main__":
    main()
