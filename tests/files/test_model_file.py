"""Model files: what is written comes back, and nothing else gets in."""

import hashlib
import io
import json
import os
import struct
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from align.errors import DataError, ModelError, ParameterError
from align.files import model_file
from align.files.model_file import read_model, write_model

HEADER = {"labels": ["sil", "ŋ"], "C": 0.1, "nested": {"a": [1, None, True]}}
ARRAYS = {
    "w": np.arange(6, dtype=np.float32).reshape(2, 3),
    "part/b": np.array([True, False]),
    "scalar": np.array(3.5),
    "empty": np.empty((0, 4), dtype=np.int64),
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.align"
    write_model(path, "speech", HEADER, ARRAYS)
    return path


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def repack(path, content, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def sign(content):
    """Give changed contents of model.json the checksum that fits, as a forger would."""
    content.pop("sha256", None)
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    content["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps(content).encode()


def change(path, edit):
    """Apply `edit` to the parsed model.json and to the members, and sign the result."""
    content = members(path)
    header = json.loads(content["model.json"])
    edit(header, content)
    content["model.json"] = sign(header)
    repack(path, content)


def test_round_trip(path):
    kind, header, arrays = read_model(path)
    assert kind == "speech"
    assert header == HEADER
    assert set(arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        np.testing.assert_array_equal(arrays[name], array)


@given(
    array=hnp.arrays(
        st.sampled_from([np.float64, np.float32, np.int16, np.uint8, np.bool_, ">f8", ">i4"]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
    header=st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-(2**60), 2**60)
            | st.floats(-1e100, 1e100)
            | st.text(st.characters(codec="utf-8"), max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=3), inner)
            ),
            max_leaves=5,
        ),
        max_size=3,
    ),
)
def test_round_trip_of_anything(tmp_path_factory, array, header):
    if array.dtype.kind == "f":  # no model holds other numbers
        array = np.where(np.abs(array.astype(np.float64)) <= 1e100, array, 0).astype(array.dtype)
    path = tmp_path_factory.mktemp("model") / "m.align"
    write_model(path, "sequence", header, {"x": array})
    kind, back, arrays = read_model(path)
    assert (kind, back) == ("sequence", header)
    assert arrays["x"].dtype == array.dtype.newbyteorder("<")
    np.testing.assert_array_equal(arrays["x"], array)


def test_equal_models_are_equal_files(path, tmp_path):
    write_model(tmp_path / "n.align", "speech", HEADER, dict(reversed(ARRAYS.items())))
    assert (tmp_path / "n.align").read_bytes() == path.read_bytes()


def test_layout_is_open(path):
    content = members(path)
    assert set(content) == {"model.json", *(f"{name}.npy" for name in ARRAYS)}
    header = json.loads(content["model.json"])
    assert header["format_version"] == 1
    assert header["arrays"]["w"]["shape"] == [2, 3]
    assert header["arrays"]["w"]["dtype"] == "<f4"
    np.testing.assert_array_equal(np.load(io.BytesIO(content["w.npy"])), ARRAYS["w"])


def test_numpy_scalars_and_tuples_in_the_header(tmp_path):
    header = {"a": np.float64(0.5), "b": np.int64(3), "c": (1, np.bool_(True))}
    write_model(tmp_path / "m.align", "speech", header, {})
    assert read_model(tmp_path / "m.align")[1] == {"a": 0.5, "b": 3, "c": [1, True]}


def test_overwrite(path):
    write_model(path, "speech", {}, {})
    assert read_model(path)[1] == {}
    with pytest.raises(DataError, match="exists"):
        write_model(path, "speech", {}, {}, overwrite=False)


def test_what_a_killed_process_had_begun_to_write_is_removed(tmp_path):
    stale = tmp_path / f".align-0123abcd-2-{'0' * 16}.tmp"
    stale.write_text("half a mo")
    os.utime(stale, (0, 0))  # of another machine, and old
    write_model(tmp_path / "m.align", "speech", {}, {})
    assert [path.name for path in tmp_path.iterdir()] == ["m.align"]


@pytest.mark.parametrize(
    ("header", "arrays", "message"),
    [
        ({"a": object()}, {}, "cannot be written as JSON: .* is of type object"),
        ({"a": np.zeros(2)}, {}, "cannot be written as JSON: .* is of type ndarray"),
        ({"a": [{34: 0.5}]}, {}, "written as JSON: key 34 is no text; write str"),
        ({"a": float("nan")}, {}, "cannot be written as JSON: "),
        ({"a": float("inf")}, {}, "cannot be written as JSON: "),
        ({}, {"x": np.array([object()])}, "array 'x' has dtype object, must be numbers"),
        ({}, {"x": np.array(["a"])}, "array 'x' has dtype <U1, must be numbers"),
        ({}, {"../x": np.zeros(2)}, "array name '../x', must be letters"),
        ({}, {"/x": np.zeros(2)}, "array name '/x'"),
        ({}, {"a//x": np.zeros(2)}, "array name 'a//x'"),
        ({}, {"a b": np.zeros(2)}, "array name 'a b'"),
        ({}, {"": np.zeros(2)}, "array name ''"),
    ],
)
def test_what_cannot_be_written(tmp_path, header, arrays, message):
    with pytest.raises(ParameterError, match=message):
        write_model(tmp_path / "m.align", "speech", header, arrays)
    assert not list(tmp_path.iterdir())


def fails(path, message):
    with pytest.raises(ModelError, match=message) as caught:
        read_model(path)
    assert str(caught.value).startswith(str(path))


def test_no_file(tmp_path):
    fails(tmp_path / "no.align", "does not exist; check the name")
    fails(tmp_path, "is a folder, not a model file")


@pytest.mark.parametrize("data", [b"", b"hello", b"PK\x03\x04" + bytes(100)])
def test_not_a_zip(tmp_path, data):
    (tmp_path / "m.align").write_bytes(data)
    fails(tmp_path / "m.align", "is not a whole model file .*; get or train it again")


def test_truncated_anywhere(path):
    data = path.read_bytes()
    for size in range(0, len(data), 97):
        path.write_bytes(data[:size])
        fails(path, "get or train it again")


def test_any_changed_byte_is_noticed_or_harmless(path):
    data = path.read_bytes()
    for at in range(0, len(data), 13):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1 :])
        try:
            kind, header, arrays = read_model(path)
        except ModelError:
            continue
        assert (kind, header) == ("speech", HEADER)
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(arrays[name], array)


@pytest.mark.parametrize("version", [2, 0, "1", None, True])
def test_other_versions(path, version):
    change(path, lambda header, _: header.update(format_version=version))
    fails(path, rf"is of format version {version!r}, and this Align reads version 1; use the")


def test_a_zip_without_a_model(path):
    repack(path, {"a.txt": b"x"})
    fails(path, r"is a zip file but no model: it has no model\.json")


def test_header_that_is_no_json(path):
    content = members(path)
    for text in (b"{", b"\xff", b"[" * 100_000, b'{"a": ' * 50_000):
        repack(path, {**content, "model.json": text})
        fails(path, r"its model\.json is damaged")
    repack(path, {**content, "model.json": b"[]"})
    fails(path, "is of format version None")


def test_header_tampered_with(path):
    content = members(path)
    content["model.json"] = content["model.json"].replace(b"0.1", b"0.2")
    repack(path, content)
    fails(path, r"the checksum of its model\.json is wrong; it was changed")


def test_header_with_a_number_that_json_does_not_know(path):
    change(path, lambda header, _: header["header"].update(a=float("nan")))
    fails(path, r"the checksum of its model\.json is wrong")


@pytest.mark.parametrize(
    "broken", [{"kind": 3}, {"header": []}, {"arrays": []}, {"arrays": {"w": 3}}]
)
def test_header_of_another_shape(path, broken):
    change(path, lambda header, _: header.update(broken))
    fails(path, r"its model\.json lacks the kind, the header or the arrays")


def test_missing_array(path):
    change(path, lambda _, content: content.pop("w.npy"))
    fails(path, "array 'w' is missing")


@pytest.mark.parametrize("name", ["extra.npy", "../../evil.py", "/etc/evil", "code.pkl"])
def test_members_that_do_not_belong(path, name):
    change(path, lambda _, content: content.update({name: b"x"}))
    fails(path, "member .* does not belong in a model")
    assert not (path.parent / "evil.py").exists()


def test_array_tampered_with(path):
    other = io.BytesIO()
    np.save(other, ARRAYS["w"] + 1)
    change(path, lambda _, content: content.update({"w.npy": other.getvalue()}))
    fails(path, "the checksum of array 'w' is wrong; it was changed")


def forge(path, data):
    """Replace array w by `data`, with the checksums that fit."""

    def edit(header, content):
        content["w.npy"] = data
        header["arrays"]["w"]["sha256"] = hashlib.sha256(data).hexdigest()

    change(path, edit)


def npy(descr, shape, payload=b""):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape!r}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + payload


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "array 'w' is damaged"),
        (b"\x93NUMPY\x09\x00", "array 'w' is damaged"),
        (b"\x93NUMPY\x01\x00\xff\xffxx", "array 'w' is damaged"),
        (npy("|O", (1,), b"\x80\x04N."), r"array 'w' is damaged \(\(1,\) of object"),
        (npy("<U4", (1,), bytes(16)), r"array 'w' is damaged"),
        (
            npy("<f8", (1 << 40,), bytes(8)),
            r"array 'w' is damaged \(\(1099511627776,\) of float64",
        ),
        (npy("<f8", (1 << 70, 1 << 70)), "array 'w' is damaged"),
        (npy("<f8", (-1,)), "array 'w' is damaged"),
        (npy("<f8", (2,), bytes(12)), "array 'w' is damaged"),
        (npy("<f8", (2,), bytes(24)), "array 'w' is damaged"),
        (npy("import os", (2,)), "array 'w' is damaged"),
        (npy("<f4", (3, 2), bytes(24)), r"array 'w' is \[3, 2\] of <f4, must be \[2, 3\] of <f4"),
        (npy("<i4", (2, 3), bytes(24)), r"array 'w' is \[2, 3\] of <i4, must be \[2, 3\] of <f4"),
    ],
)
def test_forged_arrays(path, data, message):
    forge(path, data)
    fails(path, message)


def test_compressed_members(path):
    repack(path, members(path), zipfile.ZIP_DEFLATED)
    fails(path, "member 'model.json' is compressed or encrypted, which Align never does")


def test_a_zip_bomb(path):
    repack(path, {"model.json": bytes(50_000_000)}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    fails(path, "is compressed or encrypted")


def test_declared_sizes_are_bounded_by_the_file(path):
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 20 : entry + 28] = struct.pack("<II", 1 << 30, 1 << 30)
    path.write_bytes(bytes(data))
    fails(path, "declares more data than it holds|is not a whole model file")


def test_members_twice(path):
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(path, "a") as archive,
    ):
        archive.writestr("w.npy", b"x")
    fails(path, "has two members of the same name, so it was tampered with")


def test_too_large(path, monkeypatch):
    monkeypatch.setattr(model_file, "_MAX_BYTES", 100)
    fails(path, "is larger than 2 GiB")


def test_header_too_large(path, monkeypatch):
    monkeypatch.setattr(model_file, "_MAX_HEADER", 100)
    fails(path, r"its model\.json is larger than 16 MiB")


def test_too_many_members(path, monkeypatch):
    monkeypatch.setattr(model_file, "_MAX_ARRAYS", 2)
    fails(path, "has 5 members, more than any model of Align")
