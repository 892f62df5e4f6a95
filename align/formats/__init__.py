"""File formats of labels and alignments."""
