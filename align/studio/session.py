"""A corpus being corrected, and the model that learns from it: the whole, for Python and the page.

Every step is a line of the journal in ``OUT/studio``; `align.studio.recordings` has the recordings
as they are after all lines, and each confirmed recording makes a new model
(`align.studio.learning`). Every method may be called from any thread.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Self

from align.batch.tasks import Task, Work
from align.batch.works import work_for
from align.errors import AlignError, DataError, ParameterError, data_errors, error_reason
from align.files.lock import FolderLock
from align.files.names import StrPath
from align.models.loading import load
from align.sequence.base import Aligner
from align.studio.decoding import ModelDecoder
from align.studio.document import Document, corrected
from align.studio.edits import edited
from align.studio.history import after
from align.studio.journal import Journal
from align.studio.learning import Learning
from align.studio.no_text import aligned, check_text, find_all, lacks_text
from align.studio.output import Output, writable
from align.studio.queue import Found
from align.studio.recordings import Recordings
from align.studio.sources import Sources
from align.types import Example

_AHEAD = {"speech": 8, "music": 1}  # recordings that are aligned before one of them is chosen
_CHANGED = "Its text or sound was changed on the disk since; what is shown is of before."


class Session:
    """A corpus being corrected, and the model that learns from it.

    Parameters
    ----------
    model : str, path or Aligner
        A bundled model, a model file, or a fitted aligner.
    recordings : path
        A folder of recordings with transcripts, phones or scores beside them. Beside transcripts
        some may be empty or not there: these are given their text by `edit`.
    out : path
        A folder for all that is corrected and learned. One that was used before goes on from
        where it was.
    learn : bool
        Whether confirmed recordings change the model.
    random_state : int
        Seed of what is random in learning.
    **options
        Of `align.align_corpus`, for transcripts: `dictionary`, `language`, `text`, and others.

    Raises
    ------
    DataError
        Where nothing can be aligned, `out` is in use by another process or was begun with another
        model, or its journal is damaged.
    ParameterError
        Where the model is of another kind than speech or music.

    Attributes
    ----------
    names : list of str
        The recordings, sorted: paths below `recordings`, without suffix.
    outdated : list of str
        Those of them whose text or recording was changed after they were corrected. They stay as
        they were corrected, until they are given another text.
    missing : list of str
        What was corrected and is not below `recordings` any more, such as files that were renamed.
        The corrections are kept, and count again once the files have these names again.
    foreign : list of str
        Those whose file in `out` this session has not written, or somebody has changed since. It
        is not replaced: `confirm` refuses until it is moved away, or `correct` has taken it.
    without_text : list of str
        Those whose text was not there when the session began, and that nobody has typed yet. In
        the queue they come after the others, which are ready to be looked at.

    Examples
    --------
    ::

        with align.Session("speech-any", "recordings", "corrected") as session:
            while (name := session.next()) is not None:
                session.correct(name, my_alignment_of(name))
                session.learn()
            session.model.save("mine.align")
    """

    def __init__(
        self,
        model: StrPath | Aligner,
        recordings: StrPath,
        out: StrPath,
        *,
        learn: bool = True,
        random_state: int = 0,
        **options: Any,
    ) -> None:
        given = _checked_model(model)
        if isinstance(options.get("channel"), Mapping):
            raise ParameterError("channel must be a number: a session shows one channel.")
        self._work = work_for(given.kind, **options)
        tasks, problems = _tasks_below(recordings, self._work, out)
        self._recordings = Recordings(tasks, problems, self._found)
        self.names = list(self._recordings.tasks)
        self._sources = Sources(self._recordings.tasks)
        self._out = Path(out)
        self._output = Output(self._out, self._work, self._recordings.tasks)
        inside = self._out / "studio"
        with data_errors("cannot be made", out):
            inside.mkdir(parents=True, exist_ok=True)
        self._own = FolderLock(out, inside / "lock")
        self._own.__enter__()
        try:
            self._lock, self._one_update = RLock(), Lock()
            self._decoder: ModelDecoder | None = None
            self._journal = Journal(inside / "journal.jsonl")
            self._learning = Learning(
                given, inside, learn=learn, random_state=random_state, of_text=self._of_text
            )
            for entry in self._journal.entries:
                self._take(entry)
            self._learning.restore()
            if not self._journal.entries:
                self._add({"do": "begin", "model": self._learning.digest})
            self._journal.entries.clear()
            self._output.remove_stale()
            self._output.restore(self._recordings.truths())
            self.outdated = self._sources.outdated()
            self.missing = self._recordings.missing()
            self.foreign = self._output.foreign()
            self.without_text = [
                name
                for name, task in self._recordings.tasks.items()
                if lacks_text(self._work, task) and self._recordings.history(name).now is None
            ]
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        counts = self._recordings.counts()
        said = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
        return f"<Session in {os.fspath(self._out)!r}: {said}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Let another process use the folder; all is on the disk already."""
        self._own.__exit__(None, None, None)

    def _take(self, entry: Mapping[str, Any]) -> None:
        """Bring the state from one entry to the next."""
        if entry["do"] in ("begin", "model"):
            self._learning.take(entry)
            return
        self._sources.take(entry)
        self._output.take(entry)
        self._learning.note(entry["name"], self._recordings.take(entry))

    def _add(self, entry: Mapping[str, Any]) -> None:
        """Write an entry to the disk, then make it count."""
        self._journal.add(entry)
        self._take(entry)

    def audio(self, name: str) -> Path:
        """Return the file of a recording; raises DataError for an unknown name."""
        return Path(self._recordings.task(name).audio)

    def sound(self, name: str) -> StrPath:
        """Return what is played and aligned of a recording: its file, or one channel of it."""
        return self._recordings.task(name).recording

    def view(self, name: str) -> dict[str, Any]:
        """Return a recording as an editor draws it, as JSON can hold it.

        Parameters
        ----------
        name : str
            One of `names`.

        Returns
        -------
        dict
            ``name``, ``kind``, ``seconds``, ``revision``, ``state`` (``waiting`` or
            ``confirmed``), ``tiers``, ``text``, ``can_undo``, ``can_redo``, ``match``,
            ``mismatches`` that no person is done with, and ``warnings``. Tiers have a ``name`` and
            ``intervals``: ``id``, ``start``, ``end`` (seconds), ``label``, ``confidence``,
            ``fixed``; of notes ``pitch`` and ``played`` too.

        Raises
        ------
        DataError
            Where the name is unknown or the recording cannot be aligned.
        """
        self._recordings.task(name)
        self._recordings.show(name, self._learning.version)
        with self._lock:
            return self._view(name)

    def _view(self, name: str) -> dict[str, Any]:
        view = self._recordings.view(name)
        if self._sources.is_changed(name):
            view["warnings"].append(_CHANGED)
        return view

    def edit(self, name: str, action: Mapping[str, Any], *, revision: int) -> dict[str, Any]:
        """Change a recording, decode again what no person has set, and return the new view.

        Parameters
        ----------
        name : str
            One of `names`.
        action : mapping
            ``do`` is ``move`` (``tier``, ``id``, ``edge``: start or end, ``to``: seconds),
            ``insert`` (``tier``, ``at``, ``label``), ``delete`` (``tier``, ``id``), ``split``
            (``tier``, ``id``, ``at``), ``merge`` with the next (``tier``, ``id``), ``relabel``
            (``tier``, ``id``, ``label``), ``text`` (``text``), or of music ``move`` and
            ``unplayed`` (``id``).
        revision : int
            That of the view that the action is for.

        Returns
        -------
        dict
            As `view`; the action is on the disk.

        Raises
        ------
        StaleRevision
            Where the recording was changed since; nothing is changed.
        DataError, ParameterError
            Where the action is not possible; nothing is changed.
        """
        self._recordings.find(name)
        with self._lock:
            _, document = self._recordings.checked(name, revision)
            new = edited(document, action, self._decoder_of(name))
            return self._step(name, "edit", document, new, action=dict(action))

    def _decoder_of(self, name: str) -> ModelDecoder:
        """Return what decodes a recording again; that of the last edit where it is the same."""
        model, task = self.model, self._recordings.tasks[name]
        if self._decoder is None or not self._decoder.serves(model, task):
            self._decoder = ModelDecoder(model, task, self._work)
        return self._decoder

    def _step(
        self, name: str, do: str, old: Document, new: Document, **about: Any
    ) -> dict[str, Any]:
        """Log a new document, and return the view of it."""
        base: dict[str, Any] = (
            {} if self._recordings.history(name).now else {"base": old.to_json()}
        )
        revision = self._recordings.revision(name) + 1
        base.update(self._sources.news_of(name))
        entry = {"name": name, "do": do, "revision": revision, **about, **base}
        entry["change"] = old.change_to(new)
        self._follow(entry, new if do == "confirm" else None)
        return self._view(name)

    def _follow(self, entry: dict[str, Any], right: Document | None) -> None:
        """Log an entry of a recording, write the files that it speaks of, and let it count.

        `right` is what is confirmed by it; None where nothing is. Where a file cannot be written,
        nothing is changed.
        """
        name = entry["name"]
        content = b"" if right is None else self._output.content(name, right)
        if right is not None:
            entry.update(self._output.news_of(name, content))
        self._journal.add(entry)
        try:
            self._output.write_manifest(self._recordings.truths({name: right}))
            if right is not None:
                self._output.write(name, content)
        except BaseException:  # a person may interrupt a script, and go on in it
            with suppress(DataError):
                self._journal.take_back()
            with suppress(DataError):
                self._output.write_manifest(self._recordings.truths())
            raise
        self._take(entry)

    def undo(self, name: str, *, revision: int) -> dict[str, Any]:
        """Take the last step back, a confirmation too, and return the view; see `edit`."""
        return self._back(name, "undo", revision)

    def redo(self, name: str, *, revision: int) -> dict[str, Any]:
        """Make a step that was undone again, and return the view; see `edit`."""
        return self._back(name, "redo", revision)

    def _back(self, name: str, do: str, revision: int) -> dict[str, Any]:
        self._recordings.find(name)
        with self._lock:
            history, _ = self._recordings.checked(name, revision)
            entry = {"name": name, "do": do, "revision": revision + 1}
            new = after(history, entry)  # raises before anything is written
            right = new.now.document if new.confirmed and new.now is not None else None
            self._follow(entry, right)
            return self._view(name)

    def confirm(self, name: str, *, revision: int) -> dict[str, Any]:
        """Take a recording as right, write its file, and return the view; see `edit`.

        The file is ``OUT/NAME.TextGrid``, of music ``OUT/NAME.csv``. `learn` learns from it, and
        ``OUT/confirmed.csv`` lists all of them with their recordings, for `align adapt`.
        """
        self._recordings.find(name)
        with self._lock:
            history, document = self._recordings.checked(name, revision)
            if history.now is None:  # a person may have taken every word away
                check_text(document)
            return self._confirm(name, document, document)

    def _confirm(self, name: str, old: Document, new: Document) -> dict[str, Any]:
        return self._step(name, "confirm", old, new.all_fixed())

    def correct(self, name: str, alignment: Any) -> None:
        """Take a whole alignment as right: what a script does instead of `edit` and `confirm`.

        Parameters
        ----------
        name : str
            One of `names`.
        alignment : Alignment, TextAlignment, MusicAlignment or path
            With the labels that are right; a path is that of a label file, of phones, or of notes.

        Raises
        ------
        DataError
            Where the name is unknown or the file cannot be read.
        ParameterError
            Where the alignment is of another kind or score, or lasts longer than the recording.
        """
        task = self._recordings.task(name)
        with self._lock:
            new = corrected(alignment, task, self._work.kind)
            if isinstance(alignment, str | os.PathLike):
                self._output.take_over(name, alignment)
            self._confirm(name, self._recordings.known(name) or new, new)

    def export(self, path: StrPath, *, report: bool = False) -> None:
        """Write what there is into a folder.

        Parameters
        ----------
        path : path
            A folder; made where it is not there. ``model.align`` is the model as it is now,
            ``confirmed/`` has the files of the confirmed recordings, and ``progress.json`` what
            `progress` returns.
        report : bool
            Also write ``report.html``, a page of the confirmed recordings.
        """
        with self._lock:
            model, truths, progress = self.model, self._recordings.truths(), self.progress()
        self._output.export(Path(path), model, truths, progress, report=report)

    def queue(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Return the recordings, those that are most worth a look first; nothing is aligned.

        Parameters
        ----------
        limit : int, optional
            How many, at most.

        Returns
        -------
        list of dict
            ``name``, ``seconds``, ``events``, ``expected_errors``, ``confidence``, ``match`` (None
            where it is not aligned yet), ``state`` (``waiting``, ``confirmed`` or ``failed``, with
            ``why``), ``stale``: whether a newer model will align it anew, and ``no_text``: whether
            nobody has written yet what is said.
        """
        with self._lock:
            return self._recordings.rows(self._learning.version)[:limit]

    def next(self) -> str | None:
        """Return the recording that is most worth a look; None where all are confirmed.

        A few are aligned for this where too few are; `prepare` aligns the others.
        """
        with self._lock:
            rows = [row["name"] for row in self.queue() if row["state"] == "waiting"]
        unknown = [name for name in rows if self._recordings.known(name) is None]
        if not unknown:
            return rows[0] if rows else None
        for name in unknown[: max(0, _AHEAD[self._work.kind] - len(rows) + len(unknown))]:
            self._recordings.align(name)
        with self._lock:
            rows = [row["name"] for row in self.queue() if row["state"] == "waiting"]
        return rows[0] if rows else None

    def prepare(self) -> str | None:
        """Align one recording that waits and is not aligned by this model yet; None for none left.

        In the order of the queue, but not the one that was viewed last: it stays as it is shown.
        """
        with self._lock:
            todo = self._recordings.to_align(self._learning.version)
        if not todo:
            return None
        self._recordings.align(todo[0])
        return todo[0]

    def _found(self, task: Task) -> Found:
        """Return a recording as the model finds it."""
        with self._lock:
            model, version = self.model, self._learning.version
        self._sources.look(task.name)
        try:
            return Found.of(aligned(self._work, model, task), version)
        except AlignError as error:
            return Found(None, version, error_reason(error, task.name))

    @property
    def model(self) -> Any:
        """The aligner as it is now."""
        return self._learning.model

    def learn(self, *, deep: bool = False) -> dict[str, Any]:
        """Learn from the oldest confirmed recording that was not learned from yet.

        Parameters
        ----------
        deep : bool
            Learn anew from all that is confirmed, with more steps; else that is done by itself
            every so often.

        Returns
        -------
        dict
            What was done: ``version`` of the model, ``seconds``, the ``judged`` errors, whether
            the model was ``put_back``. Empty where nothing was left to learn from.
        """
        with self._one_update:
            with self._lock:
                truths, todo = self._recordings.truths(), self._learning.todo()
            examples = {  # takes a while, as learning does: the lock is free
                name: self._example(name, one)
                for name, one in truths.items()
                if not self._sources.sounds_other(name)
            }
            made = self._learning.update(examples, todo, deep=deep)
            if made is None:
                return {}
            with self._lock:
                self._learning.save(made)
                self._add(made.entry)
                self._learning.publish(made)
        return {key: value for key, value in made.entry.items() if key != "do"}

    def _of_text(self, model: Aligner, name: str) -> Example:
        """Return what a model finds in a recording from its text."""
        task, shown = self._recordings.tasks[name], self._recordings.known(name)
        text = None if shown is None else shown.text
        return self._example(name, aligned(self._work, model, task, text))

    def _example(self, name: str, document: Document) -> Example:
        """Return a confirmed recording to learn from, its phones as the model calls them."""
        task = self._recordings.tasks[name]
        names = getattr(self._work, "phone_map", None) or {}
        example = document.example(task.recording, task.group, name)
        return replace(example, events=tuple(names.get(str(e), e) for e in example.events))

    def progress(self) -> dict[str, Any]:
        """Return what was gained so far.

        Returns
        -------
        dict
            ``confirmed``, ``waiting``, ``failed``; ``errors_per_100``: boundaries that are off by
            more than 20 ms (notes by more than 50 ms) of a hundred, each recording aligned by the
            model that had not seen it (``now``) and by the model of the beginning
            (``fixed_model``), over all confirmed recordings, with ``window`` of the last ten;
            ``seconds_spent`` on learning; ``updates`` and ``put_back``, one row for each.
        """
        with self._lock:
            return {**self._recordings.counts(), **self._learning.progress()}


def _checked_model(model: StrPath | Aligner) -> Aligner:
    """Return the fitted model of a session; ParameterError for one that it cannot show."""
    given: Aligner = load(model) if isinstance(model, str | os.PathLike) else model
    given.check_fitted()
    if given.kind not in _AHEAD:
        raise ParameterError(
            f"model is one of {given.kind}, must be of speech or of music, as a session "
            "shows words, phones or notes; correct its label files in another program, and "
            "give them to align.sequence.adapt.adapt."
        )
    return given


def _tasks_below(
    recordings: StrPath, work: Work, out: StrPath
) -> tuple[list[Task], list[tuple[str, str]]]:
    """Return the recordings of a folder, at least one, and why others cannot be aligned."""
    if not os.path.isdir(recordings):
        raise DataError("is no folder of recordings.", path=os.fspath(recordings))
    if os.path.realpath(out) == os.path.realpath(recordings):
        raise DataError(
            "is the folder of the recordings; choose another one for what is corrected.",
            path=os.fspath(out),
        )
    found, problems = find_all(work, os.fspath(recordings))
    tasks, more = writable(work, found)
    problems = [*problems, *more]
    if not tasks:
        why = f": {problems[0][0]} {problems[0][1]}" if problems else "."
        if work.kind == "speech" and problems and "(--text)" not in why:
            why += " With text (--text) it can be typed here."
        raise DataError(f"has no recording to align{why}", path=os.fspath(recordings))
    return tasks, problems
