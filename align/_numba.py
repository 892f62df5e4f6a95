"""How this package compiles its kernels: one decorator for all of them."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba.misc.appdirs import AppDirs

_F = TypeVar("_F", bound=Callable[..., Any])
_Scalar = TypeVar("_Scalar", bound=np.generic)
_TOP = Path(__file__).resolve().parent
_INSTALLED = ("site-packages", "dist-packages")
_FOLDERS: set[Path] = set()  # where compiled kernels of the modules that are loaded are kept
_UNUSED = {  # and the module of numba that looks for it
    "scipy.linalg.cython_blas": "numba.np.arraymath",
    "cffi": "numba.core.typing.cffi_utils",
}


def leave_out_unused() -> None:
    """Let numba not look for a BLAS nor for cffi, whose import takes a quarter of a second.

    No kernel of this package multiplies matrices or calls functions of cffi. Kernels that do
    cannot be compiled in this process afterwards, so this is for the command line, where there
    are no others.
    """
    for unused, asking in _UNUSED.items():
        if unused not in sys.modules and asking not in sys.modules:
            sys.modules[unused] = cast(Any, None)
            try:
                import_module(asking)  # looks for it once, when imported
            finally:
                del sys.modules[unused]


def compiled(*, slp: bool = False, **options: Any) -> Callable[[_F], _F]:
    """Compile a kernel that releases the GIL and, where a folder can be written, is cached.

    Parameters
    ----------
    slp : bool
        Whether the compiler joins neighbouring scalars of straight code to vectors, which numba
        leaves out by default.
    **options
        Further options of `numba.njit`.

    Returns
    -------
    callable
        A decorator. With ``NUMBA_DISABLE_JIT=1`` it returns the plain Python function.

    Notes
    -----
    numba looks for a folder for its cache when it decorates, and refuses where neither the
    installed tree nor the user's home can be written; the kernel is then compiled anew in each
    process, as it is where the disk of the cache is full. That of an installed package is in the
    user's home where it can be: pip knows only the files it has installed, and would leave the
    others, and so a package without modules, behind.
    A cached kernel is used as long as no file of its folder has changed: numba itself
    looks at the file of the kernel only, and would go on with what others held before. So a
    kernel calls other kernels, and takes tables of numbers, from its own folder only.
    """
    options |= {"nogil": True, "no_cfunc_wrapper": True}  # no C code calls a kernel

    def decorate(function: _F) -> _F:
        try:
            with _cached_elsewhere():
                kernel: _F = numba.njit(cache=True, **options)(function)
        except (RuntimeError, OSError) as error:
            if isinstance(error, RuntimeError) and "cannot cache" not in str(error):
                raise
            kernel = numba.njit(**options)(function)
        if slp and hasattr(kernel, "compile"):
            _join_scalars(kernel)
        cached = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
        if cached is not None:
            cached._source_stamp = (cached._source_stamp, _stamp(_folder(function)))
            _FOLDERS.add(Path(cached._cache_path))
            _keep_where_it_can(cast(Any, kernel)._cache)
        return kernel

    return decorate


@contextmanager
def _cached_elsewhere() -> Iterator[None]:
    """Let kernels of an installed package be cached where numba would, if it were read-only."""
    config = cast(Any, numba.config)
    before = config.CACHE_DIR
    if not before and _TOP.parent.name in _INSTALLED:
        config.CACHE_DIR = cast(Any, AppDirs)("numba", appauthor=False).user_cache_dir
    try:
        yield
    finally:
        config.CACHE_DIR = before


def _keep_where_it_can(cache: Any) -> None:
    """Let a kernel be compiled anew where its cache is damaged, and not kept on a full disk.

    Files may be empty after a power cut, and a home may be full; numba raises then, in the middle
    of a call of the kernel.
    """
    load, save = cache.load_overload, cache.save_overload

    def load_or_none(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:  # pickle has many ways to say that a file is damaged
            return None

    def save_or_not(signature: Any, compiled_code: Any) -> None:
        try:
            try:
                save(signature, compiled_code)
            except OSError:
                raise
            except Exception:  # the list of what is kept is damaged
                cache.flush()
                save(signature, compiled_code)
        except OSError:
            return

    cache.load_overload, cache.save_overload = load_or_none, save_or_not


def kept_kernels() -> bool:
    """Return whether an earlier process has kept compiled kernels of modules that are loaded."""
    return any(any(folder.glob("*.nbi")) for folder in _FOLDERS)


def read_only(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """Return a view that cannot be written to, for a kernel that only reads.

    numba compiles a kernel once for arrays that can be written to and once more for those that
    cannot, such as memory that is mapped for reading. Given this view it does so once for both.

    Examples
    --------
    >>> read_only(np.zeros(2)).flags.writeable
    False
    """
    view = array.view()
    view.flags.writeable = False
    return view


def _join_scalars(kernel: Any) -> None:
    """Let a kernel be compiled with LLVM's pass for straight code, a setting of numba."""
    compile_plainly, config = kernel.compile, cast(Any, numba.config)

    def compile_joined(signature: Any) -> Any:
        before = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return compile_plainly(signature)
        finally:
            config.SLP_VECTORIZE = before

    kernel.compile = compile_joined


def _folder(function: Callable[..., Any]) -> Path:
    """Return the folder whose files a kernel may be compiled from.

    Within `align` it is the one on top (``align/learners`` for ``align/learners/flat/...``),
    elsewhere the outermost package.
    """
    file = Path(function.__code__.co_filename).resolve()
    if file.is_relative_to(_TOP) and file.parent != _TOP:
        return _TOP / file.relative_to(_TOP).parts[0]
    folder = file.parent
    while (folder.parent / "__init__.py").exists():  # features/ and decoders/ in a checkout
        folder = folder.parent
    return folder


@cache
def _stamp(folder: Path) -> bytes:
    """Return a digest of all that a kernel of this folder may be compiled from."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.digest()
