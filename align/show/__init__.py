"""Alignments to be seen and heard: pictures, a page to correct them on, sound.

`plot`         speech: waveform, spectrogram, boundaries
`plot_music`   music: piano roll, time map
`page`         one HTML file, without a network
`sonify`       the notes or clicks over the recording
"""
