"""Pronunciations of words no dictionary has, from espeak-ng, where it is installed.

espeak-ng's own program is run where there is one, since that takes a hundredth of a second. Else
the package `phonemizer` is used, with the espeak-ng it finds, or the one that the package
`espeakng_loader` brings. Either runs as a program of its own, once for each word, without a shell
and with a time limit; nothing is guessed where both are absent.
"""

import os
import shutil
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from align.errors import ParameterError

__all__ = ["espeak_available", "espeak_phones"]

_SECONDS = 10.0
_LONGEST_WORD = 100
_VOICES = {"en": "en-us"}
_PROGRAMS = ("espeak-ng", "espeak")
_PHONEMIZER = "from phonemizer.main import main; main()"


def _program() -> str | None:
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), None)


def _phonemizer() -> str | None:
    """Return the Python that has phonemizer, where its espeak-ng answers."""
    if find_spec("phonemizer") is None:
        return None
    return sys.executable if _ask_phonemizer(sys.executable, "a", "en-us") else None


def espeak_available() -> bool:
    """Whether espeak-ng is installed, by itself or for phonemizer."""
    return _program() is not None or _phonemizer() is not None


def espeak_phones(word: str, language: str = "en") -> tuple[str, ...] | None:
    """Return how espeak-ng says a word.

    Parameters
    ----------
    word : str
        The word.
    language : str
        A voice of espeak-ng, such as ``en``, ``en-gb`` or ``de``; ``en`` is American English.

    Returns
    -------
    tuple of str or None
        Its phones in IPA, without stress; None where the program is absent, does not answer, or
        has nothing to say.

    Raises
    ------
    ParameterError
        If espeak-ng has no such voice.
    """
    word = "".join(c for c in word if c.isprintable())
    if not word.strip() or len(word) > _LONGEST_WORD:
        return None
    voice = _VOICES.get(language, language)
    program = _program()
    if program is not None:
        return _ask(program, word, voice)
    python = _phonemizer()
    return None if python is None else _ask_phonemizer(python, word, voice)


@lru_cache(maxsize=4096)
def _ask(program: str, word: str, voice: str) -> tuple[str, ...] | None:
    return _answer([program, "-q", "--ipa", "--sep=_", "-v", voice, "--", word], voice)


@lru_cache(maxsize=4096)
def _ask_phonemizer(python: str, word: str, voice: str) -> tuple[str, ...] | None:
    arguments = [python, "-P", "-c", _PHONEMIZER, "-q", "-b", "espeak", "-l", voice]
    arguments += ["-p", "_", "-w", " ", "--language-switch", "remove-flags"]
    return _answer(arguments, voice, word, _library())


def _library() -> dict[str, str]:
    """Set the variable by which phonemizer finds the espeak-ng of espeakng_loader."""
    found = find_spec("espeakng_loader")
    if found is None or not found.origin:
        return {}
    folder = Path(found.origin).parent
    library = next(folder.glob("*espeak-ng.*"), None)
    if library is None or "PHONEMIZER_ESPEAK_LIBRARY" in os.environ:
        return {}
    data = folder / "espeak-ng-data"
    return {"PHONEMIZER_ESPEAK_LIBRARY": str(library), "ESPEAK_DATA_PATH": str(data)}


def _answer(
    arguments: list[str], voice: str, word: str = "", environment: dict[str, str] | None = None
) -> tuple[str, ...] | None:
    """Run a program that prints phones with ``_`` between them; `word` is its input."""
    try:
        done = subprocess.run(
            arguments,
            capture_output=True,
            timeout=_SECONDS,
            input=word.encode(),
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        if "voice" in said or "is not supported by" in said:
            raise ParameterError(f"language={voice!r}: espeak-ng has no such voice.")
        return None
    text = done.stdout.decode(errors="replace")
    phones = [phone.strip("ˈˌ") for phone in text.replace(" ", "_").replace("\n", "_").split("_")]
    # (en) and the like mark a word that is read in another language
    return tuple(p for p in phones if p and not p.startswith("(")) or None
