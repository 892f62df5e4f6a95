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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from align.errors import DataError, ParameterError
from align.files.atomic import atomic_write
from align.files.names import StrPath
from align.results.timing import Timing
from align.show.page.label_content import label_content, true_label_onsets
from align.show.page.note_content import note_content, true_note_onsets
from align.show.page.parts import page_part, page_script
from align.show.page.recordings import Recording
from align.show.page.sound import EncodedSound, encode_sound
from align.show.page.uncertainty import most_uncertain, typical_lengths

OWN_PARTS = ("held", "history", "files", "main")
"""Scripts of this page alone."""
_MOST_DOUBTS = 400  # of a recording
_CONTENT: dict[str, tuple[Callable[..., dict[str, Any]], Callable[..., Any]]] = {
    "speech": (label_content, true_label_onsets),
    "music": (note_content, true_note_onsets),
}
"""Of each kind of result: what the scripts read of it, and the true onset of each event."""


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
    path: StrPath,
    *,
    references: Sequence[Timing | None] = (),
    title: str | None = None,
    sound: str = "ogg",
    overwrite: bool = False,
) -> PageSummary:
    """Write a page on which alignments can be heard, seen and corrected.

    Parameters
    ----------
    alignments : Timing, Recording, or a sequence of them
        What to show; see `Recording` for what more can be said of each.
    path : path
        The page, ``.html``.
    references : sequence of Timing or None, optional
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
    references: Sequence[Timing | None] = (),
    title: str | None = None,
    sound: str = "ogg",
) -> str:
    """Return the page as text; see `write_page`."""
    return _build(alignments, references, title, sound)[0]


def _build(
    alignments: Any, references: Sequence[Timing | None], title: str | None, sound: str
) -> tuple[str, PageSummary]:
    recordings = _recordings(alignments, references)
    measured = [r.alignment for r in recordings if r.alignment.ends_measured]
    typical = typical_lengths([a.labels for a in measured], [a.intervals for a in measured])
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


def _recordings(alignments: Any, references: Sequence[Timing | None]) -> list[Recording]:
    single = isinstance(alignments, Timing | Recording) or hasattr(alignments, "speakers")
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
    """Return what the scripts read of a recording."""
    alignment, reference = recording.alignment, recording.reference
    content, true_onsets = _CONTENT[alignment.kind]
    duration = max(float(alignment.duration), 1e-6)
    found = most_uncertain(
        alignment.labels,
        alignment.intervals,
        recording.confidence,
        None if reference is None else true_onsets(alignment, reference),
        typical=typical,
        with_lengths=alignment.ends_measured,
        unplayed=getattr(alignment, "unplayed", None),
    )
    # of passages that are not in the recording a sentence tells
    held = alignment.is_held
    found = [one for one in found if held[one.event]][:_MOST_DOUBTS]
    return {
        "name": recording.name,
        "stem": recording.stem,
        "folder": recording.folder,
        "kind": alignment.kind,
        "duration": duration,
        "match": recording.match,
        "warnings": list(recording.warnings),
        "mismatches": [
            {"start": m.start, "end": m.end, "text": str(m)} for m in recording.mismatches
        ],
        "rate": sound.rate,
        "type": sound.media_type,
        **content(recording, found, duration),
    }


# The text ---------------------------------------------------------------------------------------


def _page(title: str, data: dict[str, Any], sounds: Sequence[EncodedSound]) -> str:
    style = page_part("page.css")
    script = page_script(page_part(f"{name}.js") for name in OWN_PARTS)
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
    pieces = page_part("page.html").split("@@")  # text, name, text, name ...
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


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
