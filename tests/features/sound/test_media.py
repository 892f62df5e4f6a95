"""Sound in M4A, MP4 and other files of FFmpeg."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from align.errors import DataError
from align.features.sound.audio import audio_info, read_audio

if os.environ.get("CI"):
    import av
else:
    av = pytest.importorskip("av", reason="PyAV, the extra media, reads them")

RATE = 16000
Keep = Callable[[int], bool]


def sound(channels: int = 1) -> npt.NDArray[np.float32]:
    """A second and a half of clicks and a tone, different in each channel."""
    rng = np.random.default_rng(0)
    n = 3 * RATE // 2
    tone = 0.2 * np.sin(2 * np.pi * 440 * np.arange(n) / RATE)
    samples = np.stack([tone + 0.01 * rng.standard_normal(n) for _ in range(channels)], axis=1)
    samples[RATE // 2 : RATE // 2 + 400] += 0.5 * rng.standard_normal((400, channels))
    return samples.astype(np.float32)


def frames(samples: npt.NDArray[np.float32], stream: Any, later: float = 0.0) -> Iterator[Any]:
    layout = "mono" if samples.shape[1] == 1 else "stereo"
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples.T), "fltp", layout)
    frame.sample_rate = RATE
    resampler = av.AudioResampler(stream.codec_context.format, layout, stream.rate)
    queue, at = av.AudioFifo(), round(later * stream.rate)
    for part in [*resampler.resample(frame), *resampler.resample(None)]:
        part.pts = None
        queue.write(part)
    while (part := queue.read(stream.codec_context.frame_size or 1024, partial=True)) is not None:
        part.pts, part.time_base = at, Fraction(1, stream.rate)
        at += part.samples
        yield part


def write(
    path: Path,
    coding: str,
    samples: npt.NDArray[np.float32],
    *,
    rate: int = RATE,
    keep: Keep = lambda n: True,
    pictures: bool = False,
    later: float = 0.0,
) -> Path:
    """Write a file whose n-th packet of sound is there if `keep` says so, with pictures."""
    with av.open(os.fspath(path), "w") as container:
        film = container.add_stream("mpeg4", rate=10) if pictures else None
        stream = container.add_stream(coding, rate=rate) if coding else None
        if stream is not None:
            stream.layout = "mono" if samples.shape[1] == 1 else "stereo"
        if film is not None:
            film.width = film.height = 32
            for n in range(20):
                picture = av.VideoFrame(32, 32, "yuv420p")
                picture.pts, picture.time_base = n, Fraction(1, 10)
                container.mux(film.encode(picture))
            container.mux(film.encode(None))
        if stream is not None:
            packets = [p for part in frames(samples, stream, later) for p in stream.encode(part)]
            for n, packet in enumerate([*packets, *stream.encode(None)]):
                if keep(n):
                    container.mux(packet)
    return path


def lag(found: npt.NDArray[np.float32], truth: npt.NDArray[np.float32]) -> float:
    """Return by how many seconds the sound is later than the truth."""
    size = 2 * max(len(found), len(truth))
    spectra = np.fft.rfft(found, size) * np.conj(np.fft.rfft(truth, size))
    at = int(np.argmax(np.fft.irfft(spectra, size)))
    return (at - size if at > size // 2 else at) / RATE


@pytest.mark.parametrize(
    ("name", "coding", "rate", "channels"),
    [
        ("a.m4a", "aac", RATE, 1),
        ("a.mp4", "aac", 48000, 2),
        ("a.mov", "pcm_s16le", RATE, 2),
        ("a.webm", "libopus", 48000, 1),
        ("a.mkv", "flac", RATE, 2),
        ("a.3gp", "aac", RATE, 1),
    ],
)
def test_sound_is_where_it_was(
    tmp_path: Path, name: str, coding: str, rate: int, channels: int
) -> None:
    truth = sound(channels)
    path = write(tmp_path / name, coding, truth, rate=rate)
    samples, found = read_audio(path, None, mono=False)
    assert (found, samples.shape[1]) == (rate, channels)
    assert len(samples) / rate == pytest.approx(1.5, abs=0.07)  # coders fill their last frame
    mono, _ = read_audio(path)
    assert abs(lag(mono, truth.mean(axis=1))) < 0.0005
    info = audio_info(path)
    assert (info.rate, info.channels) == (rate, channels)
    assert info.duration == pytest.approx(1.5, abs=0.07)


def test_a_film_keeps_its_time(tmp_path: Path) -> None:
    """Sound that begins .4 s after the pictures is .4 s later, and lost packets are silence."""
    truth = sound()
    film = write(tmp_path / "film.mp4", "aac", truth, pictures=True, later=0.4)
    assert lag(read_audio(film)[0], truth[:, 0]) == pytest.approx(0.4, abs=0.0005)
    holes = write(tmp_path / "holes.mka", "flac", truth, keep=lambda n: n not in (2, 3))
    samples, _ = read_audio(holes)
    whole, _ = read_audio(write(tmp_path / "whole.mka", "flac", truth))
    assert len(samples) == len(whole)
    missing = samples == 0
    assert missing.sum() > 1000
    np.testing.assert_array_equal(samples[~missing], whole[~missing])


def test_what_is_cut_off_or_has_no_sound_is_named(tmp_path: Path) -> None:
    silent = write(tmp_path / "silent.mp4", "", sound(), pictures=True)
    with pytest.raises(DataError, match=r"silent\.mp4: .*nor FFmpeg \(it has no sound\); convert"):
        read_audio(silent)
    for name, coding in (("cut.m4a", "aac"), ("cut.mka", "flac")):
        path = write(tmp_path / name, coding, sound())
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        with pytest.raises(DataError, match=rf"{name}: it is (truncated|damaged|not audio)"):
            read_audio(path)
    partial, _ = read_audio(path, allow_truncated=True)  # Matroska can be read as far as it goes
    assert 0.3 * RATE < len(partial) < 1.2 * RATE


@pytest.mark.parametrize(("name", "coding"), [("a.m4a", "aac"), ("a.mka", "flac")])
def test_damaged_files_are_read_or_refused(tmp_path: Path, name: str, coding: str) -> None:
    path = write(tmp_path / name, coding, sound())
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    rng = np.random.default_rng(0)
    for _ in range(40):
        broken = whole.copy()
        broken[rng.integers(len(whole), size=rng.integers(1, 30))] = rng.integers(256)
        path.write_bytes(broken.tobytes())
        with suppress(DataError):
            samples, _ = read_audio(path, allow_silence=True)
            assert np.isfinite(samples).all()


def test_playlists_and_damaged_wav_files_are_not_for_ffmpeg(tmp_path: Path) -> None:
    """A playlist would open what it names; a WAV that libsndfile refuses is not guessed at."""
    secret = write(tmp_path / "secret.m4a", "aac", sound())
    lists = {
        "list.m3u8": f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n{secret}\n#EXT-X-ENDLIST\n",
        "list.ffconcat": f"ffconcat version 1.0\nfile {secret}\n",
    }
    for name, text in lists.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(DataError, match="nor FFmpeg"):
            read_audio(tmp_path / name)
    wav = tmp_path / "a.wav"
    with av.open(os.fspath(wav), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=RATE)
        for part in frames(sound(), stream):
            container.mux(stream.encode(part))
    broken = bytearray(wav.read_bytes())
    broken[8:12] = b"WAVX"
    wav.write_bytes(broken)
    with pytest.raises(DataError, match=r"a\.wav: .*not audio"):
        read_audio(wav)


def test_without_pyav_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.m4a", "aac", sound())
    monkeypatch.setattr("align.features.sound.audio.media_available", lambda: False)
    with pytest.raises(DataError, match=r'convert it to WAV .* "margin-align\[media\]"'):
        read_audio(path)
