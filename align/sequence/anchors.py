"""Known onsets as constraints: from times in seconds to windows of frames, and back, exactly.

An *anchor* says when an event begins. The event gets a window of one frame, that nearest to the
time, so that the decoder finds the best timing of all others exactly; after placement it gets the
time itself, and its neighbours stay on their sides of it. An anchor that no timing can meet is
named before anything is decoded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from align.decoders import Lattice
from align.errors import DataError, ParameterError, plural
from align.features import Signal
from align.formats.anchors import AnchorRow, AnchorTable
from align.sequence.frames import in_order
from align.sequence.lattice.lattices import ExpandedLattice, neighbours
from align.types import Event, Float64, IntArray

_MOST_MOVED = 1  # frames from the nearest one, where anchors are less than a frame apart


@dataclass(frozen=True)
class Anchors:
    """When some of the events begin.

    Parameters
    ----------
    onsets : mapping of int to float
        Event, counted from 0, to the time in seconds at which it begins.
    tolerance : float, optional
        Seconds that an onset may be away from this time. By default half a frame in decoding,
        and the onset returned is exactly the time given.
    path : str, optional
        File they come from, for messages.
    lines : mapping of int to int
        Line of the file of each event, for messages.
    names : mapping of int to str
        What messages call an event; by default ``event 3 ('ae')``, counted from 1.
    origin : float
        Where in the recording, in seconds, the part begins that times are counted from; for
        messages.

    Raises
    ------
    ParameterError
        An event is no whole number from 0, a time is not finite, or the tolerance is negative.

    Examples
    --------
    >>> Anchors({2: 0.31, 5: 0.8}).onsets[2]
    0.31
    """

    onsets: Mapping[int, float]
    tolerance: float | None = None
    path: str | None = None
    lines: Mapping[int, int] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    origin: float = 0.0

    def __post_init__(self) -> None:
        for event, time in self.onsets.items():
            if isinstance(event, bool) or not isinstance(event, int | np.integer) or event < 0:
                raise ParameterError(f"anchors: {event!r} is no event, must be an int from 0.")
            if not np.isfinite(time):
                raise ParameterError(f"anchors: the time of event {event} is {time}, not finite.")
        if self.tolerance is not None and not self.tolerance >= 0:
            raise ParameterError(f"tolerance={self.tolerance}, must be at least 0 seconds.")

    @classmethod
    def of(cls, given: "GivenAnchors", labels: Sequence[str]) -> "Anchors | None":
        """Return the anchors that are meant, of events with these labels; None for none.

        Raises DataError where a row of a table fits no event, or several.
        """
        if given is None or isinstance(given, Anchors):
            return given or None
        if not isinstance(given, AnchorTable):
            return cls({**given}) if given else None
        events = _matched(given, [str(label).casefold() for label in labels])
        rows = list(zip(events, given.rows, strict=True))
        return cls(
            {event: row.time for event, row in rows},
            path=given.path,
            lines={event: row.line for event, row in rows if row.line is not None},
        )

    def __bool__(self) -> bool:
        return bool(self.onsets)

    def within(self, first: int, stop: int, begin: float) -> "Anchors | None":
        """Return those of events ``first .. stop - 1``, counted from there, from `begin` seconds.

        The first of these events has none where it begins before.
        """
        own = [k for k, time in self.onsets.items() if first <= k < stop and time >= begin]
        return self.moved({k - first: k for k in own}, begin) if own else None

    def moved(self, places: Mapping[int, int], begin: float) -> "Anchors":
        """Return those of the events that come to new places, in seconds from `begin` on.

        `places` has the event that comes to each.
        """
        pairs = places.items()
        return replace(
            self,
            onsets={new: self.onsets[k] - begin for new, k in pairs},
            lines={new: self.lines[k] for new, k in pairs if k in self.lines},
            names={new: self.names[k] for new, k in pairs if k in self.names},
            origin=self.origin + begin,
        )

    def error(self, event: int, labels: Sequence[str], why: str, name: str) -> DataError:
        """Return the error of an anchor; `name` is the recording, where there is no file."""
        path = name if self.path is None else self.path
        text = f"{self.called(event, labels)} cannot begin at {self.shown(event)} s: {why}"
        return DataError(text, path=path, line=self.lines.get(event))

    def called(self, event: int, labels: Sequence[str]) -> str:
        """Return what a message calls an event."""
        label = f" ({labels[event]!r})" if event < len(labels) else ""
        return self.names.get(event, f"event {event + 1}{label}")

    def shown(self, event: int) -> str:
        """Return the time of an event for a message, in seconds of the recording."""
        return f"{self.onsets[event] + self.origin:.3f}"

    def check(self, labels: Sequence[str], duration: float, name: str) -> None:
        """Raise DataError where an event or its time does not exist, or times go backwards."""
        before = -1
        for event in sorted(self.onsets):
            time = self.onsets[event]
            if why := _outside(event, time, len(labels), duration):
                pass
            elif before >= 0 and time <= self.onsets[before]:
                why = (
                    f"{self.called(before, labels)}, which is before it, begins at "
                    f"{self.shown(before)} s; correct one of the two."
                )
            else:
                before = event
                continue
            raise self.error(event, labels, why, name)


GivenAnchors: TypeAlias = Anchors | AnchorTable | Mapping[int, float] | None
"""Known onsets as users give them: by event, or rows of a file."""


def _matched(table: AnchorTable, labels: Sequence[str]) -> list[int]:
    """Return the event of each row: the only increasing choice of events with those labels.

    Where the earliest choice and the latest are the same there is no other.
    """
    earliest, at = [], 0
    for row in table.rows:
        k = next((k for k in range(at, len(labels)) if _fits(row, k, labels)), None)
        if k is None:
            raise _no_event(table, row, labels, at)
        earliest.append(k)
        at = k + 1
    at = len(labels) - 1
    for row, first in zip(table.rows[::-1], earliest[::-1], strict=True):
        last = next(k for k in range(at, -1, -1) if _fits(row, k, labels))
        if last != first:
            raise DataError(
                f"{row.label!r} at {row.time:.3f} s may be number {first + 1} or number "
                f"{last + 1} of what is aligned; give its number in a column `index`.",
                path=table.path,
                line=row.line,
            )
        at = last - 1
    return earliest


def _fits(row: AnchorRow, k: int, labels: Sequence[str]) -> bool:
    return (row.number is None or row.number == k + 1) and (
        not row.label or row.label.casefold() == labels[k]
    )


def _no_event(table: AnchorTable, row: AnchorRow, labels: Sequence[str], at: int) -> DataError:
    """Say why no event is left for a row."""
    what = f"{row.label!r} at {row.time:.3f} s"
    if row.number is not None and row.number > len(labels):
        why = f"{what} has index {row.number}, and there are {len(labels)} events"
    elif row.number is not None and not _fits(row, row.number - 1, labels):
        why = f"{what} has index {row.number}, and this event is {labels[row.number - 1]!r}"
    elif any(_fits(row, k, labels) for k in range(at)):
        why = f"{what} comes after an event that it must come before"
    else:
        why = f"{what} is none of the {len(labels)} events that are aligned"
    return DataError(f"{why}; correct or remove it.", path=table.path, line=row.line)


class Held(NamedTuple):
    """Anchors of one recording, in frames.

    Attributes
    ----------
    at : np.ndarray [shape=(A,), dtype=intp]
        Decoded events, or nodes of a lattice, that are held.
    known : np.ndarray [shape=(A,)]
        When they begin, in seconds.
    windows : np.ndarray [shape=(K, 2), dtype=intp]
        First frame at which each event or node may begin, and one past the last.
    tolerance : float
        Seconds that they may be away from the time known.
    """

    at: IntArray
    known: Float64
    windows: IntArray
    tolerance: float = 0.0

    def limits(self, limits: IntArray, n_frames: int, pinned: bool) -> IntArray:
        """Return longest lengths [shape=(K,)], larger where anchors need it.

        An event between two that are known may last longer than any in training.
        """
        edges = [(int(k), int(self.windows[k, 0])) for k in self.at]
        edges = [(0, 0)] * (pinned and 0 not in self.at) + edges + [(len(limits), n_frames)]
        wider = limits.copy()
        for (a, begin), (b, end) in pairwise(edges):
            room = int(limits[a:b].sum())
            if b > a and room < end - begin:
                factor = 2 * (end - begin) / room
                wider[a:b] = np.minimum(n_frames, np.ceil(factor * limits[a:b]))
        return wider

    def along(self, nodes: IntArray) -> "Held":
        """Return the same for the nodes of one path through a lattice."""
        known = dict(zip(self.at.tolist(), self.known.tolist(), strict=True))
        at = [i for i, node in enumerate(nodes.tolist()) if node in known]
        times = np.array([known[int(nodes[i])] for i in at])
        return Held(np.array(at, dtype=np.intp), times, self.windows[nodes], self.tolerance)

    def placed(self, times: Float64, duration: float) -> Float64:
        """Return onsets in order [shape=(K,)], those that are held at their known times."""
        if self.tolerance:  # two that are held may have been corrected past each other
            times = in_order(times, duration)
        placed = times.copy()
        low, high = self.known - self.tolerance, self.known + self.tolerance
        fixed = np.maximum.accumulate(np.clip(times[self.at], low, high))
        edges = [-1, *self.at.tolist(), len(times)]
        stops = [*fixed.tolist(), duration]
        placed[: edges[1]] = in_order(times[: edges[1]], stops[0])
        for a, b, begin, end in zip(edges[1:], edges[2:], fixed, stops[1:], strict=False):
            inner = np.concatenate(([begin], times[a + 1 : b])) - begin
            placed[a:b] = begin + in_order(inner, end - begin)
        return placed


def held_in_sequence(
    given: GivenAnchors,
    events: Sequence[Event],
    place: IntArray,
    n_decoded: int,
    signal: Signal,
) -> Held | None:
    """Return the windows of a sequence; None without anchors.

    `place` [shape=(K,)] is where each of the `events` given is among the `n_decoded` events.
    Raises DataError where an anchor is impossible.
    """
    labels, n_frames, name = [str(event) for event in events], signal.n_frames, signal.name
    anchors = Anchors.of(given, labels)
    if anchors is None:
        return None
    anchors.check(labels, signal.duration, name)
    held = sorted(anchors.onsets)
    at = place[held]
    known = np.array([anchors.onsets[event] for event in held], dtype=np.float64)
    nearest, frames = _with_a_frame_each(known, at, n_decoded, signal)
    for i in np.flatnonzero(np.abs(frames - nearest) > _MOST_MOVED):
        n, before = int(at[i]), "the start"
        if frames[i] < nearest[i]:
            n, before = n_decoded - n, "the end"
        elif i:
            n, before = n - int(at[i - 1]), anchors.called(held[i - 1], labels)
        why = (
            f"between it and {before} there is no room for {plural(n, 'event')} of "
            f"{1000 * signal.hop:g} ms at least; correct the time."
        )
        raise anchors.error(held[i], labels, why, name)
    first, last = _around(known, frames, anchors.tolerance, signal.hop)
    steps = np.arange(n_decoded)
    low, high = steps.copy(), steps + n_frames - n_decoded
    low[at], high[at] = np.maximum(low[at], first), np.minimum(high[at], last)
    low = np.maximum.accumulate(low - steps) + steps
    high = np.minimum.accumulate((high - steps)[::-1])[::-1] + steps
    return Held(at, known, np.stack((low, high + 1), axis=1), anchors.tolerance or 0.0)


def with_room(times: Float64, place: IntArray, n_decoded: int, signal: Signal) -> Float64:
    """Return true onsets in seconds, some of them moved so that every event has a frame.

    `times` [shape=(K,)] are those of the events given, and `place` [shape=(K,)] where each is
    among the `n_decoded` events; a stop of 5 ms has no room for closure and release.
    """
    nearest, frames = _with_a_frame_each(times, place, n_decoded, signal)
    if (np.abs(frames - nearest) <= _MOST_MOVED).all():
        return times
    return np.where(frames != nearest, frames * signal.hop, times)


def _with_a_frame_each(
    times: Float64, at: IntArray, n_decoded: int, signal: Signal
) -> tuple[IntArray, IntArray]:
    """Return the frames nearest to times, and those in which there is room for all events."""
    nearest = _nearest(times, signal)
    # Each event takes a frame. Less those, frames may not go backwards from anchor to anchor.
    most = signal.n_frames - n_decoded
    free = np.minimum(np.maximum.accumulate(np.maximum(nearest - at, 0)), most)
    return nearest, free + at


def held_in_lattice(given: GivenAnchors, expanded: ExpandedLattice, signal: Signal) -> Held | None:
    """Return the windows of a lattice, whose anchors are of the user's nodes; None without any.

    Nodes with the same time are taken for ways of saying the same. Raises DataError where all of
    them are too early for what comes before, or too late for what comes behind.
    """
    if not given:
        return None
    if isinstance(given, AnchorTable):
        raise ParameterError("anchors of a lattice are by node; rows of a file are by event.")
    anchors = given if isinstance(given, Anchors) else Anchors(given)
    labels = [""] * (int(expanded.given.max()) + 1)
    for event, v in zip(expanded.events, expanded.given.tolist(), strict=True):
        if v >= 0:
            labels[v] = str(event)
    for node, time in anchors.onsets.items():
        if why := _outside(node, time, len(labels), signal.duration):
            raise anchors.error(node, labels, why, signal.name)
    nodes = np.flatnonzero(np.isin(expanded.given, list(anchors.onsets)))
    user = expanded.given[nodes].tolist()
    known = np.array([anchors.onsets[v] for v in user], dtype=np.float64)
    early, late = _reach(expanded.lattice, nodes, _nearest(known, signal), signal.n_frames)
    possible = set(known[early <= late].tolist())
    for i, time in enumerate(known.tolist()):
        if time not in possible:
            side = "before" if early[i] >= signal.n_frames else "behind"
            why = f"there is no room for what comes {side} it; correct the time."
            raise anchors.error(user[i], labels, why, signal.name)
    first, last = _around(known, early, anchors.tolerance, signal.hop)
    windows = np.tile(np.array([0, signal.n_frames]), (len(expanded.given), 1))
    windows[nodes] = np.clip(np.stack((first, last + 1), axis=1), 0, signal.n_frames)
    return Held(nodes, known, windows, anchors.tolerance or 0.0)


def _reach(
    lattice: Lattice, nodes: IntArray, nearest: IntArray, n_frames: int
) -> tuple[IntArray, IntArray]:
    """Return the earliest and the latest frame of nodes that are held [shape=(A,)].

    Each node takes a frame at least. One that is held begins at its nearest frame, or one later
    if what is before it needs that; beyond, it is never reached.
    """
    wanted = dict(zip(nodes.tolist(), nearest.tolist(), strict=True))
    before, after = neighbours(lattice)
    starts, ends = set(lattice.starts.tolist()), set(lattice.ends.tolist())
    never = n_frames + _MOST_MOVED + 1
    early, late = [never] * lattice.n_nodes, [-1] * lattice.n_nodes
    order = lattice.order.tolist()
    for v in order:
        reached = min([0] * (v in starts) + [early[u] + 1 for u in before[v]], default=never)
        at = wanted.get(v)
        early[v] = reached if at is None else max(reached, at)
        if at is not None and reached > at + _MOST_MOVED:
            early[v] = never
    for v in reversed(order):
        left = max([n_frames - 1] * (v in ends) + [late[w] - 1 for w in after[v]], default=-1)
        late[v] = -1 if early[v] > left else early[v] if v in wanted else left
    return np.array(early, dtype=np.intp)[nodes], np.array(late, dtype=np.intp)[nodes]


def _nearest(known: Float64, signal: Signal) -> IntArray:
    return np.minimum(np.rint(known / signal.hop), signal.n_frames - 1).astype(np.intp)


def _outside(event: int, time: float, n_events: int, duration: float) -> str:
    """Say why an event or its time does not exist; nothing where both do."""
    if event >= n_events:
        return f"there are {n_events} of them; correct the number."
    if not 0 <= time < duration:
        return f"the recording lasts from 0 to {duration:.3f} s; correct the time."
    return ""


def _around(
    known: Float64, frames: IntArray, tolerance: float | None, hop: float
) -> tuple[IntArray, IntArray]:
    """Return the first and the last frame within the tolerance of known times."""
    if tolerance is None:
        return frames, frames
    low = np.ceil((known - tolerance) / hop - 1e-9).astype(np.intp)
    high = np.floor((known + tolerance) / hop + 1e-9).astype(np.intp)
    return np.minimum(low, frames), np.maximum(high, frames)
