"""A recording cut into frames, with its spectral representations computed once each."""

import math
import os
import weakref
from collections.abc import Callable
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from align.errors import ParameterError
from align.features.sound import spectra
from align.features.sound.cepstra import cepstra
from align.features.sound.sounding import frames_of, sounding
from align.types import BoolArray, Float32

_T = TypeVar("_T")

REPRESENTATIONS = ("log_mel", "mfcc", "power_spectrum")
"""What `Signal.representation` knows by name."""

_CEPSTRAL = frozenset(
    ("n_mfcc", "derivatives", "derivative_reach", "normalise_mean", "normalise_variance")
)


class Signal:
    """A mono recording cut into T frames.

    Frame t covers ``[t * hop, (t + 1) * hop)`` seconds; analysis windows are centred in it. Each
    representation is computed at the first call that asks for it, and kept; the arrays are
    read-only, as all features share them.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        Mono samples in [-1, 1].
    rate : int
        Sampling rate in Hz.
    hop : float
        Length of a frame in seconds; rounded to a whole number of samples.
    name : str
        What messages call the recording.
    own_rate : int, optional
        Sampling rate of the recording itself in Hz, where the samples were resampled.

    Attributes
    ----------
    hop : float
        The hop in seconds after rounding.
    hop_length : int
        The hop in samples.
    n_frames : int
        T, at least 1; the last frame may be partly beyond the end.
    duration : float
        Length of the recording in seconds.

    Examples
    --------
    >>> signal = Signal(np.zeros(16000, dtype=np.float32), rate=16000, hop=0.005)
    >>> signal.n_frames, signal.hop
    (200, 0.005)
    >>> signal.mfcc(n_mfcc=12, window=0.020).shape
    (200, 36)
    """

    def __init__(
        self,
        samples: Float32,
        rate: int,
        hop: float = 0.005,
        name: str = "",
        *,
        own_rate: int | None = None,
    ) -> None:
        self.samples = np.asarray(samples, dtype=np.float32)
        if self.samples.ndim != 1 or self.samples.size == 0:
            raise ParameterError(f"samples.shape={self.samples.shape}, must be (n,), n > 0.")
        self.rate = int(rate)
        self.own_rate = self.rate if own_rate is None else int(own_rate)
        self.hop_length = round(hop * rate)
        if self.hop_length < 1:
            raise ParameterError(f"hop={hop} s is less than one sample at {rate} Hz.")
        self.hop = self.hop_length / self.rate
        self.name = name
        self.n_frames = math.ceil(self.samples.size / self.hop_length)
        self.duration = self.samples.size / self.rate
        self._cache: dict[Any, Any] = {}

    def __repr__(self) -> str:
        """Return its name, length and frames."""
        frames = f"{self.n_frames} frames of {self.hop:g} s"
        return f"<Signal {self.name!r} of {self.duration:.3f} s: {frames}>"

    @classmethod
    def read(
        cls,
        audio: str | os.PathLike[str] | npt.NDArray[Any],
        rate: int = 16000,
        hop: float = 0.005,
        *,
        source_rate: int | None = None,
        name: str = "",
    ) -> Self:
        """Read a recording by `align.features.read_audio`, and cut it into frames.

        Parameters
        ----------
        audio : path or np.ndarray
            The recording.
        rate : int
            Sampling rate wanted, in Hz.
        hop : float
            Length of a frame in seconds.
        source_rate : int, optional
            Sampling rate of an array, in Hz.
        name : str, optional
            What messages call the recording; by default its path.
        """
        from align.features.sound.audio import audio_info, read_audio

        samples, rate = read_audio(audio, rate, source_rate=source_rate, name=name)
        if not isinstance(audio, np.ndarray):
            name, source_rate = name or os.fspath(audio), audio_info(audio).rate
        return cls(samples, rate, hop, name, own_rate=source_rate)

    def part(self, begin: float, end: float) -> "Signal":
        """Return the recording from `begin` to `end` seconds, moved to the nearest frames."""
        first, stop = (round(time / self.hop) * self.hop_length for time in (begin, end))
        if end >= self.duration:
            stop = self.samples.size
        samples = self.samples[first:stop]
        return type(self)(samples, self.rate, self.hop, self.name, own_rate=self.own_rate)

    def __getstate__(self) -> dict[str, Any]:
        """Leave what was computed behind: a copy, or another process, computes what it needs."""
        return {**self.__dict__, "_cache": {}}

    def cached(self, key: Any, compute: Callable[[], _T]) -> _T:
        """Return ``compute()``, computed at the first call with this `key` only."""
        if key not in self._cache:
            value = compute()
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            self._cache[key] = value
        kept: _T = self._cache[key]
        return kept

    def forget(self) -> None:
        """Let go of all that was computed: outputs of networks hold the networks, too."""
        self._cache.clear()

    def power_spectrum(self, **options: Any) -> Float32:
        """Power spectrum [shape=(T, n_fft // 2 + 1)].

        Parameters
        ----------
        **options
            Those of `align.features.sound.spectra.power_spectrum`: `window` (seconds), `n_fft`,
            `preemphasis`.
        """
        return self._spectrum("power_spectrum", options)

    def log_mel(self, **options: Any) -> Float32:
        """Natural logarithm of the energies in mel bands [shape=(T, n_mels)].

        Parameters
        ----------
        **options
            Those of `align.features.log_mel`: `window` (seconds), `n_mels`, `fmin`, `fmax`,
            `n_fft`, `preemphasis`, `mel_scale`, `mel_norm`, `floor`, `normalise_mean`,
            `normalise_variance`.
        """
        return self._spectrum("log_mel", options)

    def mfcc(self, **options: Any) -> Float32:
        """Cepstral coefficients and derivatives [shape=(T, n_mfcc * (1 + derivatives))].

        Parameters
        ----------
        **options
            Those of `align.features.mfcc`: `window` (seconds), `n_mfcc`, `n_mels`,
            `preemphasis`, `derivatives`, `derivative_reach` (seconds), `normalise_mean`,
            `normalise_variance`, and those of the filter bank.
        """

        def compute() -> Float32:
            mel = {"preemphasis": 0.97, **options}
            own = {name: mel.pop(name) for name in _CEPSTRAL & mel.keys()}
            return cepstra(self.log_mel(**mel), self.hop, **own)

        return self.cached(("mfcc", *sorted(options.items())), compute)

    @property
    def sounding(self) -> BoolArray | None:
        """Which blocks of a recording are sound, by `align.features.sound.sounding.sounding`."""
        return self.cached("sounding", lambda: sounding(self.samples, self.rate))

    def of_sound(self, x: Float32) -> Float32:
        """Return frames [shape=(T, D)], or those of sound where much of a recording is silent."""
        sound = frames_of(self.sounding, len(x), self.hop)
        return x if sound is None else x[sound]

    @property
    def log_energy(self) -> Float32:
        """Natural logarithm of the mean square in 25 ms around each frame [shape=(T,)]."""
        return self._spectrum("log_energy", {})

    def representation(self, name: str, **options: Any) -> Float32:
        """Return a representation by its name [shape=(T, D)].

        Parameters
        ----------
        name : str
            One of `REPRESENTATIONS`.
        **options
            Those of the method of that name.

        Raises
        ------
        ParameterError
            For an unknown name or option.
        """
        if name not in REPRESENTATIONS:
            known = ", ".join(map(repr, REPRESENTATIONS))
            raise ParameterError(f"representation={name!r}, must be one of {known}.")
        try:
            values: Float32 = getattr(self, name)(**options)
        except TypeError as error:
            raise ParameterError(f"options={options} do not suit {name!r}: {error}.") from error
        return values

    def _spectrum(self, name: str, options: dict[str, Any]) -> Float32:
        function = getattr(spectra, name)
        return self.cached(
            (name, *sorted(options.items())),
            lambda: function(self.samples, self.rate, self.hop, **options),
        )


class LongerSignal(Signal):
    """A recording with a pause put in front of it, or behind, or both.

    Parameters
    ----------
    own : Signal
        The recording.
    before, behind : np.ndarray [shape=(n,), dtype=float32]
        What is put there; whole frames in front, and behind the last, which may be partly empty.

    Attributes
    ----------
    own : Signal
        The recording, which must be kept as long as this is used.
    before : int
        Frames in front of it.
    """

    def __init__(self, own: Signal, before: Float32, behind: Float32) -> None:
        samples = np.concatenate((before, own.samples, behind))
        super().__init__(samples, own.rate, own.hop, own.name, own_rate=own.own_rate)
        # The recording keeps this one among what it computed. If each kept the other, both would
        # stay until Python looks for circles, which it rarely does for the sake of a few arrays.
        self._own = weakref.ref(own)
        self.before = len(before) // own.hop_length

    @property
    def own(self) -> Signal:
        """The recording."""
        own = self._own()
        assert own is not None
        return own

    def around(self, frames: Float32, pause: Float32) -> Float32:
        """Return the frames of the recording [shape=(t, D)] with those of a pause [shape=(D,)]."""
        longer = np.tile(pause, (self.n_frames, 1))
        longer[self.before : self.before + len(frames)] = frames
        return longer
