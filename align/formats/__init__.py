"""File formats of labels and alignments.

`read_labels` and `write_labels` choose by the suffix, `read_tiers` and `write_tiers` where there
are several tiers, `read_music` and `write_music` for aligned notes. `align.formats.table` lists
the formats; each has its own module.
"""

from align.files.atomic import atomic_write
from align.formats.audacity import read_audacity, write_audacity
from align.formats.ctm import read_ctm, write_ctm
from align.formats.files import read_labels, read_tiers, write_labels, write_tiers
from align.formats.htk import read_lab, write_lab
from align.formats.json_file import read_json, write_json
from align.formats.labels import Labels
from align.formats.music_files import read_music, write_music
from align.formats.notes import NoteTimes
from align.formats.phone_map import map_labels, nearest_label, read_phone_map
from align.formats.table import LABEL_FORMATS, MUSIC_FORMATS
from align.formats.tables import read_csv, write_csv
from align.formats.textgrid import read_textgrid, write_textgrid
from align.formats.tiers import Tier, Tiers
from align.formats.timit import read_phn, write_phn

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
