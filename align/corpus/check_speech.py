"""What is wrong with a corpus of speech, before hours are spent on it.

Problems: a file that cannot be used, an unknown phone. Warnings: audio without labels and the
other way round, files that another one hides, phones suspiciously short or long, silences in a
row, labels that end long before the recording, sampling rates and channels unlike most, and
labels that look alike and are stored in two ways.
"""

import os
import unicodedata
from collections.abc import Collection, Iterator, Mapping

from align.corpus.issues import Issue, Validation, odd_formats
from align.corpus.listing import AUDIO_SUFFIXES
from align.corpus.pairs import Pair, find_pairs, hidden_by
from align.corpus.reading import check_samples, problem_of, read_pair
from align.errors import AlignError, DataError
from align.files.names import suffix_of
from align.formats.files import read_labels
from align.formats.phone_map import nearest_label
from align.formats.tiers.labels import OVERRUN, Labels, check_no_sentence
from align.progress import Progress, counted
from align.types import SILENCES

_SHORT, _LONG = 0.004, 1.0
"""Phones outside these lengths in seconds deserve a second look (TIMIT's lie within them)."""

_MANY = 5  # odd lengths in one file, beyond which they are told together


def validate_speech(
    root: str,
    *,
    phones: Collection[str] | None = None,
    tier: str | None = None,
    progress: Progress | None = None,
) -> Validation:
    """Return what `align.corpus.validate_corpus` returns, of a folder or manifest of speech."""
    pairs = find_pairs(root, None)
    if not pairs:
        raise DataError("holds neither audio nor labels.", path=root)
    errors: list[Issue] = []
    warnings: list[Issue] = []
    formats: dict[str, tuple[int, int]] = {}
    stored: dict[str, str] = {}
    for pair in counted(pairs, progress, "checking"):
        if pair.audio is None or pair.labels is None:
            missing = "audio" if pair.audio is None else "labels"
            warnings.append(Issue(pair.path, f"has no {missing} of its name beside it."))
            continue
        warnings.extend(hidden_files(pair))
        try:
            info, labels = read_pair(pair, tier)
            check_samples(pair.audio)
            check_no_sentence(labels.labels, labels.path)
        except AlignError as error:
            path, reason = problem_of(error, pair.path)
            errors.append(Issue(path, reason, "error"))
            continue
        formats[pair.audio] = (info.rate, info.channels)
        warnings.extend(_odd_labels(labels, info.duration))
        warnings.extend(_odd_end(pair.labels, info.duration, tier))
        for label in labels.labels:
            stored.setdefault(label, pair.path)
        if phones is not None:
            errors.extend(_unknown_phones(labels, phones))
    bare = [pair for pair in pairs if pair.audio is not None and pair.labels is None]
    if len(bare) > 1 and all(pair.labels is None for pair in pairs):
        texts = sum(os.path.exists(f"{os.path.splitext(pair.path)[0]}.txt") for pair in bare)
        hint = f"; {texts} have a transcript, which --text checks" if texts else ""
        why = f"none of its {len(bare)} recordings has labels of its name beside it{hint}."
        return Validation(0, (Issue(root, why, "error"),), ())
    warnings.extend(odd_formats(formats))
    warnings.extend(_stored_twice(stored))
    return Validation(len(formats), tuple(errors), tuple(warnings))


def hidden_files(pair: Pair) -> Iterator[Issue]:
    """Return the files of a whole pair that are not used, since another one hides them."""
    for other in pair.others:
        is_audio = suffix_of(other) in AUDIO_SUFFIXES
        yield Issue(other, hidden_by(str(pair.audio if is_audio else pair.labels), other))


def _unknown_phones(labels: Labels, phones: Collection[str]) -> Iterator[Issue]:
    assert labels.path is not None
    lines = labels.lines or range(1, len(labels) + 1)
    seen: dict[str, int] = {}
    for label, line in zip(labels.labels, lines, strict=True):
        if label not in phones:
            seen.setdefault(label, line)
    for label, line in seen.items():
        nearest = nearest_label(label, phones)
        hint = "" if nearest is None else f"; nearest known: {nearest!r}"
        yield Issue(labels.path, f"line {line}: unknown phone {label!r}{hint}.", "error")


def _stored_twice(stored: Mapping[str, str]) -> Iterator[Issue]:
    """Return labels that differ from others in how their accents are stored, and nothing else."""
    first: dict[str, str] = {}
    for label, path in stored.items():
        other = first.setdefault(unicodedata.normalize("NFC", label), label)
        if other != label:
            yield Issue(
                path,
                f"the accent of {label!r} is stored in another way than in {stored[other]} (NFC "
                "and NFD); a model takes them for two phones, so save both alike.",
            )


def _odd_labels(labels: Labels, duration: float) -> Iterator[Issue]:
    assert labels.path is not None
    lines = labels.lines or range(1, len(labels) + 1)
    lengths = labels.intervals[:, 1] - labels.intervals[:, 0]
    before = None
    odd: list[str] = []
    for label, line, length in zip(labels.labels, lines, lengths.tolist(), strict=True):
        silent = label in SILENCES
        if length < _SHORT or (length > _LONG and not silent):
            size = "short" if length < _SHORT else "long"
            odd.append(f"line {line}: {label!r} is suspiciously {size} ({1000 * length:.1f} ms)")
        if silent and label == before:
            yield Issue(
                labels.path, f"line {line}: {label!r} follows {label!r}; join the two into one."
            )
        before = label
    if len(odd) > _MANY:
        more = f"and {len(odd) - 1} others of {len(labels)} are"
        odd = [f"{odd[0]}, {more}; check the unit or sampling rate of the times"]
    yield from (Issue(labels.path, f"{text}.") for text in odd)
    if duration - labels.end > 1.0:
        yield Issue(
            labels.path,
            f"the last label ends at {labels.end:.3f} s, {duration - labels.end:.1f} s before the "
            "recording does; check that they belong together.",
        )


def _odd_end(path: str, duration: float, tier: str | None) -> Iterator[Issue]:
    """Compare where a TextGrid ends with where the recording does."""
    if suffix_of(path) != ".textgrid":
        return
    end = read_labels(path, tier=tier).duration
    if end is not None and abs(end - duration) > OVERRUN:
        yield Issue(
            path,
            f"ends at {end:.3f} s, the recording at {duration:.3f} s; check that they belong "
            "together.",
        )
