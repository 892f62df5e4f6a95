"""Recordings in which nothing happens: a microphone's noise, rain, a fan, and no speech.

The level of a recording is the mean of the logarithms of its mel bands, so that a hiss counts like
a rumble. Of noise that stays as it is, of any colour, it stays within 1.6 to 1.9 dB from one frame
to the next (5th to 95th percentile, half a second to a minute), and within 2.2 dB or more where
somebody speaks, even 10 dB below white noise: 96 utterances of TIMIT, and German and single words
in other languages. In the frames of music noise stays within 1.9 dB, too, and 28 recordings of
music within 16 dB or more.
"""

import numpy as np

from align.features.sound.signal import Signal

_BORDER = 2.1  # dB
_SHORTEST = 0.5  # seconds; less says too little
_DECIBEL = 10.0 / np.log(10.0)


def steady_noise(signal: Signal) -> tuple[str, ...]:
    """Return what is to be said of a recording that is nothing but steady noise.

    Parameters
    ----------
    signal : Signal

    Returns
    -------
    tuple of str
        A sentence, or nothing.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(0.0, 0.1, 16000)
    >>> steady_noise(Signal(noise, 16000))[0].split(":")[0]
    'nothing but steady noise is heard in this recording (its level stays within 1.9 dB)'
    >>> steady_noise(Signal(noise * np.linspace(0.1, 1.0, 16000), 16000))
    ()
    """
    if signal.duration < _SHORTEST:
        return ()
    level = _DECIBEL * signal.of_sound(signal.log_mel()).mean(axis=1)
    low, high = np.percentile(level, [5, 95])
    if high - low > _BORDER:
        return ()
    return (
        "nothing but steady noise is heard in this recording (its level stays within "
        f"{high - low:.1f} dB): check that it is the right one, and do not rely on these times.",
    )
