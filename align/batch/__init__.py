"""Parts of the batch runner, `align.batch.run.align_corpus`.

==============  ==================================================================================
`tasks`         what is to be aligned: one recording, and what each kind of them has
`speech_work`   how a recording of speech, or of other labelled events, is found and aligned
`music_work`    how a recording of music is
`works`         the work of each kind, by name
`worker`        one recording in any process: its outputs as bytes, its quality, or a reason
`pool`          the processes: none, those of this machine, or those of a Dask cluster
`journal`       what earlier runs have done
`quality`       what deserves a look first
`shifted`       whether recordings fit the texts of their neighbours
`summary`       what a run did
==============  ==================================================================================

Only the process of the run itself writes into the folder of outputs. Workers return bytes, so that
whatever happens to them, no file is touched.
"""
