"""Events of which several may follow: the best path of a lattice through a recording.

`lattices` is what an aligner takes and returns, `on_lattice` lays out what features score, and
`lattice_search` decodes it, by `long_lattice` where the recording is long. Imports no other
folder.
"""

__all__: list[str] = []
