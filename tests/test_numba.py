"""One way to compile: a cache where one can be written, and never a kernel that is stale."""

import errno
import importlib
import runpy
import subprocess
import sys

import numba
import pytest
from numba.core.caching import IndexDataCacheFile
from source_trees import own_names

from align import _numba

compiles = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")

KERNEL = """
from align._numba import compiled

@compiled()
def twice(x):
    return 2.0 * x
"""

NO_LOCATORS = """
import importlib, pkgutil, warnings
from numba.core import caching

warnings.simplefilter("error")
for kind in (caching.CompileResultCacheImpl, caching.CodeLibraryCacheImpl):
    kind._locator_classes = []  # as where neither the package nor the home can be written

import align
for module in pkgutil.walk_packages(align.__path__, "align."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)

import numpy as np
from align.decoders import decode_monotone
from align.learners import PassiveAggressiveUniclass
from align.potentials import Potentials

assert decode_monotone(Potentials(np.eye(2, 3), 3)).onsets.tolist() == [0, 1]
assert PassiveAggressiveUniclass().fit(np.eye(2)).predict(np.eye(2)).shape == (2,)
"""


def test_kernels_compile_where_no_cache_can_be_written(monkeypatch):
    asked = []

    def njit(cache=False, **options):
        asked.append(cache)
        if cache:
            raise RuntimeError("cannot cache function 'f': no locator available for file 'x'")
        return lambda function: function

    monkeypatch.setattr(_numba.numba, "njit", njit)
    assert _numba.compiled()(max) is max
    assert asked == [True, False]


def test_kernels_release_the_gil_and_have_no_entry_for_c(monkeypatch):
    asked = {}
    monkeypatch.setattr(_numba.numba, "njit", lambda **options: asked.update(options) or str)
    _numba.compiled(fastmath=True)(max)
    assert asked == {"cache": True, "fastmath": True, "nogil": True, "no_cfunc_wrapper": True}


@compiles
def test_everything_works_where_no_cache_can_be_written():
    done = subprocess.run(
        [sys.executable, "-c", NO_LOCATORS], capture_output=True, text=True, timeout=240
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_other_errors_of_the_compiler_are_kept(monkeypatch):
    def njit(**options):
        raise RuntimeError("something else")

    monkeypatch.setattr(_numba.numba, "njit", njit)
    with pytest.raises(RuntimeError, match="something else"):
        _numba.compiled()(max)


@compiles
def test_a_cached_kernel_is_compiled_again_where_another_file_has_changed(monkeypatch, tmp_path):
    """It may have been compiled from tables of that file, also of one in a folder below."""
    package, inner = tmp_path / "package", tmp_path / "package" / "inner"
    inner.mkdir(parents=True)
    for folder in (package, inner):
        (folder / "__init__.py").touch()
    source, other = inner / "kernel.py", package / "other.py"
    source.write_text(KERNEL)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    hits = []
    for text in ("A = 1", "A = 1", "A = 2", "A = 2"):
        other.write_text(text)
        _numba._stamp.cache_clear()  # as in a new process
        names = runpy.run_path(str(source))
        assert names["twice"](3.0) == 6.0
        hits.append(sum(names["twice"].stats.cache_hits.values()))
    assert hits == [0, 1, 0, 1]


@compiles
@pytest.mark.parametrize("above", ["site-packages", "checkout"])
def test_nothing_is_cached_in_an_installed_package(monkeypatch, tmp_path, above):
    """What pip does not know it leaves behind, and what is left hides an editable install."""
    package = tmp_path / above / "align"
    package.mkdir(parents=True)
    source, home = package / "kernel.py", tmp_path / "home"
    source.write_text(KERNEL)
    monkeypatch.setattr(_numba, "_TOP", package)
    monkeypatch.setattr(_numba.AppDirs, "user_cache_dir", str(home))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(_numba, "_FOLDERS", set())
    kernel = runpy.run_path(str(source))["twice"]
    assert not _numba.kept_kernels()
    assert kernel(3.0) == 6.0
    assert _numba.kept_kernels()  # or the command line says each time that it compiles
    installed = above == "site-packages"
    assert any(home.rglob("*.nbi")) == installed
    assert any(package.rglob("*.nbi")) != installed
    assert numba.config.CACHE_DIR == ""


@compiles
def test_a_cache_that_is_full_or_damaged_is_as_none(monkeypatch, tmp_path):
    source, home = tmp_path / "kernel.py", tmp_path / "home"
    source.write_text(KERNEL)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(home))

    def full(path, *args, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    hits = []
    with monkeypatch.context() as disk:
        disk.setattr(IndexDataCacheFile, "_open_for_write", full)
        assert runpy.run_path(str(source))["twice"](3.0) == 6.0
    assert not any(home.rglob("*.nb?"))
    for damaged in (".nbi", ".nbc", None):  # as after a power cut; the last run only looks
        kernel = runpy.run_path(str(source))["twice"]
        assert kernel(3.0) == 6.0
        hits.append(sum(kernel.stats.cache_hits.values()))
        for path in home.rglob(f"*{damaged}"):
            path.write_bytes(b"")
    kernel = runpy.run_path(str(source))["twice"]
    assert kernel(3.0) == 6.0
    assert hits == [0, 0, 0]
    assert sum(kernel.stats.cache_hits.values()) == 1


@pytest.mark.parametrize(
    "name", ["align.learners.parts.hinge_steps", "align.decoders.semi_markov"]
)
def test_a_kernel_depends_on_its_whole_folder(name):
    module = importlib.import_module(name)
    assert _numba._folder(getattr(module, own_names(name)[0])).name == name.split(".")[1]
