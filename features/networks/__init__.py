"""A small convolutional network over frames, whatever its outputs mean.

`network` has its layers and its answer, `targets` what it should answer where times are known, and
`training` is how it learns. Of `align.features` only `base` is imported.
"""
