"""Scores: the notes of a piece, their chords, and when each was really played.

A score is a list of notes in the order of their onsets, with times in *score seconds*: what a
mechanical performance at the tempo of the file would give. That tempo is no promise; only order
and proportion count for an alignment.

Notes whose onsets lie within a few milliseconds are one *chord*: a group that the decoder places
as one event, since its onsets increase strictly. A single note is a chord of one.

======================================== =======================================
suffix                                   read by
======================================== =======================================
``.mid``, ``.midi``                      `score_midi` (mido)
``.csv``, ``.tsv``                       `score_table`
``.musicxml``, ``.xml``, ``.mxl``,       `score_partitura`
``.match``                               (partitura, extra ``scores``)
``.mei``                                 `mei`
``.krn``                                 `kern`
======================================== =======================================

From a file upwards: `note_rows`, `beats`, `ways` (repeats and leaps), `spelling` and `folded` know
no format; `written` is what notation says, each bar once; the readers above make that, or rows;
`musicxml` and `mei_elements` serve them. `score` makes the notes of the piece of it, and
`instruments` asks who plays. Of other folders only `documents` is imported.
"""

from align.formats.scores.score import (
    SCORE_SUFFIXES,
    Chords,
    NoteTruth,
    Score,
    chords,
    distinct,
    read_note_truth,
    read_score,
)

__all__ = [
    "SCORE_SUFFIXES",
    "Chords",
    "NoteTruth",
    "Score",
    "chords",
    "distinct",
    "read_note_truth",
    "read_score",
]
