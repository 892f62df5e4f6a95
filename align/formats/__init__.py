"""File formats of labels and alignments.

`read_labels` and `write_labels` choose by the suffix, `read_tiers` and `write_tiers` where there
are several tiers, `read_music` and `write_music` for aligned notes.

===============  ==============================================================================
place            what lies there
===============  ==============================================================================
`documents`      what files are made of: JSON, XML, tables; Word's and Excel's files
`tiers`          labels and tiers of labels over a recording; a module for each format
`scores`         the notes of a piece, their beats and repeats; a module for each notation
`notes`          the notes of a score as they are played in a recording; a module for each format
`table`          all formats, each with its suffix and who reads and writes it
`files`          labels and tiers by the suffix of the file
`music_files`    aligned notes by the suffix of the file
`events`         what is to be found in a recording, where times do not matter
`anchors`        times that are known beforehand
`emu_database`   a whole folder, as EMU has it
`phone_map`      from one set of phones to another
===============  ==============================================================================

A file goes up: `documents` make lines, rows and elements of it, `tiers` and `scores` labels and
notes, `notes` adds times to those of `scores`, and the modules here choose. Each folder imports
those before it alone; `tiers` knows neither `scores` nor `notes`, nor they it.
"""

from align.files.atomic import atomic_write
from align.formats.files import read_labels, read_tiers, write_labels, write_tiers
from align.formats.music_files import read_music, write_music
from align.formats.notes.aligned import NoteTimes
from align.formats.phone_map import map_labels, nearest_label, read_phone_map
from align.formats.table import LABEL_FORMATS, MUSIC_FORMATS
from align.formats.tiers.audacity import read_audacity, write_audacity
from align.formats.tiers.ctm import read_ctm, write_ctm
from align.formats.tiers.htk import read_lab, write_lab
from align.formats.tiers.json_file import read_json, write_json
from align.formats.tiers.label_table import read_csv, write_csv
from align.formats.tiers.labels import Labels
from align.formats.tiers.textgrid import read_textgrid, write_textgrid
from align.formats.tiers.tier import Tier, Tiers
from align.formats.tiers.timit import read_phn, write_phn

__all__ = [
    "LABEL_FORMATS",
    "MUSIC_FORMATS",
    "Labels",
    "NoteTimes",
    "Tier",
    "Tiers",
    "atomic_write",
    "map_labels",
    "nearest_label",
    "read_audacity",
    "read_csv",
    "read_ctm",
    "read_json",
    "read_lab",
    "read_labels",
    "read_music",
    "read_phn",
    "read_phone_map",
    "read_textgrid",
    "read_tiers",
    "write_audacity",
    "write_csv",
    "write_ctm",
    "write_json",
    "write_lab",
    "write_labels",
    "write_music",
    "write_phn",
    "write_textgrid",
    "write_tiers",
]
