"""Events of which several may follow: the best path of a lattice through a recording.

`lattices` is what an aligner takes and returns, `on_lattice` lays out what features score and
decodes it, `long_lattice` does so in windows where the recording is long. All three serve
`align.sequence.lattice_paths`. Imports no other folder.
"""
