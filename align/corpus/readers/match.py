"""Match files, ``.match``: the notes of a score, those of a performance, and which is which.

Facts of Prolog, one a line. Versions 1.0.0 and those before it (0.1 to 0.5, which call themselves
1.0 to 5.0) differ in how a performed note is written::

    info(midiClockUnits,480).
    info(midiClockRate,500000).
    snote(n1,[B,n],3,0:2,1/8,1/8,-0.5000,0.0000,[v1])-note(n0,59,683,747,44,0,0).
    snote(n2,[C,#],4,1:1,0,1/4,0.0000,1.0000,[v1])-note(2,[c,#],4,960,1100,1440,71).
    snote(n3,[E,n],4,1:1,0,1/4,0.0000,1.0000,[grace])-deletion.
    insertion-note(n7,67,2000,2100,40,0,0).
    ornament(n2,[trill])-note(n8,62,2100,2150,40,0,0).

A score note has an identifier, a spelling, an octave, bar and beat, its offset and duration in
whole notes, its onset and end in beats, and attributes; a performed note its onset in ticks. The
score is taken from the same file: it is the one the alignment was made with, repeats and all, and
needs no other reader. A beat counts as half a second, since a score's tempo is no promise; rests
are left out; ornaments and insertions are no notes of the score.

References
----------
Foscarin et al., "The match file format: encoding alignments between scores and performances",
MEC 2022.
"""

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import Place, read_text
from align.formats.scores.note_rows import NoteRow, check_pitches
from align.formats.scores.spelling import SEMITONES, name_of_step

if TYPE_CHECKING:
    from align.formats.scores import NoteTruth, Score

_BEAT = 0.5  # seconds
_INFO = re.compile(r"info\(\s*(\w+)\s*,\s*(.*?)\s*\)\.?\s*$")
_SNOTE = re.compile(
    r"snote\(\s*(?P<id>[^,]+?)\s*,\s*\[\s*(?P<step>[A-Za-z])\s*,\s*(?P<alter>[^\]]*?)\s*\]\s*,"
    r"\s*(?P<octave>[^,]+?)\s*,[^,]*,[^,]*,[^,]*,"
    r"\s*(?P<onset>[^,]+?)\s*,\s*(?P<end>[^,]+?)\s*,\s*\[(?P<marks>[^\]]*)\]\s*\)"
)
_NOTE = re.compile(
    r"-\s*note\(\s*[^,]+,\s*(?:\[[^\]]*\]\s*,\s*[^,]+|\d+)\s*,\s*(?P<onset>[^,]+?)\s*,"
)
_ALTER = {"n": 0, "": 0, "-": 0, "#": 1, "s": 1, "x": 2, "##": 2, "b": -1, "bb": -2}


@dataclass(frozen=True)
class MatchFile:
    """The score of a match file and when its notes were played.

    Parameters
    ----------
    score : Score
        The notes of the score, a beat lasting half a second, from 0.
    truth : NoteTruth
        Seconds of the performance's MIDI file.
    info : dict of str to str
        What the file says of itself, as in ``{"piece": "Chopin_op10_no3"}``.
    """

    score: "Score"
    truth: "NoteTruth"
    info: dict[str, str]


def read_match(path: StrPath) -> MatchFile:
    """Read a match file.

    Parameters
    ----------
    path : path
        The file, of any version.

    Returns
    -------
    MatchFile

    Raises
    ------
    DataError
        If the file does not say how long a tick is, a line cannot be read, no note of the score
        was played, or one is none of a piano.
    """
    from align.formats.scores import NoteTruth, Score  # opens mido

    name = os.fspath(path)
    info: dict[str, str] = {}
    rows: list[NoteRow] = []
    ticks: list[float | None] = []
    for number, raw in enumerate(read_text(path).split("\n"), start=1):
        line = raw.strip()
        if line.startswith("info("):
            said = _INFO.match(line)
            if said:
                info[said[1]] = said[2].strip("'\"")
        elif line.startswith("snote("):
            at = Place(name, number)
            row = _score_note(line, at)
            if row is not None:
                rows.append(row)
                played = _NOTE.search(line)
                ticks.append(played and at.number(played["onset"], "onset in ticks"))
    if not rows:
        raise DataError("has no notes of a score (lines that begin with snote).", path=name)
    first = min(row.onset for row in rows)
    if first < 0:  # an upbeat
        rows = [row._replace(onset=row.onset - first) for row in rows]
    check_pitches(rows, name)
    order = sorted(range(len(rows)), key=lambda k: (rows[k].onset, rows[k].pitch))
    index = [place for place, k in enumerate(order) if ticks[k] is not None]
    if not index:
        raise DataError("has no note of the score that was played (snote(...)-note(...)).", name)
    seconds = _tick(info, name)
    performed = np.array([ticks[order[place]] for place in index], dtype=np.float64) * seconds
    return MatchFile(
        Score.of([rows[k] for k in order], path=name),
        NoteTruth(np.array(index, dtype=np.intp), performed),
        info,
    )


def _tick(info: dict[str, str], path: str) -> float:
    """Return the length of a tick in seconds."""
    values = []
    for key in ("midiClockRate", "midiClockUnits"):
        if key not in info:
            raise DataError(f"has no line info({key},...): how long a tick is stays open.", path)
        value = Place(path).number(info[key], key)
        if value <= 0:
            raise DataError(f"{key} is {info[key]}, must be positive.", path=path)
        values.append(value)
    return 1e-6 * values[0] / values[1]


def _score_note(line: str, at: Place) -> NoteRow | None:
    """Read the note of the score on a line; None for a rest."""
    found = _SNOTE.match(line)
    if not found:
        raise at.wrong(
            "is not a note of a score, snote(id,[step,alter],octave,bar:beat,offset,duration,"
            "onset,end,[marks])."
        )
    step = found["step"].upper()
    if step == "R":
        return None
    alter = found["alter"].lower()
    if step not in SEMITONES or alter not in _ALTER:
        raise at.wrong(f"[{found['step']},{found['alter']}] is no spelling of a note.")
    octave = at.number(found["octave"], "octave")
    if not -2 <= octave <= 12 or octave != int(octave):
        raise at.wrong(f"{found['octave']} is no octave.")
    onset = at.number(found["onset"], "onset in beats")
    end = at.number(found["end"], "end in beats")
    marks = [mark.strip() for mark in found["marks"].split(",")]
    pitch = 12 * (int(octave) + 1) + SEMITONES[step] + _ALTER[alter]
    return NoteRow(
        onset * _BEAT,
        pitch,
        max(0.0, end - onset) * _BEAT,
        found["id"],
        "grace" in marks,
        at.line,
        name_of_step(step, _ALTER[alter], pitch),
    )
