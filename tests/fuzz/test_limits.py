"""Small files that claim to be large: refused within seconds, in bounded memory.

Each case runs in a process of its own, a copy of one that has imported the reader and has read a
whole file with it; measured are the processor time and the memory that reading takes beyond that.
"""

import hashlib
import importlib.util
import json
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import signed

import seeds  # isort: skip

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="resource limits are POSIX")

SECONDS, MEBIBYTES = 10.0, 300

PROGRAM = """
import json, os, resource, sys, time
folders, cases = json.load(sys.stdin)
sys.path[:0] = folders
import parsers, seeds
from align.errors import AlignError
for target in sorted({target for target, _ in cases.values()}):
    for data in seeds.seeds(target):
        try:
            parsers.feed(target, data)
        except Warning:
            pass
with open("/proc/self/statm") as stream:
    size = int(stream.read().split()[0]) * resource.getpagesize()
for case, (target, path) in cases.items():
    if os.fork():
        os.wait()
        continue
    resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 30),) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    function, _ = parsers.TARGETS[target]
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    try:
        function(path)
        said = ""
    except AlignError as error:
        said = str(error)
    seconds = time.process_time() - begin
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps([case, said, seconds, used]), flush=True)
    os._exit(0)
"""


def wav_of_4_gib() -> bytes:
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 0xFFFFFFFE, b"WAVE", b"fmt ", 16, 1, 1, 16000,
                       32000, 2, 16)  # fmt: skip
    return head + struct.pack("<4sI", b"data", 0xFFFFFF00) + bytes(900)


def sphere_of_4_gib() -> bytes:
    head = (
        "NIST_1A\n   1024\nchannel_count -i 1\nsample_count -i 2147483647\nsample_rate -i 16000\n"
        "sample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_sig_bits -i 16\n"
        "sample_coding -s3 pcm\nend_head\n"
    )
    return head.encode().ljust(1024, b" ") + bytes(100)


def flac_of_2_to_the_36() -> bytes:
    data = bytearray(seeds.seeds("flac")[0])
    data[21] = (data[21] & 0xF0) | 0x0F  # 36 bits: the number of samples
    data[22:26] = b"\xff\xff\xff\xff"
    return bytes(data)


def model_array_of_4_gib(path: Path) -> None:
    """An array whose header declares 4 GiB, in a signed model of a kilobyte."""
    signed.signed(str(path), "sequence", {}, {"coef": np.zeros(2)})
    with zipfile.ZipFile(path) as archive:
        content = json.loads(archive.read("model.json"))
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (536870912,), }"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(16)
    content["arrays"]["coef"]["sha256"] = hashlib.sha256(data).hexdigest()
    del content["sha256"]
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    content["sha256"] = hashlib.sha256(plain.encode()).hexdigest()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps(content))
        archive.writestr("coef.npy", data)


def zipped(n_zeros: int, head: bytes = b"", name: str = "model.json") -> Callable[[Path], None]:
    """What writes an archive; made where it is wanted, for it takes a second."""

    def write(path: Path) -> None:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            if name != "model.json":
                root = f'<rootfiles><rootfile full-path="{name}"/></rootfiles>'
                archive.writestr("META-INF/container.xml", f"<container>{root}</container>")
            archive.writestr(name, head + bytes(n_zeros))

    return write


LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE score-partwise [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + k)} "{f"&{chr(97 + k)};" * 10}">' for k in range(12))
    + "]>\n<score-partwise><part-list>&m;</part-list></score-partwise>"
)


def midi(*events: bytes, ticks: int = 96, length: int | None = None) -> bytes:
    track = b"".join(events)
    return (
        b"MThd\0\0\0\6\0\0\0\1" + struct.pack(">h", ticks) + b"MTrk"
        + struct.pack(">I", len(track) if length is None else length) + track
    )  # fmt: skip


NOTE = b"\x00\x90\x3c\x40\x60\x80\x3c\x40"
END = b"\x00\xff\x2f\x00"
FAST, SLOW = b"\x00\xff\x51\x03\x00\x00\x00", b"\x00\xff\x51\x03\xff\xff\xff"
FAR = b"\xff" * 8 + b"\x7f\x90\x3c\x40"

CASES: dict[str, tuple[str, str, bytes | Callable[[Path], None], str]] = {
    "a WAV of 4 GiB": ("wav", "a.wav", wav_of_4_gib(), "it is truncated"),
    "a SPHERE of 4 GiB": ("sphere", "a.sph", sphere_of_4_gib(), "it is truncated"),
    "a FLAC of 2^36 samples": ("flac", "a.flac", flac_of_2_to_the_36(), "truncated"),
    "an array of 4 GiB": ("model", "m.align", model_array_of_4_gib, "array 'coef' is damaged"),
    "a zip bomb as a model": ("model", "m.align", zipped(100 << 20), "is compressed"),
    "10^9 intervals": (
        "textgrid", "a.TextGrid",
        seeds.TEXTGRID.replace("intervals: size = 2", "intervals: size = 1000000000").encode(),
        "truncated|stands where",
    ),
    "10^9 tiers": (
        "textgrid", "a.TextGrid",
        seeds.TEXTGRID.replace("size = 2\nitem", "size = 1000000000\nitem").encode(), "truncated",
    ),
    "1e999 intervals": (
        "textgrid", "a.TextGrid",
        seeds.TEXTGRID.replace("intervals: size = 2", "intervals: size = 1e999").encode(),
        "beyond any number",
    ),
    "deep JSON": ("json", "a.json", b"[" * 2_000_000, "is not usable JSON|is not JSON"),
    "deep JSON of notes": ("notes", "a.json", b'{"a":' * 500_000, "JSON"),
    "long integers in JSON": (
        "json", "a.json", b'{"events": [], "duration": ' + b"9" * 1_000_000 + b"}", "JSON",
    ),
    "a billion laughs": ("notation", "s.musicxml", LAUGHS.encode(), "declares entities"),
    "a billion laughs in UTF-16": ("notation", "s.xml", LAUGHS.encode("utf-16"), "declares entit"),
    "a billion laughs, compressed": (
        "notation", "s.mxl", zipped(0, LAUGHS.encode(), "s.xml"), "declares entities",
    ),
    "a score as a zip bomb": (
        "notation", "s.mxl", zipped(200 << 20, b"<a>", "s.xml"), "larger than 64 MiB",
    ),
    "a layer with laughs": ("notes", "a.svl", LAUGHS.encode(), "declares entities"),
    "MIDI without time": ("midi", "a.mid", midi(FAST, NOTE, NOTE, END), ""),
    "MIDI for centuries": ("midi", "a.mid", midi(SLOW, FAR, NOTE, END, ticks=1), "."),
    "a MIDI track of 4 GiB": ("midi", "a.mid", midi(NOTE, length=0xFFFFFFF0), "MIDI|^$"),
    "MIDI with 65,535 tracks": (
        "midi", "a.mid", b"MThd\0\0\0\6\0\1\xff\xff\0\x60" + b"MTrk\0\0\0\0" * 10,
        "damaged|has no notes",
    ),
    "a very long line": ("labels_table", "a.csv", b"start,end,label\n" + b"9" * (20 << 20), "."),
    "a very long number": ("transcript", "a.txt", b"9" * (1 << 16), "^$"),
    "many hyphens": ("transcript", "a.txt", b"a-" * (1 << 15), "^$"),
    "many spaces": ("transcript", "a.txt", b"12" + b" " * (1 << 16) + b"x\nof words\n", "^$"),
    "many open brackets": ("transcript", "a.txt", b"[ < { " * (1 << 15), "^$"),
    "many dollars": ("transcript", "a.txt", b"$" + b"9" * 10_000, "^$"),
    "a word of many phones": ("dictionary", "a.dict", b"a " * (1 << 20), "^$"),
}  # fmt: skip


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, float, float]]:
    """What the reader says of each case, in how many seconds and MiB; none where it crashed."""
    whole = importlib.util.find_spec("partitura") is not None
    cases = {}
    for case, (target, name, content, _) in CASES.items():
        if target == "notation" and not whole:
            continue
        path = tmp_path_factory.mktemp("case") / name
        if callable(content):
            content(path)
        else:
            path.write_bytes(content)
        cases[case] = (target, str(path))
    folders = [str(Path(seeds.__file__).parent), str(Path(signed.GOLDEN)), ""]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps([folders, cases]),
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    print(done.stderr)  # shown where a case has no result
    rows = map(json.loads, done.stdout.splitlines())
    return {case: (said, seconds, used) for case, said, seconds, used in rows}


@pytest.mark.parametrize("case", sorted(CASES))
def test_what_a_small_file_claims_costs_little(
    case: str, measured: dict[str, tuple[str, float, float]]
) -> None:
    target, _, _, message = CASES[case]
    if target == "notation":
        pytest.importorskip("partitura")
    assert case in measured, "it ended without a result"
    said, seconds, used = measured[case]
    assert re.search(message, said), said
    assert len(said) < 1000
    assert seconds < SECONDS
    assert used < MEBIBYTES
