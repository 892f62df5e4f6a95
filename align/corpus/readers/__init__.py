"""Corpora as their makers publish them, read into a `Corpus`.

`align.read_corpus` reads Align's own layout, and TIMIT's. The functions here read the layouts of
other corpora in place: nothing is converted, no audio is decoded, and a file that cannot be used
becomes a problem of the corpus instead of stopping the others.

================= ====== ===================================================================
name              kind   truth from
================= ====== ===================================================================
``timit``         speech ``.phn``
``buckeye``       speech ``.phones`` or ``.words`` (xlabel)
``l2arctic``      speech TextGrids, forced or corrected by hand (``CPL,PPL,type``)
``voxangeles``    speech TextGrids beside the audio or in a tree of their own, a folder a language
``asap``          music  (n)ASAP: ``metadata.csv`` and match files, or annotated beats
``vienna4x22``    music  match files
``maestro``       music  the MIDI file recorded with the sound, by ``maestro-*.csv`` or ``.json``
``smd``           music  the MIDI file of the same name
``maps``          music  ``.txt`` lists of notes beside audio and MIDI
================= ====== ===================================================================

No corpus comes with Align; each has a licence of its own.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from align.corpus.readers.asap import read_asap
from align.corpus.readers.buckeye import read_buckeye, read_xlabel
from align.corpus.readers.cutting import Utterance, cut_utterances
from align.corpus.readers.folders import read_timit, read_voxangeles
from align.corpus.readers.l2arctic import read_l2arctic
from align.corpus.readers.maestro import read_maestro
from align.corpus.readers.maps import read_maps
from align.corpus.readers.match import MatchFile, read_match
from align.corpus.readers.smd import read_smd
from align.corpus.readers.vienna import read_vienna4x22
from align.corpus.reading import Corpus

__all__ = [
    "READERS",
    "MatchFile",
    "Utterance",
    "cut_utterances",
    "read_asap",
    "read_buckeye",
    "read_l2arctic",
    "read_maestro",
    "read_maps",
    "read_match",
    "read_smd",
    "read_timit",
    "read_vienna4x22",
    "read_voxangeles",
    "read_xlabel",
]

READERS: Mapping[str, Callable[..., Corpus]] = MappingProxyType(
    {
        "asap": read_asap,
        "buckeye": read_buckeye,
        "l2arctic": read_l2arctic,
        "maestro": read_maestro,
        "maps": read_maps,
        "smd": read_smd,
        "timit": read_timit,
        "vienna4x22": read_vienna4x22,
        "voxangeles": read_voxangeles,
    }
)
"""Reader of each corpus, by name; each takes the folder of the corpus first."""
