"""The page as text: template, style, scripts, data and sound in one HTML file.

Everything that comes from files (labels, names) travels as JSON in an element that browsers do not
run, with ``<``, ``>`` and ``&`` written as escapes so that nothing in it can end the element; the
scripts put it on the page as text, never as HTML. Should that ever fail, the page's own content
security policy lets only its own script run, known by its SHA-256, and forbids every connection.
"""

import base64
import hashlib
import html
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from align.errors import DataError, ParameterError
from align.files.atomic import atomic_write
from align.formats.textgrid import Tier, tile
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.show.page.doubt import doubts, typical_lengths
from align.show.page.recordings import Recording
from align.show.page.sound import EncodedSound, encode_sound

__all__ = ["PageSummary", "format_page", "write_page"]

_SCRIPTS = (
    *("model", "files", "sound", "spectrum", "tiles", "view", "player", "list", "labels", "main"),
)
_MOST_DOUBTS = 400  # of a recording
_DIGITS = 9  # of seconds


@dataclass(frozen=True)
class PageSummary:
    """What a page holds.

    Parameters
    ----------
    recordings : int
        How many.
    events : int
        Phones or notes in them.
    seconds : float
        Length of all recordings.
    size, sound : int
        Bytes of the page, and of the sound before it was written as text (base64, 4/3 as long).
    """

    recordings: int
    events: int
    seconds: float
    size: int
    sound: int


def write_page(
    alignments: Any,
    path: str | os.PathLike[str],
    *,
    references: Sequence[Alignment | None] = (),
    title: str | None = None,
    sound: str = "ogg",
    overwrite: bool = False,
) -> PageSummary:
    """Write a page on which alignments can be heard, seen and corrected.

    Parameters
    ----------
    alignments : Alignment, Recording, or a sequence of them
        What to show; see `Recording` for what more can be said of each.
    path : path
        The page, ``.html``.
    references : sequence of Alignment or None, optional
        True onsets, one for each alignment that is not a Recording.
    title : str, optional
        Of the page; by default the name of the recording.
    sound : {"ogg", "flac", "wav"}
        How the recordings are kept; see `align.show.page.sound`.
    overwrite : bool
        Replace a file that exists.

    Returns
    -------
    PageSummary

    Raises
    ------
    DataError
        If a recording is missing or cannot be read, or the page exists or cannot be written.
    ParameterError
        If there is nothing to show, or a parameter is wrong.
    """
    text, summary = _build(alignments, references, title, sound)
    atomic_write(path, text, overwrite=overwrite)
    return summary


def format_page(
    alignments: Any,
    *,
    references: Sequence[Alignment | None] = (),
    title: str | None = None,
    sound: str = "ogg",
) -> str:
    """Return the page as text; see `write_page`."""
    return _build(alignments, references, title, sound)[0]


def _build(
    alignments: Any, references: Sequence[Alignment | None], title: str | None, sound: str
) -> tuple[str, PageSummary]:
    recordings = _recordings(alignments, references)
    phones = [r for r in recordings if not isinstance(r.alignment, MusicAlignment)]
    typical = typical_lengths(
        [r.alignment.labels for r in phones], [r.alignment.intervals for r in phones]
    )
    encoded: list[EncodedSound] = []
    shown = []
    for recording in recordings:
        assert recording.audio is not None
        found = encode_sound(recording.audio, recording.rate, sound)
        if recording.alignment.onsets.size and recording.alignment.onsets[-1] > found.duration:
            raise DataError(
                f"lasts {found.duration:.3f} s, but an event begins at "
                f"{recording.alignment.onsets[-1]:.3f} s; is it of this recording?",
                path=recording.name,
            )
        encoded.append(found)
        shown.append(_content(recording, found, typical))
    heading = title or (recordings[0].name if len(recordings) == 1 else "Alignments")
    text = _page(heading, {"title": heading, "recordings": shown}, encoded)
    return text, PageSummary(
        len(recordings),
        sum(len(r.alignment) for r in recordings),
        sum(item.duration for item in encoded),
        len(text.encode()),
        sum(len(item.data) for item in encoded),
    )


def _recordings(alignments: Any, references: Sequence[Alignment | None]) -> list[Recording]:
    single = isinstance(alignments, Alignment | Recording) or hasattr(alignments, "speakers")
    items = [alignments] if single else list(alignments)
    if not items:
        raise ParameterError("there is nothing to show; give at least one alignment.")
    truths = list(references) or [None] * len(items)
    if len(truths) != len(items):
        raise ParameterError(
            f"references has {len(truths)} items, must have one for each of the {len(items)} "
            "alignments."
        )
    return [
        Recording.of(item) if truth is None else Recording.of(item, reference=truth)
        for item, truth in zip(items, truths, strict=True)
    ]


# The data ---------------------------------------------------------------------------------------


def _content(
    recording: Recording, sound: EncodedSound, typical: dict[str, tuple[float, float]]
) -> dict[str, Any]:
    """Return what the scripts are told of a recording."""
    alignment, reference = recording.alignment, recording.reference
    music = isinstance(alignment, MusicAlignment)
    duration = max(float(alignment.duration), 1e-6)
    content: dict[str, Any] = {
        "name": recording.name,
        "stem": recording.stem,
        "folder": recording.folder,
        "kind": "music" if music else "speech",
        "duration": duration,
        "rate": sound.rate,
        "type": sound.media_type,
    }
    found = doubts(
        alignment.labels,
        alignment.intervals,
        recording.confidence,
        _true_onsets(alignment, reference),
        typical=typical,
        with_lengths=not music,
    )[:_MOST_DOUBTS]
    if isinstance(alignment, MusicAlignment):
        content["notes"] = _notes(alignment)
        content["doubts"] = [[d.event, d.value, d.reason] for d in found]
        if isinstance(reference, MusicAlignment):
            content["reference"] = {
                "onsets": _rounded(reference.onsets),
                "pitches": reference.pitches.tolist(),
            }
        return content
    main = tile(alignment.labels, alignment.intervals, duration)
    first = {_key(start): k for k, (start, _, _) in enumerate(main)}
    tiers = [_interval_tier(recording.tier, main)]
    at = [first[_key(start)] for start in alignment.onsets.tolist()]
    content["doubts"] = [[at[d.event], d.value, d.reason] for d in found]
    before = [_tier(tier, duration) for tier in recording.others[: recording.place]]
    after = [_tier(tier, duration) for tier in recording.others[recording.place :]]
    content["tiers"] = before + tiers + after
    content["main"] = len(before)
    if reference is not None:
        spans = np.minimum(reference.intervals, duration)
        spans = spans[np.diff(spans, axis=1)[:, 0] > 0]
        labels = reference.labels[: len(spans)]
        content["reference"] = _interval_tier("reference", tile(labels, spans, duration))
    return content


def _true_onsets(
    alignment: Alignment, reference: Alignment | None
) -> npt.NDArray[np.float64] | None:
    """Onset of each event in the reference, NaN where it has none; None without a reference.

    Phones correspond one to one where the labels, silences aside, are the same; notes by their
    pitch and time in the score.
    """
    if reference is None:
        return None
    true = np.full(len(alignment), np.nan)
    if isinstance(alignment, MusicAlignment) and isinstance(reference, MusicAlignment):
        places: dict[tuple[int, int], list[float]] = {}
        for pitch, score, onset in zip(
            reference.pitches.tolist(), reference.score_onsets, reference.onsets, strict=True
        ):
            places.setdefault((pitch, round(1000 * score)), []).append(float(onset))
        for k, (pitch, score) in enumerate(
            zip(alignment.pitches.tolist(), alignment.score_onsets, strict=True)
        ):
            if held := places.get((pitch, round(1000 * score))):
                true[k] = held.pop(0)
        return true
    from align.types import SILENCES

    mine = [k for k, label in enumerate(alignment.labels) if label not in SILENCES]
    theirs = [k for k, label in enumerate(reference.labels) if label not in SILENCES]
    if [alignment.labels[k] for k in mine] == [reference.labels[k] for k in theirs]:
        true[mine] = reference.onsets[theirs]
    return true


def _notes(alignment: MusicAlignment) -> dict[str, Any]:
    return {
        "pitches": alignment.pitches.tolist(),
        "onsets": _rounded(alignment.onsets),
        "ends": _rounded(alignment.offsets),
        "score": _rounded(alignment.score_onsets),
        "lengths": _rounded(alignment.durations),
        "ids": list(alignment.note_ids),
    }


def _tier(tier: Tier, duration: float) -> dict[str, Any]:
    if tier.kind == "point":
        times = [time for time, _ in tier.times]
        return {"name": tier.name, "labels": list(tier.labels), "points": times}
    return _interval_tier(tier.name, tile(tier.labels, tier.times, duration))


def _interval_tier(name: str, rows: Sequence[tuple[float, float, str]]) -> dict[str, Any]:
    """Labels without holes from 0 to the end, and the edges between them: K and K + 1 numbers.

    Times are not rounded: what nobody moves is saved as it was.
    """
    return {
        "name": name,
        "labels": [label for _, _, label in rows],
        "edges": [*(start for start, _, _ in rows), rows[-1][1]],
    }


def _key(seconds: float) -> int:
    return round(seconds * 1e9)


def _rounded(times: npt.NDArray[np.float64]) -> list[float]:
    rounded: list[float] = np.round(times, _DIGITS).tolist()
    return rounded


# The text ---------------------------------------------------------------------------------------


def _page(title: str, data: dict[str, Any], sounds: Sequence[EncodedSound]) -> str:
    style = _template("page.css")
    scripts = "\n".join(_template(f"{name}.js") for name in _SCRIPTS)
    script = f'"use strict";\n(() => {{\n{scripts}\n}})();\n'
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "media-src blob:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": html.escape(policy, quote=False),
        "title": html.escape(title),
        "style": style,
        "script": script,
        "data": _json(data),
        "sounds": "\n".join(
            f'<script type="text/plain" id="sound-{k}">{_base64(item.data)}</script>'
            for k, item in enumerate(sounds)
        ),
    }
    out = []
    for k, piece in enumerate(_template("page.html").split("@@")):  # text, name, text, name ...
        out.append(parts[piece] if k % 2 else piece)
    return "".join(out)


def _template(name: str) -> str:
    return files("align.show.page").joinpath(name).read_text(encoding="utf-8")


def _json(data: Any) -> str:
    """Return JSON that no HTML parser can take for anything else."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _hash(text: str) -> str:
    return f"'sha256-{_base64(hashlib.sha256(text.encode()).digest())}'"
