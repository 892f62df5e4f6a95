"""The table of formats: each with its suffix, what it holds, and who reads and writes it.

A suffix may stand for labels and for notes (a ``.csv`` may hold either); `is_music` looks into
such a file. Adding a format is adding a row here.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from align.errors import ParameterError
from align.files.names import StrPath, suffix_of
from align.formats.notes.aligned_midi import read_aligned_midi, write_midi
from align.formats.notes.beat_table import (
    write_beat_layer,
    write_beat_points,
    write_beats,
    write_tempo,
)
from align.formats.notes.jams_file import read_jams, write_jams
from align.formats.notes.match_file import write_match
from align.formats.notes.music_json import is_music_json, read_music_json, write_music_json
from align.formats.notes.note_alignment import read_note_alignment, write_note_alignment
from align.formats.notes.note_labels import (
    read_note_labels,
    write_layer,
    write_points,
    write_sv_csv,
)
from align.formats.notes.note_table import is_note_table, read_note_table, write_note_table
from align.formats.notes.parangonada import read_parangonada, write_parangonada
from align.formats.tiers.audacity import read_audacity, write_audacity
from align.formats.tiers.ctm import read_ctm, write_ctm
from align.formats.tiers.elan import ELAN
from align.formats.tiers.emu import ANNOTATION, EMU
from align.formats.tiers.exmaralda import EXMARALDA
from align.formats.tiers.htk import read_lab, write_lab
from align.formats.tiers.json_file import read_json, read_json_tiers, write_json, write_json_tiers
from align.formats.tiers.label_table import read_csv, read_csv_tiers, write_csv, write_csv_tiers
from align.formats.tiers.rttm import read_rttm, read_rttm_tiers, write_rttm, write_rttm_tiers
from align.formats.tiers.subtitles import (
    read_srt,
    read_vtt,
    read_vtt_tiers,
    write_srt,
    write_srt_tiers,
    write_vtt,
    write_vtt_tiers,
)
from align.formats.tiers.textgrid import (
    read_textgrid,
    read_textgrid_tiers,
    write_textgrid,
    write_textgrid_tiers,
)
from align.formats.tiers.tier import PHONES, WORDS
from align.formats.tiers.timit import read_phn, write_phn, write_wrd


class Format(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    suffix : str
        In lower case.
    name : str
        What the parameter `format` calls it; several suffixes may share it.
    holds : str
        ``labels`` of one tier, phones with their ``words``, ``tiers`` of any kind, ``turns``
        of speakers, ``voices`` that say words, ``notes``, a ``tempo`` curve, or ``beats``.
    read, write : callable or None
        Of labels: to `Labels`, and of `TimedLabels`. Of notes: to `NoteTimes`, and of
        `TimedNotes`. None where it cannot be.
    read_tiers, write_tiers : callable or None
        To and of `Tiers`, where the format holds several.
    options : tuple of str
        What `read` can be given besides the duration.
    tier : str
        Of labels: which tier it holds, where it holds one.
    needs_score : bool
        Of notes: whether `read` must be given the notes that the file speaks of.
    is_notes : callable
        Of notes: whether a file of this suffix holds notes rather than labels.
    """

    suffix: str
    name: str
    holds: str
    read: Callable[..., Any] | None
    write: Callable[..., None]
    read_tiers: Callable[..., Any] | None = None
    write_tiers: Callable[..., None] | None = None
    options: tuple[str, ...] = ()
    tier: str = PHONES
    needs_score: bool = False
    is_notes: Callable[[StrPath], bool] = lambda path: True


_TEXT = ("silence", "encoding")
_wrd = partial(read_phn, overlaps=True)
_tsv, _tsv_tiers = (partial(write, separator="\t") for write in (write_csv, write_csv_tiers))
_tsv_notes = partial(write_note_table, separator="\t")
_points, _instants, _layer = (
    partial(read_note_labels, format=name) for name in ("audacity", "sv.csv", "svl")
)

FORMATS = (
    Format(
        *(".textgrid", "textgrid", "tiers", read_textgrid, write_textgrid),
        *(read_textgrid_tiers, write_textgrid_tiers, (*_TEXT, "tier")),
    ),
    Format(
        *(".eaf", "eaf", "tiers", ELAN.read, ELAN.write),
        *(ELAN.read_tiers, ELAN.write_tiers, ("silence", "tier")),
    ),
    Format(
        *(".exb", "exb", "tiers", EXMARALDA.read, EXMARALDA.write),
        *(EXMARALDA.read_tiers, EXMARALDA.write_tiers, ("silence", "tier")),
    ),
    Format(".phn", "phn", "labels", read_phn, write_phn, options=(*_TEXT, "rate")),
    Format(".wrd", "phn", "labels", _wrd, write_wrd, options=(*_TEXT, "rate"), tier=WORDS),
    Format(".lab", "lab", "labels", read_lab, write_lab, options=_TEXT),
    Format(
        *(".csv", "csv", "words", read_csv, write_csv),
        *(read_csv_tiers, write_csv_tiers, (*_TEXT, "tier")),
    ),
    Format(
        *(".tsv", "tsv", "words", read_csv, _tsv),
        *(read_csv_tiers, _tsv_tiers, (*_TEXT, "tier")),
    ),
    Format(".txt", "audacity", "labels", read_audacity, write_audacity, options=_TEXT),
    Format(".ctm", "ctm", "labels", read_ctm, write_ctm, options=_TEXT),
    Format(
        *(".vtt", "vtt", "voices", read_vtt, write_vtt),
        *(read_vtt_tiers, write_vtt_tiers, _TEXT, WORDS),
    ),
    Format(
        *(".srt", "srt", "voices", read_srt, write_srt),
        *(None, write_srt_tiers, _TEXT, WORDS),
    ),
    Format(
        *(".rttm", "rttm", "turns", read_rttm, write_rttm),
        *(read_rttm_tiers, write_rttm_tiers, _TEXT),
    ),
    Format(
        *(ANNOTATION, "emu", "tiers", EMU.read, EMU.write),
        *(EMU.read_tiers, EMU.write_tiers, (*_TEXT, "tier")),
    ),
    Format(
        *(".json", "json", "tiers", read_json, write_json),
        *(read_json_tiers, write_json_tiers, (*_TEXT, "tier")),
    ),
    Format(".tempo.csv", "tempo", "tempo", None, write_tempo),
    Format(".beats.csv", "beats", "beats", None, write_beats),
    Format(".beats.txt", "beats.txt", "beats", None, write_beat_points),
    Format(".beats.svl", "beats.svl", "beats", None, write_beat_layer),
    Format(".sv.csv", "sv.csv", "notes", _instants, write_sv_csv, needs_score=True),
    Format(
        *("note_alignment.tsv", "note_alignment", "notes", read_note_alignment),
        write_note_alignment,
        needs_score=True,
    ),
    Format(
        *(".parangonada.zip", "parangonada", "notes", read_parangonada, write_parangonada),
        needs_score=True,
    ),
    Format(".csv", "csv", "notes", read_note_table, write_note_table, is_notes=is_note_table),
    Format(".tsv", "tsv", "notes", read_note_table, _tsv_notes, is_notes=is_note_table),
    Format(".json", "json", "notes", read_music_json, write_music_json, is_notes=is_music_json),
    Format(".jams", "jams", "notes", read_jams, write_jams, needs_score=True),
    Format(".mid", "midi", "notes", read_aligned_midi, write_midi, needs_score=True),
    Format(".midi", "midi", "notes", read_aligned_midi, write_midi, needs_score=True),
    Format(
        *(".txt", "audacity", "notes", _points, write_points),
        needs_score=True,
        is_notes=lambda path: False,
    ),
    Format(".svl", "svl", "notes", _layer, write_layer, needs_score=True),
    Format(".match", "match", "notes", None, write_match),
)
"""Of several rows that fit the name of a file, the first counts."""

_OF_MUSIC = ("notes", "tempo", "beats")
_LABELS = tuple(row for row in FORMATS if row.holds not in _OF_MUSIC)
_MUSIC = tuple(row for row in FORMATS if row.holds in _OF_MUSIC)

LABEL_FORMATS = {row.suffix: row.name for row in _LABELS}
"""Format of each suffix of labels, in lower case."""

MUSIC_FORMATS = {row.suffix: row.name for row in _MUSIC}
"""Format of each suffix of notes, in lower case; the first that a name ends in counts."""


def label_format(path: StrPath, name: str | None = None) -> Format:
    """Return the format of a file of labels: of this name, or that its suffix says.

    Raises
    ------
    ParameterError
        If it is none.
    """
    if name is not None:
        found = next((row for row in _LABELS if row.name == name), None)
        if found is None:
            known = ", ".join(dict.fromkeys(LABEL_FORMATS.values()))
            raise ParameterError(f"format={name!r}, must be one of {known}.")
        return found
    if (row := _fitting(path, _LABELS)) is not None:
        return row
    raise ParameterError(
        f"{os.fspath(path)}: the suffix {suffix_of(path)!r} is no label format; use one of "
        f"{', '.join(LABEL_FORMATS)}, or name the format."
    )


def music_format(path: StrPath) -> Format:
    """Return the format of a file of notes, or of a tempo curve, that its suffix says.

    Raises
    ------
    ParameterError
        If it is none.

    Examples
    --------
    >>> music_format("minuet.tempo.csv").name, music_format("minuet.CSV").name
    ('tempo', 'csv')
    """
    if (row := _fitting(path, _MUSIC)) is not None:
        return row
    raise ParameterError(
        f"{os.fspath(path)}: the suffix {suffix_of(path)!r} is no format of aligned notes; use "
        f"one of {', '.join(MUSIC_FORMATS)}."
    )


def is_music(path: StrPath) -> bool:
    """Whether a file holds notes rather than phones, by its suffix or what it says itself."""
    found = _fitting(path, _MUSIC)
    return found is not None and found.holds == "notes" and found.is_notes(path)


def _fitting(path: StrPath, rows: Sequence[Format]) -> Format | None:
    """Return the first of some rows that the name of a file fits."""
    name = os.path.basename(os.fspath(path)).lower()
    return next((row for row in rows if name.endswith(row.suffix)), None)
