"""Tiers: several rows of labels over one recording, such as words above phones.

A *tier* holds intervals or points in time and has a name. Of a recording with one speaker the
words and phones are called ``words`` and ``phones``; of several, ``<speaker> - words`` and
``<speaker> - phones``. `Tiers` is what a file with tiers says, and what the writers of such files
are given.
"""

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.formats.tiers.labels import OVERRUN, SLACK, Known, Labels, TimedLabels, make_labels
from align.types import SILENCE

PHONES, WORDS, UTTERANCES = "phones", "words", "utterances"
_OTHER_NAMES = {  # of WebMAUS, EMU and others, in any case
    PHONES: r"mau|phonemes?",
    WORDS: r"ort-mau",
}
"""Names of the tiers of one speaker; those of several have the name of the speaker before it.
What was said is, of several, in a tier that is called as the speaker."""

_OF_SPEAKERS = r".* - phones?"
"""Names of tiers of phones, of speakers who have a name, in any case."""

CONFIDENCE = "confidence"
"""Name of a tier of points: how sure the onset of each phone is."""

INTERVAL = "95 %"
"""Name of a tier of points: between which times the onset of each phone lies."""


@dataclass(frozen=True)
class Tier:
    """One tier, as the file has it.

    Parameters
    ----------
    name : str
        Its name.
    kind : str
        ``"interval"`` or ``"point"``.
    labels : tuple of str, length K
        The labels, untouched.
    times : tuple of (float, float), length K
        Start and end of each in seconds; both the time itself in a point tier.
    lines : tuple of int
        Line of each label, counted from 1; empty where there are no lines.
    end : float
        Where the tier ends, in seconds.
    known : Known
        What an aligner knows of the labels besides.
    spoken : bool
        False where the file says that it is about another tier, as a translation is, or of codes.
    instants : tuple of (str, float)
        Labels of a tier of intervals that have no length, which are not among `labels`, and when.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    times: tuple[tuple[float, float], ...]
    lines: tuple[int, ...]
    end: float
    known: Known = field(default=Known(), compare=False)  # has arrays
    spoken: bool = True
    instants: tuple[tuple[str, float], ...] = ()

    @classmethod
    def of_rows(
        cls,
        name: str,
        rows: Iterable[tuple[str, float, float]],
        kind: str = "interval",
        *,
        lines: Sequence[int] = (),
        end: float = 0.0,
        spoken: bool = True,
    ) -> Self:
        """Return labels with their starts and ends in seconds as a tier of this name.

        Points begin and end at their start. The tier ends with the last label, or at `end`.
        """
        rows = list(rows)
        labels = tuple([label for label, _, _ in rows])
        times = [(start, start if kind == "point" else stop) for _, start, stop in rows]
        last = max([end, *(stop for _, stop in times)])
        return cls(name, kind, labels, tuple(times), tuple(lines), last, spoken=spoken)

    @classmethod
    def of_labels(cls, alignment: TimedLabels, name: str) -> Self:
        """Return labels, with what is known of them, as a tier of this name."""
        spans = tuple((start, stop) for start, stop in alignment.intervals.tolist())
        end = spans[-1][1] if alignment.duration is None else alignment.duration
        return cls(name, "interval", alignment.labels, spans, (), end, Known.of(alignment))

    def only(self, places: Iterable[int]) -> Self:
        """Return it with the labels of these places alone, in their order."""
        kept = list(places)
        return replace(
            self,
            labels=tuple(self.labels[k] for k in kept),
            times=tuple(self.times[k] for k in kept),
            lines=tuple(self.lines[k] for k in kept) if self.lines else (),
        )

    def as_labels(self, path: StrPath | None, duration: float | None, silence: str) -> Labels:
        """Return its labels, as `make_labels` checks them."""
        return make_labels(
            *(self.labels, self.times),
            path=path,
            lines=self.lines,
            duration=duration,
            silence=silence,
        )

    def is_named(self) -> bool:
        """Whether it is of words or phones, where time without a label is a silence."""
        return _is_of(self, PHONES) or self.is_words()

    def is_words(self) -> bool:
        """Whether it is of words, by its name."""
        return _is_of(self, WORDS)

    def without_instants(self) -> "Tier":
        """Return it with labels that begin and end at the same time apart."""
        rows = list(zip(self.labels, self.times, strict=True))
        if self.kind == "point" or all(start != end for _, (start, end) in rows):
            return self
        long = self.only([k for k, (_, (start, end)) in enumerate(rows) if start != end])
        instants = tuple((label, start) for label, (start, end) in rows if start == end)
        return replace(long, instants=instants)

    def whole(self, path: StrPath | None, advice: str = "") -> Self:
        """Return it; raises DataError where it lacks a label, which has no length.

        `advice` is what else one may do.
        """
        for label, time in self.instants:
            if label.strip():
                raise DataError(
                    f"{label!r} in tier {self.name!r} has no length (it starts and ends at "
                    f"{time:g} s); remove it or move its end{advice}.",
                    path=path,
                )
        return self

    def filled(self, duration: float | None) -> "Tier":
        """Return it with labels without text before its first label and after its last.

        `duration` is that of the recording in seconds; None where it is not known.
        """
        if not self.labels:
            return self
        labels, times = list(self.labels), list(self.times)
        if times[0][0] > SLACK:
            labels.insert(0, "")
            times.insert(0, (0.0, times[0][0]))
        if duration is not None and duration - times[-1][1] > SLACK:
            labels.append("")
            times.append((times[-1][1], duration))
        return replace(self, labels=tuple(labels), times=tuple(times))


class Speaker(NamedTuple):
    """The tiers of one speaker; the name is empty where there is but one."""

    name: str
    phones: Tier
    words: Tier | None


@dataclass(frozen=True, eq=False)
class Origin:
    """The file that tiers were read from, where it says more than they do.

    Parameters
    ----------
    format : str
        Its format, as in `align.formats.table`.
    tiers : tuple of Tier
        What was read.
    beyond : tuple of str
        What it says that tiers do not, in words.
    content : bytes
        What stands in it.
    parents : mapping of str to str
        The tier that a tier depends on, by their names.
    """

    format: str
    tiers: tuple[Tier, ...]
    beyond: tuple[str, ...]
    content: bytes = field(repr=False)
    parents: Mapping[str, str]

    def holds(self, format: str, tiers: "Tiers") -> bool:
        """Whether tiers are some of this file, as they were read, and those they depend on."""
        names = {tier.name for tier in tiers}
        return (
            format == self.format
            and len(names) == len(tiers)
            and all(any(tier is own for own in self.tiers) for tier in tiers)
            and all(self.parents.get(name, name) in names for name in names)
        )


@dataclass(frozen=True, eq=False)
class Tiers:
    """All tiers of one recording, in the order of the file.

    Parameters
    ----------
    tiers : sequence of Tier
        At least one.
    duration : float
        Length of the recording in seconds.
    path : str, optional
        Where they were read.
    audio : str, optional
        The recording.
    rate : int, optional
        Its sampling rate in Hz.
    origin : Origin, optional
        The file, where it says more than the tiers.
    """

    tiers: tuple[Tier, ...]
    duration: float
    path: str | None = None
    audio: str | None = None
    rate: int | None = None
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.tiers)

    def __iter__(self) -> Iterator[Tier]:
        return iter(self.tiers)

    @classmethod
    def of_labels(cls, alignment: TimedLabels, name: str) -> Self:
        """Return labels as the only tier, of this name."""
        one = Tier.of_labels(alignment, name)
        return cls((one,), one.end, audio=alignment.audio, rate=alignment.rate)

    def labels_of(self, tier: Tier) -> Labels:
        """Return a tier of intervals as labels, with what is known of the recording."""
        return Labels(
            tier.labels,
            np.array(tier.times, dtype=np.float64).reshape(-1, 2),
            self.path,
            tier.lines,
            self.duration,
            audio=self.audio,
            rate=self.rate,
            **tier.known._asdict(),
        )

    def words(self) -> Tier | None:
        """Return the tier of words; None where there is none, or several speakers have one."""
        found = self.of_words()
        return found[0] if len(found) == 1 else None

    def of_words(self) -> tuple[Tier, ...]:
        """Return the tiers of words, of all speakers."""
        return tuple(tier for tier in self.tiers if tier.is_words())

    def phones(self, wanted: str | None = None) -> Tier:
        """Return the tier of this name, by default that of the phones; see `choose_tier`."""
        return choose_tier(self.tiers, wanted, self.path)

    def speakers(self) -> list[Speaker]:
        """Return words and phones of each speaker; raises DataError where none has phones."""
        named = {tier.name: tier for tier in self.tiers[::-1] if tier.kind == "interval"}
        found = []
        for name in reversed(named):
            if name == PHONES or name.endswith(f" - {PHONES}"):
                prefix = name.removesuffix(PHONES)
                words = named.get(prefix + WORDS)
                found.append(Speaker(prefix.removesuffix(" - "), named[name], words))
        if found:
            return found
        phones, words = self.phones(), self.words()
        return [Speaker("", phones, None if words is phones else words)]


def _is_of(tier: Tier, what: str) -> bool:
    """Whether a tier is of words or phones, by its name, which may be without the plural."""
    ending = rf"(.* - )?{what[:-1]}s?|{_OTHER_NAMES[what]}"
    return tier.kind == "interval" and bool(
        re.fullmatch(ending, tier.name.strip(), re.IGNORECASE | re.DOTALL)
    )


def speaker_of(tier: Tier, tiers: Tiers) -> str:
    """Return who speaks in a tier, by its name; empty where that says nothing."""
    speaker, separator, _ = tier.name.rpartition(" - ")
    own = {f"{tier.name} - {PHONES}", f"{tier.name} - {WORDS}"}
    return speaker if separator or own.isdisjoint(each.name for each in tiers) else tier.name


def check_names(tiers: Tiers, program: str) -> None:
    """Refuse tiers that `program` could not distinguish."""
    names = [tier.name for tier in tiers]
    for name in names:
        count = names.count(name)
        if not name or count > 1:
            have = "a tier has no name" if count == 1 else f"{count} tiers are called {name!r}"
            raise DataError(
                f"{have}, and {program} needs a name for each; rename them.",
                path=tiers.path,
            )


def with_confidence(tiers: Tiers) -> Tiers:
    """Return tiers, and after each of phones those of points: how sure each onset is.

    A point stands where a phone begins. In the first tier its label is the confidence, as in
    ``0.97``, in the second the 95 % interval in seconds, as in ``0.512 0.531``. Tiers of which
    either is not known have none.
    """
    found: list[Tier] = []
    for tier in tiers:
        found.append(tier)
        if not _is_of(tier, PHONES):
            continue
        before = tier.name.removesuffix(PHONES)
        times = tuple((start, start) for start, _ in tier.times)
        sure, near = tier.known.confidence, tier.known.onset_intervals
        if sure is not None:
            labels = tuple(f"{value:.2f}" for value in sure)
            found.append(Tier(before + CONFIDENCE, "point", labels, times, (), tier.end))
        if near is not None:
            labels = tuple(f"{low:.3f} {high:.3f}" for low, high in near)
            found.append(Tier(before + INTERVAL, "point", labels, times, (), tier.end))
    return replace(tiers, tiers=tuple(found))


def choose_tier(tiers: Sequence[Tier], wanted: str | None, path: StrPath | None) -> Tier:
    """Return the tier of this name, by default that of the phones, else the only one.

    A tier ``phones`` beside labelled ones of speakers is but one more speaker, who has no name: of
    a conversation with a title, for example, it may hold nothing that was said.
    """
    intervals = [tier for tier in tiers if tier.kind == "interval"]
    have = ", ".join(repr(tier.name) for tier in intervals) or "none"
    if wanted is not None:
        found = [tier for tier in intervals if tier.name == wanted]
        if not found:
            raise DataError(
                f"has no interval tier {wanted!r}; its interval tiers: {have}.", path=path
            )
        return found[0]
    speaking = [tier for tier in intervals if _is_of_speaker(tier) and _says_anything(tier)]
    for ending in (r"phones", r"phone", _OF_SPEAKERS, _OTHER_NAMES[PHONES]):
        found = [t for t in intervals if re.fullmatch(ending, t.name.strip(), re.I | re.S)]
        if found and ending != _OF_SPEAKERS and speaking:
            found = [*filter(_says_anything, found), *speaking]
        if len(found) == 1:
            return found[0]
        if found:
            raise DataError(
                f"several tiers could hold the phones ({have}); name the one to read (--tier).",
                path=path,
            )
    if len(intervals) == 1:
        return intervals[0]
    raise DataError(
        f"has no tier 'phones' (interval tiers: {have}); rename a tier, name the one to read "
        "(--tier), or ask for what is said (--text, where the command has it).",
        path=path,
    )


def _is_of_speaker(tier: Tier) -> bool:
    return re.fullmatch(_OF_SPEAKERS, tier.name.strip(), re.I | re.S) is not None


def _says_anything(tier: Tier) -> bool:
    return any(label.strip() not in ("", SILENCE) for label in tier.labels)


def labelled_tier(tiers: Sequence[Tier], wanted: str | None, path: StrPath) -> Tier:
    """Return what `choose_tier` does; DataError if it has no labels."""
    chosen = choose_tier(tiers, wanted, path)
    if not any(label.strip() for label in chosen.labels):
        raise DataError(f"tier {chosen.name!r} is empty; label it first.", path=path)
    return chosen


def checked_tiers(
    tiers: Sequence[Tier], path: StrPath, *, duration: float | None = None, silence: str = "sil"
) -> Tiers:
    """Return tiers as a file has them, checked as `make_labels` checks labels.

    Every interval ends where the next begins; DataError names the line where times cannot be
    right. `duration`, of the recording in seconds, is by default where the last tier ends.
    `silence` names labels without text and gaps in tiers of phones and words, and in the only tier
    of intervals. Elsewhere such a label may mean anything, and stays without text.
    """
    alone = sum(tier.kind == "interval" for tier in tiers) == 1
    checked = []
    for tier in tiers:
        named = alone or tier.is_named()
        checked.append(_checked(tier, path, duration, silence if named else ""))
    if duration is None:
        ends = [t.end for t in tiers] + [end for t in checked for _, end in t.times[-1:]]
        duration = max(ends, default=0.0)
    return Tiers(tuple(checked), duration, os.fspath(path))


def _checked(tier: Tier, path: StrPath, duration: float | None, silence: str) -> Tier:
    if tier.kind == "point":
        return _checked_points(tier, path, duration)
    if not tier.labels:
        return tier
    silence = silence if any(label.strip() for label in tier.labels) else ""  # not labelled yet
    labels = tier.as_labels(path, duration, silence)
    times = tuple((start, end) for start, end in labels.intervals.tolist())
    return replace(tier, labels=labels.labels, times=times, lines=labels.lines)


def _checked_points(tier: Tier, path: StrPath, duration: float | None) -> Tier:
    """Refuse points outside the recording; those that rounding put behind its end are moved."""
    last = math.inf if duration is None else duration
    times = []
    for k, (time, _) in enumerate(tier.times):
        if not (0 <= time <= last + OVERRUN and math.isfinite(time)):
            raise DataError(
                f"the point {tier.labels[k]!r} of tier {tier.name!r} stands at {time:g} s, "
                "outside the recording; correct its time.",
                path=path,
                line=tier.lines[k] if tier.lines else None,
            )
        times.append((min(time, last), min(time, last)))
    return replace(tier, times=tuple(times))
