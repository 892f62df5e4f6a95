"""Reading audio: every container, rate and channel count; every kind of damage."""

import io
import os
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from align.errors import DataError, ParameterError
from align.features import AudioInfo, Channel, Signal, audio_info, read_audio

RATE = 16000
TONE = (0.4 * np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE)).astype(np.float32)
NOISE = (0.1 * np.random.default_rng(0).normal(size=RATE)).astype(np.float32)

TIMIT_HEADER = """NIST_1A
   1024
database_id -s5 TIMIT
database_version -s3 1.0
utterance_id -s8 cjf0_sa1
channel_count -i 1
sample_count -i {count}
sample_rate -i 16000
sample_min -i -2191
sample_max -i 2790
sample_n_bytes -i 2
sample_byte_format -s2 01
sample_sig_bits -i 16
end_head
"""


def encoded(samples, rate=RATE, **options) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate, **options)
    return buffer.getvalue()


def sphere(samples, count=None, header=TIMIT_HEADER) -> bytes:
    """A file laid out as on the TIMIT discs: 1024 bytes of text, then little-endian samples."""
    text = header.format(count=len(samples) if count is None else count)
    return text.encode().ljust(1024, b" ") + samples.astype("<i2").tobytes()


def put(folder: Path, content: bytes, name: str = "speech.wav") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


# Containers, rates, channels --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("container", "coding", "error"),
    [
        ("WAV", "PCM_16", 1e-4),
        ("WAV", "PCM_U8", 1e-2),
        ("WAV", "PCM_24", 1e-6),
        ("WAV", "PCM_32", 1e-6),
        ("WAV", "FLOAT", 0),
        ("WAV", "DOUBLE", 0),
        ("WAV", "ULAW", 2e-2),
        ("WAVEX", "PCM_16", 1e-4),
        ("RF64", "PCM_16", 1e-4),
        ("W64", "PCM_16", 1e-4),
        ("CAF", "PCM_16", 1e-4),
        ("AIFF", "PCM_16", 1e-4),
        ("AU", "PCM_16", 1e-4),
        ("FLAC", "PCM_16", 1e-4),
        ("NIST", "PCM_16", 1e-4),
        ("NIST", "ULAW", 2e-2),
        ("OGG", "VORBIS", 5e-2),
        ("MP3", "MPEG_LAYER_III", 5e-2),
    ],
)
def test_container(tmp_path, container, coding, error):
    path = put(tmp_path, encoded(TONE, format=container, subtype=coding), "sound.any")
    samples, rate = read_audio(path)
    assert (rate, samples.shape, samples.dtype) == (RATE, (RATE,), np.float32)
    np.testing.assert_allclose(samples, TONE, atol=error)
    assert audio_info(path) == AudioInfo(1.0, RATE, 1, f"{container} {coding}")


def test_sphere_as_on_the_timit_discs(tmp_path):
    original = np.arange(-3000, 3000, dtype=np.int16)
    path = put(tmp_path, sphere(original), "SA1.WAV")
    samples, _ = read_audio(path)
    np.testing.assert_array_equal(samples * 32768, original)
    assert audio_info(os.fspath(path)).format == "NIST PCM_16"


def test_channels_are_averaged(tmp_path):
    stereo = np.stack([TONE, NOISE], axis=1)
    path = put(tmp_path, encoded(stereo, format="NIST", subtype="PCM_16"), "stereo.sph")
    samples, _ = read_audio(path)
    np.testing.assert_allclose(samples, stereo.mean(axis=1), atol=1e-4)
    both, _ = read_audio(path, mono=False)
    assert both.shape == (RATE, 2)
    np.testing.assert_allclose(both, stereo, atol=1e-4)


@pytest.mark.parametrize("source", [8000, 11025, 44100, 48000])
def test_resampled_tone_is_the_tone(tmp_path, source):
    tone = 0.4 * np.sin(2 * np.pi * 440 * np.arange(source) / source)
    samples, rate = read_audio(put(tmp_path, encoded(tone, source, format="WAV")))
    assert rate == RATE
    assert abs(samples.size - RATE) <= 1
    middle = slice(2000, 14000)  # away from the filter's transients
    np.testing.assert_allclose(samples[middle], TONE[middle], atol=1e-3)


def test_what_is_above_half_the_rate_does_not_fold_back(tmp_path):
    high = np.sin(2 * np.pi * 12000 * np.arange(48000) / 48000)
    samples, _ = read_audio(put(tmp_path, encoded(high, 48000, format="WAV")))
    assert np.abs(samples[2000:-2000]).max() < 1e-3


def test_rate_of_the_recording_is_kept_on_request(tmp_path):
    path = put(tmp_path, encoded(TONE, 44100, format="WAV", subtype="FLOAT"))
    samples, rate = read_audio(path, rate=None)
    assert rate == 44100
    np.testing.assert_array_equal(samples, TONE)


def test_long_files_are_read_whole(tmp_path):
    ramp = np.linspace(-1, 1, 700_001, dtype=np.float32)
    path = put(tmp_path, encoded(ramp, format="WAV", subtype="FLOAT"))
    np.testing.assert_array_equal(read_audio(path)[0], ramp)


def test_signal_read(tmp_path):
    path = put(tmp_path, encoded(TONE, format="WAV"))
    signal = Signal.read(path, hop=0.01)
    assert (signal.n_frames, signal.rate, signal.name) == (100, RATE, os.fspath(path))


def test_a_channel_of_a_file_is_what_it_would_be_alone(tmp_path):
    stereo = put(tmp_path, encoded(np.stack([TONE, NOISE], axis=1), format="WAV"), "both.wav")
    for number, own in ((1, TONE), (2, NOISE)):
        alone = put(tmp_path, encoded(own, format="WAV"), f"{number}.wav")
        channel = Channel(stereo, number)
        found, rate = read_audio(channel, 8000)
        assert rate == 8000
        np.testing.assert_array_equal(found, read_audio(alone, 8000)[0])
        assert audio_info(channel) == audio_info(stereo)
        np.testing.assert_array_equal(Signal.read(channel).samples, Signal.read(alone).samples)
        assert Signal.read(channel).name == str(stereo)


def test_a_channel_that_is_not_there_is_refused(tmp_path):
    alone = put(tmp_path, encoded(TONE, format="WAV"))
    for read in (read_audio, audio_info):
        with pytest.raises(DataError, match="has one channel, so there is no channel 2") as error:
            read(Channel(alone, 2))
        assert error.value.path == str(alone)
    for number in (0, -1, 1.0, "left", True):
        with pytest.raises(ParameterError, match="must be a channel"):
            Channel(alone, number)


@pytest.mark.parametrize("delay", [0, 1])
def test_of_channels_that_cancel_the_loudest_is_taken(delay):
    opposite = -0.9 * np.roll(TONE, delay)
    found, _ = read_audio(np.stack([opposite, TONE], axis=1), source_rate=RATE)
    np.testing.assert_array_equal(found, TONE)


@pytest.mark.parametrize("n_channels", [2, 3, 8])
def test_channels_that_do_not_cancel_are_averaged(n_channels):
    rng = np.random.default_rng(0)
    unrelated = rng.normal(size=(RATE, n_channels)).astype(np.float32)
    one_of_them = np.where(np.arange(n_channels) == 1, unrelated, 0)
    for samples in (unrelated, one_of_them):
        found, _ = read_audio(samples, source_rate=RATE)
        np.testing.assert_array_equal(found, samples.mean(axis=1))


# Arrays -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([-32768, 0, 16384], np.int16, [-1, 0, 0.5]),
        ([-128, 0, 64], np.int8, [-1, 0, 0.5]),
        ([0, 128, 192], np.uint8, [-1, 0, 0.5]),
        ([-(2**31), 0, 2**30], np.int32, [-1, 0, 0.5]),
        ([0, 32768, 49152], np.uint16, [-1, 0, 0.5]),
        ([-1, 0, 0.5], np.float64, [-1, 0, 0.5]),
        ([-1, 0, 0.5], np.float16, [-1, 0, 0.5]),
    ],
)
def test_array_scale(values, dtype, expected):
    samples, rate = read_audio(np.array(values, dtype=dtype), source_rate=RATE)
    assert (samples.dtype, rate) == (np.float32, RATE)
    np.testing.assert_array_equal(samples, np.float32(expected))


def test_array_of_channels():
    samples, _ = read_audio(np.stack([TONE, -NOISE], axis=1), source_rate=RATE)
    np.testing.assert_allclose(samples, (TONE - NOISE) / 2, atol=1e-7)


def test_array_is_not_shared():
    mine = NOISE.copy()
    samples, _ = read_audio(mine, source_rate=RATE)
    samples[:] = 0
    np.testing.assert_array_equal(mine, NOISE)


@pytest.mark.parametrize(
    ("array", "rate", "message"),
    [
        (TONE, None, "source_rate=None, must be the sampling rate"),
        (TONE, 0, "source_rate=0 Hz, must be in 1000..1000000.$"),
        (TONE, 360, "source_rate=360 Hz, must be in 1000.*; of what is no sound lower that of"),
        (TONE, "16000", "source_rate='16000', must be a number of Hz"),
        (TONE, 22050.5, "source_rate=22050.5 Hz, must be a whole number"),
        (np.zeros((2, 100)), RATE, r"shape=\(2, 100\), must be \(n, channels\); pass the transp"),
        (np.zeros((3, 2, 1)), RATE, r"shape=\(3, 2, 1\), must be \(n,\) or"),
        (np.zeros((5, 0)), RATE, "at least one channel"),
        (np.zeros(5, dtype=np.int64), RATE, "dtype=int64, must be floating point or integers"),
        (np.zeros(5, dtype=complex), RATE, "dtype=complex128"),
        (np.zeros(5, dtype=bool), RATE, "dtype=bool"),
        ([0.0, 1.0], RATE, "audio is a list, must be a path or an array"),
    ],
)
def test_wrong_array(array, rate, message):
    with pytest.raises(ParameterError, match=message):
        read_audio(array, source_rate=rate)


def test_wrong_rate():
    with pytest.raises(ParameterError, match=r"rate=0 Hz, must be in 1\.\.1000000\.$"):
        read_audio(TONE, rate=0, source_rate=RATE)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_array_that_is_not_finite(bad):
    broken = TONE.copy()
    broken[1600] = bad
    with pytest.raises(DataError, match=rf"^take 3: sample 1600 \(at 0\.100 s\) is {bad}; "):
        read_audio(broken, source_rate=RATE, name="take 3")


def test_values_beyond_float32():
    with pytest.raises(DataError, match=r"sample 1 .* is inf"):
        read_audio(np.array([0.0, 1e300]), source_rate=RATE)


# Damage -----------------------------------------------------------------------------------------


def test_missing(tmp_path):
    path = tmp_path / "nowhere.wav"
    with pytest.raises(DataError, match=r"nowhere\.wav: there is no such file\.$") as caught:
        read_audio(path)
    assert caught.value.path == os.fspath(path)
    with pytest.raises(DataError, match="there is no such file"):
        audio_info(path)


def test_directory(tmp_path):
    with pytest.raises(DataError, match="it is a directory, not an audio file"):
        read_audio(tmp_path)


def test_null_character_in_name():
    with pytest.raises(DataError, match=r"it cannot be opened .*null"):
        read_audio("a\0b.wav")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_name_that_is_not_utf_8(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/gr\xfcn.wav")
    Path(path).write_bytes(encoded(NOISE, format="WAV", subtype="PCM_16"))
    with pytest.raises(DataError, match="or that of its folder, is not UTF-8; set LC_ALL"):
        read_audio(path)


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes are a thing of POSIX")
def test_pipe_does_not_hang(tmp_path):
    path = tmp_path / "pipe.wav"
    os.mkfifo(path)
    with pytest.raises(DataError, match="not a regular file"):
        read_audio(path)


def test_empty_file(tmp_path):
    with pytest.raises(DataError, match=r"the file is empty \(0 bytes\)"):
        read_audio(put(tmp_path, b""))


def test_no_samples(tmp_path):
    path = put(tmp_path, encoded(TONE[:0], format="WAV"))
    with pytest.raises(DataError, match="it holds no samples"):
        read_audio(path)
    with pytest.raises(DataError, match="it holds no samples"):
        read_audio(TONE[:0], source_rate=RATE)


@pytest.mark.parametrize("name", ["notes.wav", "notes.flac", "notes.raw"])
def test_not_audio(tmp_path, name):
    path = put(tmp_path, b"once upon a time " * 100, name)
    with pytest.raises(DataError, match=r"not audio that libsndfile can read .*convert it to WAV"):
        read_audio(path)


@pytest.mark.parametrize(
    "container", ["WAV", "WAVEX", "RF64", "W64", "CAF", "AIFF", "AU", "NIST", "FLAC", "OGG"]
)
@pytest.mark.parametrize("kept", [0.97, 0.5])
def test_truncated(tmp_path, container, kept):
    content = encoded(NOISE, format=container)
    path = put(tmp_path, content[: int(len(content) * kept)])
    with pytest.raises(DataError, match=r"truncated|malformed"):
        read_audio(path)


def test_truncated_mp3_that_states_its_length(tmp_path, capfd):
    content = encoded(NOISE, format="MP3")
    path = put(tmp_path, content[: len(content) // 2])
    with pytest.raises(DataError, match=r"truncated: its header declares 1\.00 s"):
        read_audio(path)
    capfd.readouterr()  # libmpg123 has its own say on stderr


def test_truncated_says_how_much_is_there(tmp_path):
    content = encoded(NOISE, format="WAV", subtype="PCM_16")
    path = put(tmp_path, content[: 44 + 8000 * 2])
    message = r"its header declares 1\.00 s of sound, the file holds 0\.50 s; copy or convert"
    with pytest.raises(DataError, match=message):
        read_audio(path)
    with pytest.raises(DataError, match=message):
        audio_info(path)
    samples, _ = read_audio(path, allow_truncated=True)
    np.testing.assert_allclose(samples, NOISE[:8000], atol=1e-4)


def test_truncated_sphere(tmp_path):
    path = put(tmp_path, sphere(np.arange(8000), count=16000), "SA1.WAV")
    with pytest.raises(DataError, match=r"declares 1\.00 s of sound, the file holds 0\.50 s"):
        read_audio(path)


def test_header_only(tmp_path):
    content = encoded(NOISE, format="WAV", subtype="PCM_16")
    with pytest.raises(DataError, match="truncated: its header declares more sound"):
        read_audio(put(tmp_path, content[:44]))


def test_a_few_missing_samples_are_no_truncation(tmp_path):
    content = encoded(NOISE, format="WAV", subtype="PCM_16")
    samples, _ = read_audio(put(tmp_path, content[:-100]))
    assert samples.size == RATE - 50


def test_trailing_chunks_are_no_sound(tmp_path):
    content = encoded(NOISE, format="WAV", subtype="PCM_16")
    for extra in (b"LIST" + struct.pack("<I", 10) + b"x" * 10, b"LIST" + b"\xff" * 4, b"\0" * 9):
        assert read_audio(put(tmp_path, content + extra))[0].size == RATE


def with_declared(size: int, rest: bytes = b"") -> bytes:
    """Return a file of a second whose header declares another number of bytes."""
    content = bytearray(encoded(NOISE, format="WAV", subtype="PCM_16"))
    content[40:44] = struct.pack("<I", size)
    return bytes(content) + rest


@pytest.mark.parametrize("size", [0xFFFFFFFF, 0x7FFFF000])
def test_wav_from_a_pipe_of_ffmpeg_or_sox(tmp_path, size):
    path = put(tmp_path, with_declared(size))
    assert read_audio(path)[0].size == RATE
    assert audio_info(path).duration == 1.0


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (0, r"declares 0\.00 s of sound, but 32000 bytes more follow"),
        (2 * RATE - 8000, r"declares 0\.75 s .* 8000 bytes more .*`sox --ignore-length IN"),
        (2 * RATE - 8001, r"but 8001 bytes more follow"),
    ],
)
def test_sound_beyond_what_the_header_declares_is_not_left_out_in_silence(tmp_path, size, message):
    path = put(tmp_path, with_declared(size))
    for read in (read_audio, audio_info):
        with pytest.raises(DataError, match=message):
            read(path)
    if size:
        assert read_audio(path, allow_truncated=True)[0].size == size // 2


@pytest.mark.parametrize(
    "rest", [b"\0" * 4000, b"\1" * 100, b"ID3\4" + b"x" * 4000, b"TAG" + b"x" * 125]
)
def test_padding_and_tags_behind_sound_are_none(tmp_path, rest):
    assert read_audio(put(tmp_path, with_declared(2 * RATE, rest)))[0].size == RATE


def huge_wav() -> bytes:
    content = bytearray(encoded(NOISE, format="WAV", subtype="PCM_16")[:1024])
    content[4:8] = struct.pack("<I", 0xFFFFFFF0)
    content[40:44] = struct.pack("<I", 0xFFFFFFC0)
    return bytes(content)


def huge_flac() -> bytes:
    content = bytearray(encoded(NOISE, format="FLAC"))
    content[21] |= 0x0F  # the 36 bits of the number of samples
    content[22:26] = b"\xff" * 4
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [huge_wav(), huge_flac(), sphere(np.arange(400), count=2_000_000_000)],
    ids=["wav", "flac", "sphere"],
)
def test_a_header_cannot_make_us_allocate(tmp_path, content):
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    with pytest.raises(DataError, match="truncated"):
        read_audio(put(tmp_path, content))
    assert time.process_time() - start < 1.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # kB


@pytest.mark.parametrize("rate", [1, 2_000_000_000])
def test_absurd_rate(tmp_path, rate):
    content = bytearray(encoded(NOISE, format="WAV", subtype="PCM_16"))
    content[24:28] = struct.pack("<I", rate)
    with pytest.raises(DataError, match=f"sampling rate of {rate} Hz, outside 1000"):
        read_audio(put(tmp_path, bytes(content)))


def test_shorten(tmp_path):
    header = TIMIT_HEADER.replace(
        "sample_rate", "sample_coding -s26 pcm,embedded-shorten-v2.00\nsample_rate"
    )
    path = put(tmp_path, sphere(np.arange(100), header=header), "SA1.WAV")
    with pytest.raises(DataError, match=r"compressed as 'pcm,embedded-shorten.*sph2pipe -f wav"):
        read_audio(path)


def test_not_finite(tmp_path):
    broken = NOISE.copy()
    broken[8000] = np.nan
    path = put(tmp_path, encoded(broken, format="WAV", subtype="FLOAT"))
    with pytest.raises(DataError, match=r"speech\.wav: sample 8000 \(at 0\.500 s\) is nan"):
        read_audio(path)


def test_not_finite_late_in_a_long_file(tmp_path):
    broken = np.tile(NOISE, 20)
    broken[300_000] = np.inf
    path = put(tmp_path, encoded(broken, format="WAV", subtype="FLOAT"))
    with pytest.raises(DataError, match=r"sample 300000 \(at 18\.750 s\) is inf"):
        read_audio(path)


@pytest.mark.parametrize("level", [0.0, 0.25])
def test_silence(tmp_path, level):
    flat = np.full(RATE, level, dtype=np.float32)
    path = put(tmp_path, encoded(flat, format="WAV", subtype="FLOAT"))
    with pytest.raises(DataError, match=rf"digital silence \(every sample is {level:g}\)"):
        read_audio(path)
    np.testing.assert_array_equal(read_audio(path, allow_silence=True)[0], flat)


@pytest.mark.parametrize(("offset", "left"), [(0.5, 0.0), (0.05, 0.05)])
def test_offset_louder_than_the_sound(offset, left):
    loud = (np.float32(0.1) * NOISE / NOISE.std()).astype(np.float32)
    loud -= loud.mean()
    samples = read_audio(loud + np.float32(offset), source_rate=RATE, rate=RATE)[0]
    np.testing.assert_allclose(samples, loud + np.float32(left), atol=1e-6)


def test_too_short_to_resample():
    with pytest.raises(DataError, match=r"too short \(1 samples at 192000 Hz\)"):
        read_audio(np.ones(1), source_rate=192000, allow_silence=True)


def test_files_are_closed_after_errors(tmp_path):
    """An open handle would be a ResourceWarning, or a file that Windows cannot delete."""
    content = encoded(NOISE, format="WAV", subtype="PCM_16")
    path = put(tmp_path, content[:5000])
    for _ in range(3):
        with pytest.raises(DataError):
            audio_info(path)
    if Path("/proc/self/fd").is_dir():
        targets = [os.readlink(fd) for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink()]
        assert os.fspath(path) not in targets


def test_au_of_open_end(tmp_path):
    """Written to a pipe, AU says that it does not know its size."""
    content = bytearray(encoded(NOISE, format="AU", subtype="PCM_16"))
    content[8:12] = b"\xff" * 4
    assert read_audio(put(tmp_path, bytes(content)))[0].size == RATE


def test_big_endian_wav(tmp_path):
    content = encoded(NOISE, format="WAV", subtype="PCM_16", endian="BIG")
    assert content[:4] == b"RIFX"
    assert read_audio(put(tmp_path, content))[0].size == RATE
    with pytest.raises(DataError, match="truncated"):
        read_audio(put(tmp_path, content[: len(content) // 2]))


def test_damaged_flac_is_read_as_far_as_it_goes(tmp_path):
    long = np.tile(NOISE, 30)
    content = encoded(long, format="FLAC")
    path = put(tmp_path, content[: int(len(content) * 0.9)])
    with pytest.raises(DataError, match="damaged or truncated"):
        read_audio(path)
    samples, _ = read_audio(path, allow_truncated=True)
    assert RATE < samples.size < long.size
    np.testing.assert_allclose(samples, long[: samples.size], atol=1e-4)


@pytest.mark.parametrize("container", ["WAV", "RF64", "W64", "CAF", "AIFF", "AU", "NIST", "OGG"])
def test_any_damage_is_one_kind_of_error(tmp_path, container):
    whole = encoded(np.stack([NOISE, TONE], axis=1)[:2000], format=container)
    rng = np.random.default_rng(7)
    refused = []
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(rng.integers(1, 4)):
            content[rng.integers(min(len(whole), 160))] = rng.choice([0, 127, 128, 255])
        if rng.random() < 0.3:
            content = content[: rng.integers(1, len(content))]
        path = put(tmp_path, bytes(content))
        try:
            samples, _ = read_audio(path)
        except DataError as error:
            refused.append(str(error))
        else:
            assert np.isfinite(samples).all()
    assert len(refused) > 10
    assert all(m.startswith(f"{path}: ") and "\n" not in m for m in refused)


# Real recordings --------------------------------------------------------------------------------


def test_timit(timit_sample):
    path = timit_sample / "dr4-falr0" / "si1325.wav"
    samples, rate = read_audio(path)
    info = audio_info(path)
    assert (rate, info.channels, info.duration) == (16000, 1, samples.size / 16000)
    assert 0.01 < np.abs(samples).max() <= 1.0
    ends = [int(line.split()[1]) for line in path.with_suffix(".phn").read_text().splitlines()]
    assert ends[-1] <= samples.size


def test_timit_as_sphere_in_capitals(timit_sample, tmp_path):
    """What holders of the discs have: the same samples in SPHERE, named .WAV."""
    samples, _ = read_audio(timit_sample / "dr4-falr0" / "si1325.wav")
    path = put(tmp_path, sphere(np.round(samples * 32768)), "SI1325.WAV")
    np.testing.assert_array_equal(read_audio(path)[0], samples)


def test_masked_samples_are_refused_and_a_mask_of_none_is_not():
    sound = np.ma.masked_greater(np.sin(np.arange(800.0)), 2.0)
    assert read_audio(sound, source_rate=16000)[0].shape == (800,)
    sound[3] = np.ma.masked
    with pytest.raises(ParameterError, match=r"has 1 masked samples; .*audio\.filled\(0\)"):
        read_audio(sound, source_rate=16000)
