"""Pronunciations of words no dictionary has, from espeak-ng, where it is installed.

The program is run once for each word, without a shell and with a time limit; nothing is guessed
where it is absent.
"""

import os
import shutil
import subprocess
from functools import lru_cache

from align.errors import ParameterError

__all__ = ["espeak_available", "espeak_phones"]

_SECONDS = 10.0
_LONGEST_WORD = 100
_VOICES = {"en": "en-us"}
_PROGRAMS = ("espeak-ng", "espeak")


def _program() -> str | None:
    return next((path for name in _PROGRAMS if (path := shutil.which(name))), None)


def espeak_available() -> bool:
    """Whether espeak-ng is installed."""
    return _program() is not None


def espeak_phones(word: str, language: str = "en") -> tuple[str, ...] | None:
    """Ask espeak-ng how a word is said.

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
    program = _program()
    word = "".join(c for c in word if c.isprintable())
    if program is None or not word.strip() or len(word) > _LONGEST_WORD:
        return None
    return _ask(program, word, _VOICES.get(language, language))


@lru_cache(maxsize=4096)
def _ask(program: str, word: str, voice: str) -> tuple[str, ...] | None:
    arguments = [program, "-q", "--ipa", "--sep=_", "-v", voice, "--", word]
    try:
        done = subprocess.run(
            arguments,
            capture_output=True,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        if "voice" in said:
            raise ParameterError(f"language={voice!r}: espeak-ng has no such voice.")
        return None
    text = done.stdout.decode(errors="replace")
    phones = [phone.strip("ˈˌ") for phone in text.replace(" ", "_").replace("\n", "_").split("_")]
    # (en) and the like mark a word that is read in another language
    return tuple(p for p in phones if p and not p.startswith("(")) or None
