"""The address: a new one, one taken up after a kill, and nobody else who reads it."""

import os
import socket
import types
from pathlib import Path

import pytest

from align.errors import DataError, ParameterError
from align.studio.address import Address


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "address"


def test_each_is_another(file: Path) -> None:
    seen = set()
    for _ in range(3):
        address = Address.take(file)
        assert len(address.token) == 43  # 256 bits
        assert address.url == f"http://127.0.0.1:{address.port}/{address.token}/"
        assert address.open_socket.getsockname() == ("127.0.0.1", address.port)
        seen.add(address.token)
        address.release()
        assert not file.exists()
    assert len(seen) == 3


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_only_its_user_can_read_it(file: Path) -> None:
    before = os.umask(0)
    try:
        address = Address.take(file)
    finally:
        os.umask(before)
    assert file.stat().st_mode & 0o777 == 0o600
    address.release()


def test_one_that_was_killed_is_taken_up(file: Path) -> None:
    address = Address.take(file)
    address.open_socket.close()  # and the file stays
    again = Address.take(file)
    assert again.url == address.url
    again.release()


def test_one_that_is_in_use_is_not(file: Path) -> None:
    first = Address.take(file)
    second = Address.take(file)
    assert (second.port, second.token) != (first.port, first.token)
    first.open_socket.close()
    second.release()


def test_another_port_means_another_token(file: Path) -> None:
    first = Address.take(file)
    first.open_socket.close()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
    second = Address.take(file, port)
    assert second.port == port
    assert second.token != first.token
    second.release()


@pytest.mark.skipif(os.name == "nt", reason="modes and links are POSIX")
@pytest.mark.parametrize("how", ["readable", "link", "short", "nonsense", "bytes"])
def test_a_file_that_others_may_have_made_counts_for_nothing(file: Path, how: str) -> None:
    first = Address.take(file)
    first.open_socket.close()
    text = file.read_text()
    if how == "readable":
        file.chmod(0o644)
    elif how == "link":
        file.rename(file.with_name("real"))
        file.symlink_to("real")
    else:
        wrong = {"short": text[:-20], "nonsense": "a b c", "bytes": "\xff\xff"}[how]
        file.write_text(wrong, "latin-1")
    second = Address.take(file)
    assert second.token != first.token
    assert not file.is_symlink()
    second.release()


def test_what_cannot_be_is_told(file: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ParameterError, match=f"port {port} is in use"):
            Address.take(file, port)
    with pytest.raises(DataError, match="cannot be written"):
        Address.take(file.parent / "nowhere" / "address")


def test_where_modes_say_nothing_an_address_is_taken_up_as_well(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Address.take(file)
    first.open_socket.close()  # killed
    file.chmod(0o666)  # what Windows says of every file
    windows = types.SimpleNamespace(**vars(os) | {"name": "nt"})
    with monkeypatch.context() as patch:
        patch.setattr("align.studio.address.os", windows)
        again = Address.take(file)
    assert (again.port, again.token) == (first.port, first.token)
    again.release()
