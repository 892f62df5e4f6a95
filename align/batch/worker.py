"""One recording, in any process: its outputs as bytes and its quality, or the reason why not.

A worker writes nothing but, where files were sent to it, copies of them in a folder of its own.
"""

import hashlib
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from align._blas import one_thread
from align.batch.journal import Identity, identify, sha256_of
from align.batch.quality import Quality, measure
from align.batch.tasks import Task, Work, alignments_of, named_after
from align.errors import AlignError, DataError, ModelError, data_errors, error_reason
from align.files.atomic import captured_writes
from align.files.kept import KEPT
from align.files.regular import open_regular, why_missing

_GONE = "disappeared during the run."

_loaded: dict[str, Any] = {}  # the model this process used last, by its digest


@dataclass(frozen=True, eq=False)
class Model:
    """A model that can be sent to a worker: its file's path or content, or the aligner itself.

    `digest` is the SHA-256 of its file, or of what its file would be. `content` is an array of
    bytes, since Dask sends the same array only once. Of models that are chosen among for each
    recording there are `parts`, each with its name, and no file.
    """

    digest: str
    path: str | None = None
    content: npt.NDArray[np.uint8] | None = None
    aligner: Any = None
    parts: tuple[tuple[str, "Model"], ...] = ()

    @classmethod
    def usual_music(cls, *, send: bool = False) -> "Model":
        """Return the bundled models of music, of which each recording takes the one that fits."""
        from align.models.loading import bundled_models
        from align.music.choosing import USUAL_MODELS

        there = [name for name in USUAL_MODELS if name in bundled_models()]
        parts = tuple((name, cls.of(name, send=send)) for name in there)
        whole = " ".join(f"{name} {part.digest}" for name, part in parts)
        return cls(hashlib.sha256(whole.encode()).hexdigest(), parts=parts)

    @classmethod
    def of(cls, model: Any, *, send: bool = False) -> "Model":
        """Take a path, the name of a bundled model, or a fitted aligner."""
        from align.models.loading import digest_of, model_path

        if hasattr(model, "align"):
            return cls(digest_of(model), aligner=model)
        path = os.path.abspath(model_path(model))
        try:
            digest = sha256_of(path)
            content = np.fromfile(path, dtype=np.uint8) if send else None
        except OSError as error:
            raise ModelError(f"{path}: cannot be read: {error.strerror or error}.") from error
        return cls(digest, None if send else path, content)

    def load(self) -> Any:
        """Return the aligner; loaded once by each process."""
        if self.aligner is not None:
            return self.aligner
        aligner = _loaded.get(self.digest)
        if aligner is None:
            aligner = self._read()
            _loaded.clear()
            _loaded[self.digest] = aligner
        return aligner

    def _read(self) -> Any:
        if self.parts:
            from align.music.choosing import UsualModels

            return UsualModels({name: part._read for name, part in self.parts})
        from align.models.loading import load

        if self.content is not None:
            with tempfile.TemporaryDirectory(prefix="align-") as folder:
                path = os.path.join(folder, "model.align")
                self.content.tofile(path)
                return load(path)
        assert self.path is not None
        try:
            if sha256_of(self.path) != self.digest:
                raise ModelError(f"{self.path}: the model changed during the run; start it again.")
        except OSError as error:
            raise ModelError(f"{self.path}: cannot be read: {error.strerror or error}.") from error
        return load(self.path)


@dataclass(frozen=True)
class Job:
    """A task, the suffixes of its outputs and, where they are sent, the contents of its inputs."""

    task: Task
    suffixes: tuple[str, ...]
    contents: tuple[bytes, ...] | None = None
    identities: tuple[Identity, ...] | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a job: outputs by their suffix, or one sentence that says why there are none.

    `inputs` are those that were read; `quality` says how much the result can be trusted, `kept`
    how much each event of it, as a ``.json`` file, where that is no output itself.
    """

    name: str
    error: str | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)
    inputs: tuple[Identity, ...] = ()
    quality: Quality | None = None
    kept: bytes | None = None


def failure(job: Job, error: BaseException) -> Outcome:
    """Turn an error into an outcome, with one sentence that says why."""
    return Outcome(job.task.name, _reason(error, job.task))


def with_files(job: Job) -> Job:
    """Return a job with the contents of its inputs; DataError where one is lost or changes."""
    contents, identities = [], []
    for path in job.task.inputs:
        identities.append(_identified(path))
        with _disappearing(path), open_regular(path) as stream:
            contents.append(stream.read())
        _check_unchanged(path, identities[-1])
    return replace(job, contents=tuple(contents), identities=tuple(identities))


def run_job(job: Job, work: Work, model: Model) -> Outcome:
    """Align one recording, and return what became of it.

    Whatever is wrong with the files is in the outcome; nothing is raised but what ends a process.
    """
    try:
        with one_thread():
            return _run_job(job, work, model)
    except Exception as error:
        return failure(job, error)


def _run_job(job: Job, work: Work, model: Model) -> Outcome:
    if job.contents is None:
        paths = tuple(os.path.abspath(path) for path in job.task.inputs)
        return _run(job, paths, work, model)
    with tempfile.TemporaryDirectory(prefix="align-") as folder:
        local = _unpacked(job, folder)
        try:
            return _run(job, local, work, model)
        except AlignError as error:
            raise _renamed(error, local, job.task) from error


def _run(job: Job, paths: Sequence[str], work: Work, model: Model) -> Outcome:
    task = job.task
    identities = job.identities or tuple(map(_identified, paths))
    aligner = model.load()
    local = replace(task, audio=paths[0], source=paths[1])
    try:
        found = named_after(work.align(aligner, local), task)
    except AlignError:
        for path in paths:
            if not os.path.exists(path):
                raise DataError(why_missing(path, _GONE), path=path) from None
        raise
    if job.identities is None:
        for path, identity in zip(paths, identities, strict=True):
            _check_unchanged(path, identity)
    suffixes = dict.fromkeys([*job.suffixes, *{KEPT}.intersection(work.formats.values())])
    with captured_writes() as written:
        for suffix in suffixes:
            work.write(found, task.name.rsplit("/", 1)[-1] + suffix)
    files = dict(zip(suffixes, written.values(), strict=True))
    kept = None if KEPT in job.suffixes else files.pop(KEPT, None)
    quality = measure(
        task.name,
        alignments_of(found),
        work.odd_lengths(found),
        getattr(found, "mismatches", ()),
        getattr(found, "verbalised", ()),
        work.guessed(found),
    )
    return Outcome(task.name, None, files, identities, quality, kept)


def _identified(path: str) -> Identity:
    with _disappearing(path):
        return identify(path)


@contextmanager
def _disappearing(path: str) -> Any:
    with data_errors("cannot be read", path):
        try:
            yield
        except FileNotFoundError:
            raise DataError(why_missing(path, _GONE), path=path) from None


def _check_unchanged(path: str, before: Identity) -> None:
    with _disappearing(path):
        status = os.stat(path)
    if (status.st_size, status.st_mtime_ns) != (before.size, before.changed):
        raise DataError("changed while it was read; run again once it is complete.", path=path)


def _unpacked(job: Job, folder: str) -> tuple[str, ...]:
    """Write the files that were sent, under their own names."""
    assert job.contents is not None
    paths = []
    for n, (path, content) in enumerate(zip(job.task.inputs, job.contents, strict=True)):
        place = os.path.join(folder, str(n))
        os.mkdir(place)
        paths.append(os.path.join(place, os.path.basename(path)))
        with open(paths[-1], "wb") as stream:
            stream.write(content)
    return tuple(paths)


def _renamed(error: AlignError, local: Sequence[str], task: Task) -> AlignError:
    """Name in a message the files of the user, not the copies on the worker."""
    line = error.line if isinstance(error, DataError) else None
    text = error.message if isinstance(error, DataError) else str(error)
    path = error.path if isinstance(error, DataError) else None
    for copy, original in zip(local, task.inputs, strict=True):
        text = text.replace(copy, original)
        path = original if path == copy else path
    return DataError(text, path=path, line=line)


def _reason(error: BaseException, task: Task) -> str:
    """One sentence about what went wrong, without the name of the recording."""
    if isinstance(error, AlignError):
        for path in task.inputs:
            if isinstance(error, DataError) and error.path == os.path.abspath(path):
                error = DataError(error.message, path=path, line=error.line)
        return error_reason(error, task.audio)
    if isinstance(error, MemoryError):
        return "there is not enough memory for it; use fewer jobs, or cut it into parts."
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror.lower()}."
    return f"something unexpected happened ({type(error).__name__}: {error}); please report it."
