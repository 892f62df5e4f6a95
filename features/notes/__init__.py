"""How well frames suit notes and chords.

==============  ===============================================================
module          what
==============  ===============================================================
`score_thesis`  psi_1 .. psi_10 of the thesis
`note_network`  where notes begin, by one network that all pitches share
`note_levels`   what it reads; `note_context`: whose partials coincide
`fine_onsets`   when a note begins, in finer steps
`chord_scores`  scores of a chord at each frame
`timed_notes`   recordings whose notes are known
==============  ===============================================================

Imports `sound`, `networks` and `base`; `phones` and `notes` know nothing of each other.
"""
