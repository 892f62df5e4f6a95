"""Parts of the batch runner, `align.batch.run.align_corpus`.

==============  ==================================================================================
`tasks`         what is to be aligned, and how one recording is
`worker`        one recording in any process: its outputs as bytes, its quality, or a reason
`pool`          the processes: none, those of this machine, or those of a Dask cluster
`journal`       what earlier runs have done
`quality`       what deserves a look first
`summary`       what a run did
==============  ==================================================================================

Only the process of the run itself writes into the folder of outputs. Workers return bytes, so that
whatever happens to them, no file is touched.
"""

__all__: list[str] = []
