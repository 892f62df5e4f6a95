"""From a recording to what is seen of it in frames, and recordings changed on purpose.

=================  =================================================================
module             what
=================  =================================================================
`audio`            recordings of any file, as samples at one rate
`signal`           a recording in frames; each spectrum is computed once
`spectra`          power spectra and log mel energies; `mel` has the filters
`cepstra`          MFCC; `derivatives` of any sampled curve
`pitch`            energies at quarter tones and semitones
`tuning`           how far a recording is above or below 440 Hz, and whether it drifts
`clicks`           a recording without the clicks of old records
`sounding`         where there is sound, if much of a recording is silence
`voicing`          sounds that have no voice, which nobody said
`steady`           recordings that are nothing but steady noise
`near_mean`        the mean energies of the seconds around a frame
`dereverberation`  a recording without the echo of its room
`surroundings`     what it would sound like elsewhere: rooms, noise, telephones
`disguises`        what networks are trained on besides the recordings
=================  =================================================================

Imports no other folder of `align.features`.
"""
