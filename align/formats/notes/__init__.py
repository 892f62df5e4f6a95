"""The notes of a score as they are played in a recording, and a module for each format.

================  ================================================================
module            what
================  ================================================================
`aligned`         what readers return and writers ask for; all others import it
`music_json`      everything that an alignment knows
`note_table`      ``.csv`` and ``.tsv``
`note_labels`     label tracks of Audacity and layers of Sonic Visualiser
`aligned_midi`    the score, re-timed to the recording
`match_file`      pairs of notes, for research
`note_alignment`  the same as nASAP has it; `parangonada` as that page has it
`jams_file`       annotations of music in JSON
`beat_table`      bars, beats and tempo
================  ================================================================

Of other folders `scores` and `documents` are imported.
"""
