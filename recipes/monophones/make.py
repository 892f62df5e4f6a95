"""Make two tables in `align/data` of PocketSphinx's acoustic model of American English.

::

    pip download --no-deps pocketsphinx
    python recipes/monophones/make.py pocketsphinx-*.whl VOXANGELES TIMIT align/data/monophones.npz

The model has, for each of 42 phones, 128 Gaussians in each of three streams (cepstra and their
first and second differences), and for each of three states of a phone how much each of them
weighs. Here those that are near each other become one, 16 for a phone and stream.

Beside `monophones.npz` lies `triphones.npz`: how much each of these weighs for each of some 5,000
senones, pieces of phones between neighbours, and which senones a phone has between two others.

Symbols of the IPA that occur ten times or more in the labels of two corpora are then each given
the phone that scores most where they are said. See the README beside this file.
"""

import argparse
import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans

import align
from align.corpus.ipa import to_ipa
from align.features import Signal, read_audio
from align.features.phones.monophones import HOP, SCALE, gaussians_of, scores_of
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


def weights(content: bytes) -> np.ndarray:
    """Read the log weights of the senones [shape=(3, 128, n)].

    The first are those of the three states of each phone without context.
    """
    at = 0
    while True:  # lines of text, each behind its length, until one of none
        (n,) = struct.unpack_from("<i", content, at)
        at += 4 + n
        if n == 0:
            break
    codes, states = struct.unpack_from("<2i", content, at)
    table = np.frombuffer(content, np.uint8, 3 * codes * states, at + 8)
    return -WEIGHT_STEP * table.reshape(3, codes, states)


class Definition(NamedTuple):
    """Names of phones, which three senones each has alone, and between others.

    `contexts` has rows of a place in the word (0 inside, 1 first, 2 last, 3 alone), a phone, the
    one before it and the one behind, and the number of a row of `rows`, which has its senones.
    """

    names: list[str]
    alone: np.ndarray
    contexts: np.ndarray
    rows: np.ndarray


def definition(content: bytes) -> Definition:
    """Read the definition of the model."""
    (length,) = struct.unpack_from("<i", content, 8)
    start = 12 + length
    counts = struct.unpack_from("<10i", content, start)
    phones, every, states, rows, nodes = (counts[k] for k in (0, 1, 2, 6, 8))
    start += 40
    names = content[start:].split(b"\0")[:phones]
    size = sum(len(name) + 1 for name in names)
    start += -(-size // 4) * 4 + 8 * nodes
    kinds = np.dtype([("row", "<i4"), ("transitions", "<i4"), ("context", "u1", 4)])
    table = np.frombuffer(content, kinds, every, start)
    start += every * kinds.itemsize + 4
    senones = np.frombuffer(content, "<u2", rows * states, start).reshape(rows, states)
    others = table[phones:]
    contexts = np.column_stack((others["context"].astype(int), others["row"]))
    return Definition(
        [name.decode() for name in names],
        senones[table["row"][:phones]].astype(int),
        contexts,
        senones.astype(int),
    )


def transitions(content: bytes) -> np.ndarray:
    """Read the log probabilities of staying in the states of phones [shape=(n, 3)]."""
    at = content.index(b"endhdr\n") + 7
    _, phones, states, targets, size = struct.unpack_from("<5i", content, at)
    table = np.frombuffer(content, "<f4", size, at + 20).reshape(phones, states, targets)
    own = np.arange(states)
    return (table[:, own, own] / table.sum(axis=2)).astype(float)


def merged(
    mean: np.ndarray, variance: np.ndarray, weight: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return fewer Gaussians of a phone, each with the moments of those that it stands for.

    And which of them stands for each [shape=(128, 16)].
    """
    share = weight.mean(axis=0) / weight.mean(axis=0).sum()
    spread = np.sqrt(share @ variance)
    near = KMeans(KEPT, n_init=3, random_state=0).fit(mean / spread, sample_weight=share)
    own = np.eye(KEPT)[near.labels_] * share[:, None]
    own /= own.sum(axis=0)
    means = own.T @ mean
    variances = own.T @ (variance + mean**2) - means**2
    return means, variances, np.eye(KEPT)[near.labels_]


def triphones(
    found: Definition, log_weights: np.ndarray, stay: np.ndarray
) -> dict[str, np.ndarray]:
    """Return what `triphones.npz` holds, given weights of the Gaussians kept [shape=(3, 16, n)].

    Senones are numbered anew, by phone and state. A context that the model has not is that of
    another place in the word, or the phone without context.
    """
    n = len(found.names)
    senones = np.tile(found.alone[:, :, None, None, None], (1, 1, 4, n, n))
    pause = found.names.index("SIL")
    known = np.full((4, n, n, n), -1)
    known[tuple(found.contexts[:, :4].T)] = found.contexts[:, 4]
    for other in [k for k, name in enumerate(found.names) if name in NO_SPEECH and k != pause]:
        known[:, :, other], known[:, :, :, other] = known[:, :, pause], known[:, :, :, pause]
    for place in range(4):
        rows = known[place].copy()
        for instead in range(4):
            rows = np.where(rows < 0, known[instead], rows)
        own = np.moveaxis(found.rows[rows], -1, 1)
        senones[:, :, place] = np.where(rows[:, None] < 0, senones[:, :, place], own)
    first, order = np.zeros((n, 3), int), []
    contexts = np.zeros(senones.shape, np.uint8)
    phone = []
    for p in range(n):
        for state in range(3):
            own, contexts[p, state] = np.unique(senones[p, state], return_inverse=True)
            first[p, state] = len(order)
            order += own.tolist()
            phone += [p] * len(own)
    step = np.round(-log_weights[:, :, order] / WEIGHT_STEP)
    return {
        "first": first.astype(np.int16),
        "contexts": contexts,
        "weights": np.clip(step, 0, 255).astype(np.uint8).transpose(2, 0, 1),
        "step": np.float32(WEIGHT_STEP),
        "phone": np.array(phone, np.int8),
        "stay": (SCALE * np.log(stay)).astype(np.float32),
        "leave": (SCALE * np.log(1.0 - stay)).astype(np.float32),
    }


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


def write(path: Path, table: Mapping[str, np.ndarray]) -> None:
    """Write arrays, and say how large they are."""
    out = io.BytesIO()
    np.savez_compressed(out, **table)
    path.write_bytes(out.getvalue())
    print(f"{path}: {len(out.getvalue()) / 1000:.0f} kB")


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
            name: wheel.read(MODEL + name)
            for name in ("means", "variances", "sendump", "mdef", "transition_matrices")
        }
    found = definition(content["mdef"])
    phones, n_alone = found.names, 3 * len(found.names)
    log_weights = weights(content["sendump"])
    senone_phone = np.repeat(np.arange(len(phones)), 3)
    senone_phone = np.append(senone_phone, np.zeros(log_weights.shape[2] - n_alone, int))
    senone_phone[found.rows[found.contexts[:, 4]]] = found.contexts[:, 1, None]
    shape = (3, len(phones), KEPT)
    means, variances = np.zeros((*shape, 13)), np.zeros((*shape, 13))
    kept = np.zeros((3, len(phones), 3, KEPT))
    of_senones = np.zeros((3, KEPT, log_weights.shape[2]))
    streams = zip(gaussians(content["means"]), gaussians(content["variances"]), strict=True)
    for s, (mean, variance) in enumerate(streams):
        variance = np.maximum(variance, LEAST_VARIANCE)
        for p in range(len(phones)):
            every = np.exp(log_weights[s][:, senone_phone == p])
            alone = np.exp(log_weights[s, :, 3 * p : 3 * p + 3]).T
            means[s, p], variances[s, p], near = merged(mean[p], variance[p], alone)
            kept[s, p] = np.log(alone @ near)
            of_senones[s][:, senone_phone == p] = np.log(near.T @ every)
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
    write(options.out, table)
    stay = transitions(content["transition_matrices"])
    write(options.out.with_name("triphones.npz"), triphones(found, of_senones, stay))
    print(" ".join(f"{symbol}={phones[column]}" for symbol, column in symbols.items()))


if __name__ == "__main__":
    main()
