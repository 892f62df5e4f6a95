"""A run whose outputs are a database of EMU: sessions and bundles, with their recordings.

`Bundles` does the work of another `Work`, but names the outputs as a database does, and writes
the recording beside its annotation, as WAV whatever it was. So a run that was interrupted goes on
here as elsewhere, and its recordings are as safe as its annotations.
"""

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from align.batch.tasks import Task, Work, alignments_of
from align.errors import ParameterError
from align.files.atomic import atomic_write
from align.files.regular import open_regular
from align.formats.emu_database import bundle_path, check_database_name, configure
from align.formats.tiers.emu import ANNOTATION

EMU_DATABASE = "emuDB"
"""What the format is called."""

_WAV = ".wav"
_COARSE = ("PCM_16", "PCM_S8", "PCM_U8", "ULAW", "ALAW")  # 16 bits hold them


class Bundles:
    """Another work, whose outputs are bundles of a database.

    Parameters
    ----------
    work : Work
        How recordings are found and aligned.
    out : str
        The folder of outputs; ParameterError if its name is not that of a database.
    """

    def __init__(self, work: Work, out: str) -> None:
        if "emu" not in work.formats:
            raise ParameterError(f"{EMU_DATABASE} is for speech, not for {work.kind}.")
        check_database_name(out)
        self.work, self.out = work, out
        self.kind, self.default_format = work.kind, work.default_format
        self.formats: Mapping[str, str] = {**work.formats, "wav": _WAV}

    def find(self, root: str) -> tuple[list[Task], list[tuple[str, str]]]:
        """Return the tasks of the other work, named as bundles."""
        found, problems = self.work.find(root)
        tasks: dict[str, Task] = {}
        for task in found:
            name = bundle_path(task.name)
            if name in tasks:
                why = f"would be the same bundle as {tasks[name].audio}; rename one of them."
                problems.append((task.audio, why))
            else:
                tasks[name] = replace(task, name=name)
        return list(tasks.values()), problems

    def unused(self, root: str) -> list[str]:
        """Return the files below a folder that say what is spoken in no recording."""
        return self.work.unused(root)

    def align(self, aligner: Any, task: Task) -> Any:
        """Align one recording."""
        return self.work.align(aligner, task)

    def write(self, found: Any, path: str) -> None:
        """Write a result, or for ``.wav`` its recording."""
        if path.endswith(_WAV):
            atomic_write(path, _as_wav(alignments_of(found)[0].audio), overwrite=True)
        else:
            self.work.write(found, path)

    def odd_lengths(self, found: Any) -> int:
        """Return how many events have an implausible length."""
        return self.work.odd_lengths(found)

    def guessed(self, found: Any) -> Sequence[str]:
        """Return the words that no dictionary has, as the other work does."""
        return self.work.guessed(found)

    def options(self) -> Mapping[str, Any]:
        """Return what results depend on, as the other work does."""
        return self.work.options()

    def configure(self, names: Sequence[str]) -> None:
        """Write the configuration of the database, for the bundles of these names."""
        paths = [os.path.join(self.out, *f"{name}{ANNOTATION}".split("/")) for name in names]
        configure(self.out, [path for path in paths if os.path.exists(path)])


def _as_wav(path: str) -> bytes:
    """Return a recording as a WAV file: as it is, or converted with all of its samples."""
    import soundfile

    from align.features.sound.audio import audio_info, read_audio

    kind, _, subtype = audio_info(path).format.partition(" ")
    if kind in ("WAV", "WAVEX"):
        with open_regular(path) as stream:
            return stream.read()
    samples, rate = read_audio(path, None, mono=False, allow_silence=True)
    out = io.BytesIO()
    depth = "PCM_16" if subtype in _COARSE else "PCM_24"
    soundfile.write(out, samples, rate, format="WAV", subtype=depth)
    return out.getvalue()
