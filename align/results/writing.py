"""Files that a result can be written to: one method for each format of `align.formats`."""

import os
from typing import TYPE_CHECKING

from align.files.names import StrPath

if TYPE_CHECKING:
    from align.formats.notes.aligned import TimedNotes
    from align.formats.tiers.labels import TimedLabels
else:  # what results have is for type checkers; formats are imported where one is written
    TimedLabels = TimedNotes = object


class LabelWriting(TimedLabels):
    """Methods of a result whose labels follow each other."""

    def to_textgrid(
        self,
        path: StrPath,
        *,
        tier: str = "phones",
        confidence: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Write a Praat TextGrid; see `align.formats.write_textgrid`."""
        from align.formats import write_textgrid

        write_textgrid(path, self, tier=tier, confidence=confidence, overwrite=overwrite)

    def to_csv(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write a table; see `align.formats.write_csv`."""
        from align.formats import write_csv

        write_csv(path, self, overwrite=overwrite)

    def to_json(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write JSON: everything the alignment knows; see `align.formats.write_json`."""
        from align.formats import write_json

        write_json(path, self, overwrite=overwrite)

    def to_audacity(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write an Audacity label track; see `align.formats.write_audacity`."""
        from align.formats import write_audacity

        write_audacity(path, self, overwrite=overwrite)

    def to_ctm(
        self, path: StrPath, *, recording: str | None = None, overwrite: bool = False
    ) -> None:
        """Write a CTM file; see `align.formats.write_ctm`."""
        from align.formats import write_ctm

        write_ctm(path, self, recording=recording, overwrite=overwrite)

    def to_phn(self, path: StrPath, *, rate: float | None = None, overwrite: bool = False) -> None:
        """Write a TIMIT phone file; see `align.formats.write_phn`."""
        from align.formats import write_phn

        write_phn(path, self, rate=rate, overwrite=overwrite)

    def to_lab(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write an HTK label file; see `align.formats.write_lab`."""
        from align.formats import write_lab

        write_lab(path, self, overwrite=overwrite)


class NoteWriting(TimedNotes):
    """Methods of a result whose notes overlap, which formats of labels cannot say."""

    def to_csv(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write a table of the notes; see `align.formats.notes.note_table`."""
        from align.formats.notes.note_table import write_note_table

        write_note_table(path, self, overwrite=overwrite)

    def to_json(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write JSON: everything the alignment knows; see `align.formats.notes.music_json`."""
        from align.formats.notes.music_json import write_music_json

        write_music_json(path, self, overwrite=overwrite)

    def to_midi(
        self,
        path: StrPath,
        *,
        asynchrony: bool = True,
        tolerance: float = 0.005,
        overwrite: bool = False,
    ) -> None:
        """Write the score re-timed to the recording; see `align.formats.notes.aligned_midi`."""
        from align.formats.notes.aligned_midi import write_midi

        write_midi(path, self, asynchrony=asynchrony, tolerance=tolerance, overwrite=overwrite)

    def to_audacity(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write an Audacity label track of points; see `align.formats.notes.note_labels`."""
        from align.formats.notes.note_labels import write_points

        write_points(path, self, overwrite=overwrite)

    def to_sonic_visualiser(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write a layer (``.svl``) or table (``.csv``) for Sonic Visualiser, as the suffix says.

        See `align.formats.notes.note_labels`.
        """
        from align.formats.notes.note_labels import write_layer, write_sv_csv

        table = os.fspath(path).lower().endswith(".csv")
        (write_sv_csv if table else write_layer)(path, self, overwrite=overwrite)

    def to_jams(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write a JAMS file of notes and beats; see `align.formats.notes.jams_file`."""
        from align.formats.notes.jams_file import write_jams

        write_jams(path, self, overwrite=overwrite)

    def to_match(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write a match file, through partitura; see `align.formats.notes.match_file`."""
        from align.formats.notes.match_file import write_match

        write_match(path, self, overwrite=overwrite)

    def to_tempo(self, path: StrPath, *, window: float = 1.0, overwrite: bool = False) -> None:
        """Write the tempo curve as a table; see `tempo` and `align.formats.notes.beat_table`."""
        from align.formats.notes.beat_table import write_tempo

        write_tempo(path, self, window=window, overwrite=overwrite)

    def to_beats(self, path: StrPath, *, overwrite: bool = False) -> None:
        """Write bars and beats as a table; see `align.formats.notes.beat_table`."""
        from align.formats.notes.beat_table import write_beats

        write_beats(path, self, overwrite=overwrite)
