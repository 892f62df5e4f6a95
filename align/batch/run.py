"""Aligning a whole corpus: many recordings, in several processes, over several evenings.

A run mirrors the tree of recordings in a folder of outputs. It does what is missing or has
changed: killed at any moment and started again, it goes on where it was, and ends with the very
files of a run that was never interrupted. One bad recording stops no other. `align.batch`
explains how this is done.
"""

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from align import __version__
from align.batch.bundles import EMU_DATABASE, Bundles
from align.batch.journal import Identity, Journal, Record, sha256_of
from align.batch.quality import COLUMNS, Quality, quality_csv, ranked
from align.batch.shifted import UNLIKE, shifted
from align.batch.speech_work import SpeechWork
from align.batch.summary import CorpusRun
from align.batch.tasks import Task, Work
from align.batch.works import work_for
from align.corpus.pieces import NO_PIECES
from align.errors import AlignError, DataError, ParameterError, data_errors, error_reason
from align.files.atomic import atomic_write, remove_stale
from align.files.kept import OWN_FOLDER, QUALITY_TABLE, kept_file
from align.files.lock import FolderLock
from align.files.names import StrPath
from align.files.regular import open_regular
from align.models.bundled import speech_model
from align.progress import Progress, no_report

if TYPE_CHECKING:
    from align.batch.worker import Model

_FOREIGN = (
    "its output exists and is not of an earlier run; choose another folder, or allow overwriting."
)


def align_corpus(
    in_dir: StrPath,
    out_dir: StrPath,
    kind: "str | Work" = "speech",
    *,
    model: Any = None,
    formats: Sequence[str] = (),
    jobs: int = 1,
    scheduler: str | None = None,
    send_files: bool = False,
    suffix: str | None = None,
    text: bool = False,
    dictionary: Sequence[str] = (),
    language: str = "en",
    phone_map: StrPath | None = None,
    tokens: Sequence[str] = (),
    trust: bool = False,
    repair: bool = False,
    slack: float = 0.0,
    encoding: str | None = None,
    tiers: Sequence[str] = (),
    repeats: str | None = None,
    channel: int | Mapping[str, int] | None = None,
    overwrite: bool = False,
    progress: Progress | bool = False,
) -> CorpusRun:
    """Align every recording below a folder.

    Parameters
    ----------
    in_dir : path
        Recordings in folders of any depth, each with a file of the same name that says what
        occurs in it; or a manifest, see `align.corpus.pairs`.
    out_dir : path
        Made where it is not there. It mirrors `in_dir`, and holds besides the table
        `QUALITY_TABLE` and a folder ``.align`` of what was done.
    kind : {"speech", "music", "sequence"} or Work
        What the recordings are of; "sequence" is for an `align.SequenceAligner`, with files of
        labels beside the recordings.
    model : path, str or fitted aligner, optional
        With which; by default the bundled one of this kind, of speech the one for the language,
        and of music for each recording the one that fits, see `align.music.choosing`. Of a
        sequence there is none.
    formats : sequence of str
        Formats to write, such as ``["TextGrid", "csv"]``; by default TextGrid for speech, CSV for
        music. With ``emuDB`` `out_dir` becomes a database of EMU, whose name ends in ``_emuDB``.
    jobs : int
        Processes on this machine; -1 for one for each core. The outputs do not depend on it.
    scheduler : str, optional
        Address of a Dask scheduler; `jobs` is then not used.
    send_files : bool
        Send recordings and model to the cluster, whose workers need not see these folders; by
        default they read them by their paths.
    suffix, text, dictionary, language, phone_map, tokens, trust, repair, slack, encoding, tiers
        For speech: which files say what is spoken, and how that is meant; see
        `align.batch.speech_work.SpeechWork`.
    repeats : {"all", "none", "auto"}, optional
        For music: which repeats of scores in notation were played; by default what the model
        says. See `align.MusicAligner`.
    channel : int or mapping of str to int, optional
        Which channel of each recording to take, counted from 1; by default their average. Of
        transcripts also the channel of each speaker, by name.
    overwrite : bool
        Do everything again, and replace whatever is there, edited by hand or not.
    progress : bool or callable
        True for a line on the screen or in the notebook; or a function that is called with a
        stage, how much of it is done, and how much there is.

    Returns
    -------
    CorpusRun
        Its `failed` names every recording without output, with the reason.

    Raises
    ------
    DataError
        If there is nothing to align, the folder of outputs cannot be used, or another run uses it.
    ModelError
        If the model cannot be loaded.
    ParameterError
        If a parameter is wrong, or a scheduler cannot be reached.
    """
    from align.batch.pool import pool_of
    from align.batch.worker import Model

    begin = time.perf_counter()
    spoken = {} if language == "en" else {"language": language}
    given = (dictionary,) if isinstance(dictionary, str) else tuple(dictionary)
    options = {"suffix": suffix, "text": text, "dictionary": given, **spoken}
    said = {"tokens": tuple(tokens), "trust": trust, "repair": repair, "slack": slack}
    read = {"phone_map": phone_map, "encoding": encoding, "tiers": tiers}
    work = work_for(kind, repeats=repeats, channel=channel, **read, **options, **said)
    n_jobs = _n_jobs(jobs)
    root, out = os.fspath(in_dir), os.fspath(out_dir)
    shown = _default_model(work, send_files) if model is None else Model.of(model, send=send_files)
    formats = (formats,) if isinstance(formats, str) else tuple(formats)
    database: Bundles | None = None
    if EMU_DATABASE.lower() in [name.lower() for name in formats]:
        if send_files:
            raise ParameterError(f"{EMU_DATABASE} copies the recordings; send_files must be off.")
        work = database = Bundles(work, out)
        formats = [name for name in formats if name.lower() != EMU_DATABASE.lower()]
        formats += ["emu", "wav"]
    suffixes = _suffixes(work, formats)
    loaded_kind = shown.load().kind
    if loaded_kind != work.kind:
        raise ParameterError(
            f"model={model!r} is a model of {loaded_kind}, must be one of {work.kind}, as "
            f"the recordings are; or are they {loaded_kind!r}?"
        )
    tasks, problems = work.find(root)
    if not tasks and not problems:
        raise DataError(NO_PIECES if work.kind == "music" else "holds no recordings.", path=root)
    report = _reporter(progress)
    own = os.path.join(out, OWN_FOLDER)
    with data_errors("cannot be written to", out):
        os.makedirs(own, exist_ok=True)
    with FolderLock(out, os.path.join(own, "lock")):
        journal = Journal(os.path.join(own, "journal"))
        remove_stale({own, out, *(os.path.dirname(_output(out, t.name, "")) for t in tasks)})
        unused = tuple(os.path.relpath(path, root) for path in work.unused(root))
        key = _key(work, shown.digest)
        run = _Run(work, suffixes, out, journal, key, overwrite, list(problems), unused)
        todo = run.plan(tasks)
        with suppress(AlignError):  # a full disk: what matters is tried for each recording
            journal.tidy()
        if todo:
            report("aligning", 0, len(todo))
            with pool_of(
                work, shown, len(todo), jobs=n_jobs, scheduler=scheduler, send_files=send_files
            ) as pool:
                run.do(pool, todo, report)
                if work.kind == "speech":
                    run.compare(pool, tasks, report)
        if database is not None:
            try:
                database.configure(sorted({*run.aligned, *run.unchanged, *run.kept}))
            except AlignError as error:
                run.failed.append((out, error_reason(error, out)))
        return run.finish(tasks, begin)


@dataclass(eq=False)
class _Run:
    """One run: what it plans, does and finds."""

    work: Work
    suffixes: tuple[str, ...]
    out: str
    journal: Journal
    key: str
    overwrite: bool
    failed: list[tuple[str, str]]
    unused: tuple[str, ...]
    aligned: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    shifted: str = ""

    # Before ----------------------------------------------------------------------------------

    def plan(self, tasks: Sequence[Task]) -> list[Task]:
        """Return what is to be done; the rest is noted as unchanged, kept or failed."""
        inputs = {os.path.realpath(path) for task in tasks for path in task.inputs}
        table = os.path.realpath(os.path.join(self.out, QUALITY_TABLE))
        todo = []
        for task in tasks:
            paths = [os.path.realpath(_output(self.out, task.name, s)) for s in self.suffixes]
            if inputs.intersection(paths):
                why = "its output would replace a file that is read; choose another OUT_DIR."
                self.failed.append((task.audio, why))
            elif table in paths:
                why = "its output would be the table of the run; give the recording another name."
                self.failed.append((task.audio, why))
            else:
                try:
                    state = self._state(task)
                except OSError as error:
                    self.failed.append((task.audio, f"its output: {error.strerror or error}."))
                    continue
                if state == "todo":
                    todo.append(task)
                elif state == "foreign":
                    self.failed.append((task.audio, _FOREIGN))
                else:
                    getattr(self, state).append(task.name)
        return todo

    def _state(self, task: Task) -> str:
        """Return whether a recording is ``todo``, ``unchanged``, ``kept`` or ``foreign``."""
        if self.overwrite:
            return "todo"
        record = self.journal.get(task.name)
        there = {s: _digest_of(_output(self.out, task.name, s)) for s in self.suffixes}
        for suffix, digest in there.items():
            known = _known(record, task.name + suffix)
            if digest is not None and digest not in known:
                return "kept" if known else "foreign"
        if record is None:
            return "todo"
        done = (
            record.key == self.key
            and len(record.inputs) == len(task.inputs)
            and all(there[s] == record.outputs.get(task.name + s, "") for s in self.suffixes)
            and all(i.unchanged(p) for i, p in zip(record.inputs, task.inputs, strict=True))
        )
        return "unchanged" if done else "todo"

    # The work --------------------------------------------------------------------------------

    def do(self, pool: Any, todo: Sequence[Task], report: Progress) -> None:
        """Align, and write each result as it comes."""
        from align.batch.pool import results
        from align.batch.worker import Job

        jobs = [Job(task, self.suffixes) for task in todo]
        for n, (job, outcome) in enumerate(results(pool, jobs), start=1):
            task = job.task
            error = outcome.error
            if error is None:
                try:
                    self._write(task, outcome)
                    self.aligned.append(task.name)
                except AlignError as problem:
                    error = error_reason(problem, task.audio)
            if error is not None:
                self.failed.append((task.audio, error))
            report("aligning", n, len(jobs))

    def compare(self, pool: Any, tasks: Sequence[Task], report: Progress) -> None:
        """Note whether recordings fit the texts of their neighbours instead of their own."""
        from align.batch.pool import results
        from align.batch.worker import Job

        def fits(some: Sequence[Task]) -> list[bool]:
            found: dict[str, bool] = {}
            jobs = [Job(task, ()) for task in some]
            for n, (job, outcome) in enumerate(results(pool, jobs), start=1):
                quality = outcome.quality
                found[job.task.name] = quality is not None and not _unlike(quality)
                report("comparing texts", n, len(jobs))
            return [found[task.name] for task in some]

        self.shifted = shifted(tasks, {q.name for q in self._qualities() if _unlike(q)}, fits)

    def _write(self, task: Task, outcome: Any) -> None:
        """Record what will be there, then put it there; see `align.batch.journal`."""
        before = self.journal.get(task.name)
        outputs: dict[str, str] = {}
        replaced: dict[str, str] = {}
        if before is not None:  # formats that this run does not write are as an earlier one left
            same = before.key == self.key and _content(before.inputs) == _content(outcome.inputs)
            replaced |= before.replaced
            (outputs if same else replaced).update(before.outputs)
        files = {task.name + suffix: content for suffix, content in outcome.files.items()}
        for name, content in files.items():
            path = _output(self.out, name, "")
            with data_errors("cannot be written", path):
                there = _digest_of(path)
            if not (there is None or self.overwrite or there in _known(before, name)):
                raise DataError("was changed during the run, and is kept.", path)
            replaced.pop(name, None)
            if there is not None:
                replaced[name] = there
            outputs[name] = hashlib.sha256(content).hexdigest()
            folder = os.path.dirname(path)
            with data_errors("cannot be made", folder):
                os.makedirs(folder, exist_ok=True)
        if outcome.kept is not None:  # how sure it is; what matters is there without it
            path = kept_file(self.out, task.name)
            with suppress(AlignError, OSError):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                atomic_write(path, outcome.kept, overwrite=True)
        quality = outcome.quality.to_dict()
        self.journal.add(Record(task.name, self.key, outcome.inputs, outputs, replaced, quality))
        for name, content in files.items():
            atomic_write(_output(self.out, name, ""), content, overwrite=True)

    # After -----------------------------------------------------------------------------------

    def finish(self, tasks: Sequence[Task], begin: float) -> CorpusRun:
        """Write the table of measures and sum up."""
        ordered = tuple(quality for quality, _ in ranked(self._qualities()))
        table = os.path.join(self.out, QUALITY_TABLE)
        failed = sorted(self.failed)
        paths = {task.name: task.audio for task in tasks}
        try:
            _check_table(table)
            atomic_write(table, quality_csv(ordered, failed, self.kept, paths), overwrite=True)
        except AlignError as error:
            failed.append((table, error_reason(error, table)))
        return CorpusRun(
            tuple(sorted(self.aligned)),
            tuple(sorted(self.unchanged)),
            tuple(sorted(self.kept)),
            tuple(failed),
            ordered,
            time.perf_counter() - begin,
            table,
            self.unused,
            self._outdated(),
            self.shifted,
        )

    def _qualities(self) -> list[Quality]:
        """Return the measures of what is aligned and up to date, in the order of names."""
        qualities = []
        for name in sorted({*self.aligned, *self.unchanged}):
            record = self.journal.get(name)
            quality = None if record is None else Quality.from_dict(record.quality)
            if quality is not None:
                qualities.append(quality)
        return qualities

    def _outdated(self) -> tuple[str, ...]:
        """Return outputs of earlier runs that are there and were not made anew."""
        done = {*self.aligned, *self.unchanged, *self.kept}
        paths: set[str] = set()
        for record in self.journal:
            paths |= record.replaced.keys() - record.outputs.keys()
            if record.name not in done:
                paths |= record.outputs.keys()
        return tuple(sorted(p for p in paths if os.path.exists(_output(self.out, p, ""))))


def _unlike(quality: Quality) -> bool:
    return quality.match is not None and quality.match < UNLIKE


def _suffixes(work: Work, formats: Sequence[str]) -> tuple[str, ...]:
    known = {name.lower(): suffix for name, suffix in work.formats.items()}
    chosen = []
    for name in formats or (work.default_format,):
        if name.lower() not in known:
            raise ParameterError(f"format {name!r}, must be one of {', '.join(work.formats)}.")
        chosen.append(known[name.lower()])
    return tuple(dict.fromkeys(chosen))


def _n_jobs(jobs: int) -> int:
    if jobs != int(jobs) or jobs == 0:
        raise ParameterError(f"jobs={jobs}, must be a number of processes, or -1 for all cores.")
    return int(jobs) if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(jobs))


def _default_model(work: Work, send: bool) -> "Model":
    from align.batch.worker import Model

    if work.kind == "music":
        return Model.usual_music(send=send)
    if work.kind == "sequence":
        raise ParameterError(
            "model=None: of a sequence there is no bundled model; give a fitted one."
        )
    own = speech_model(work.language) if isinstance(work, SpeechWork) else work.kind
    return Model.of(own, send=send)


def _key(work: Work, digest: str) -> str:
    """Digest of all, besides the files, that results depend on."""
    content = {
        "version": __version__,
        "model": digest,
        "kind": work.kind,
        "options": dict(work.options()),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _output(out: str, name: str, suffix: str) -> str:
    return os.path.join(out, *f"{name}{suffix}".split("/"))


def _digest_of(path: str) -> str | None:
    """SHA-256 of a file; None where there is none."""
    try:
        return sha256_of(path)
    except FileNotFoundError:
        return None


def _known(record: Record | None, name: str) -> set[str]:
    """Digests of an output that are of runs, not of hands."""
    if record is None:
        return set()
    return {digests[name] for digests in (record.outputs, record.replaced) if name in digests}


def _content(inputs: Sequence[Identity]) -> list[str]:
    return [identity.sha256 for identity in inputs]


def _check_table(path: str) -> None:
    """Refuse to replace a table that is not of a run."""
    with data_errors("cannot be written", path):
        try:
            with open_regular(path) as stream:
                first = stream.readline(1000).decode("utf-8", "replace").rstrip("\r\n")
        except FileNotFoundError:
            return
    columns = first.split(",")  # those of an older Align are fewer
    if columns[:2] != list(COLUMNS[:2]) or not set(COLUMNS).issuperset(columns):
        raise DataError("exists and is no table of a run; rename it.", path=path)


def _reporter(progress: Progress | bool) -> Progress:
    if callable(progress):
        return progress
    if progress:
        from align.progress import ProgressLine

        return ProgressLine()
    return no_report
