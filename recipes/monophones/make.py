"""Make `align/data/monophones.npz` of PocketSphinx's acoustic model of American English.

::

    pip download --no-deps pocketsphinx
    python recipes/monophones/make.py pocketsphinx-*.whl align/data/monophones.npz

The model has, for each of 42 phones, 128 Gaussians in each of three streams (cepstra and their
first and second differences), and for each of three states of a phone how much each of them
weighs. Here those that are near each other become one, 16 for a phone and stream. See the README
beside this file.
"""

import argparse
import io
import struct
import zipfile
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

MODEL = "pocketsphinx/model/en-us/en-us/"
KEPT = 16  # Gaussians of a phone in a stream
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


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wheel", type=Path)
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
    out = io.BytesIO()
    np.savez_compressed(
        out,
        phones=np.array(phones),
        means=(means / LIFTER).astype(np.float16),
        deviations=(np.sqrt(variances) / LIFTER).astype(np.float16),
        weights=kept.astype(np.float16),
    )
    options.out.write_bytes(out.getvalue())
    print(f"{options.out}: {len(out.getvalue()) / 1000:.0f} kB, {' '.join(phones)}")


if __name__ == "__main__":
    main()
