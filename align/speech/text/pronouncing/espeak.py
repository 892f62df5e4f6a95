"""Pronunciations of words no dictionary has, from espeak-ng, where it is installed.

espeak-ng's own program is run where there is one, since that takes a hundredth of a second. Else
the package `phonemizer` is used, with the espeak-ng it finds, or the one that the package
`espeakng_loader` brings. Either runs as a program of its own, once for each word, without a shell
and with a time limit; nothing is guessed where both are absent.
"""

import os
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from align.errors import ParameterError
from align.speech.text.pronouncing.espeak_signs import from_espeak
from align.speech.text.reading.unspaced import espeak_spelling

_SECONDS = 10.0
_LONGEST_WORD = 100
_VOICES = {"en": "en-us"}
_UNREADABLE = frozenset({"my", "th"})
"""Burmese and Thai: espeak-ng 1.51 and 1.52 leave out most of their vowels."""
_PROGRAMS = ("espeak-ng", "espeak")
_PROGRAM_FILES = ("ProgramFiles", "ProgramFiles(x86)")
"""Where the installer for Windows puts it, in a folder that it does not add to PATH."""
_MOST_PHONES = 4
"""For each letter, which no script exceeds. Letters of another alphabet are named one by one,
"Cyrillic em", and have more.
"""
_NEXT = ("ma", "ami")
"""A word to follow another, which begins with a consonant, and one with a vowel."""

_SHORT = 4  # letters of words that may be weak within a sentence: een of Dutch is "a" or "one"
_SOFTENING = frozenset({"an", "ca", "es", "eu", "gl"})
_SOFT = {"b": "β", "d": "ð", "ɡ": "ɣ"}
"""Stops that begin a word of Spanish and its neighbours, as they are after most sounds."""

_LINKING = tuple("sxztdnrp")
"""Letters of French that are spoken at the end of some words, where a vowel follows."""

_SLAVIC = frozenset({"be", "bg", "cs", "mk", "pl", "ru", "sk", "sl", "uk"})
_PREPOSITIONS = {
    "v": "vf", "w": "vf", "z": "zs", "s": "sz", "k": "kɡ",
    "в": "vf", "з": "zs", "с": "sz", "к": "kɡ",
}  # fmt: skip
"""Of Slavic languages, and how they sound in front of a voiced and a voiceless sound."""

_PHONEMIZER = "from phonemizer.main import main; main()"


class _NoAnswer(Exception):
    """The program could not be run in time; asked again, it may answer: so this is not cached."""


def _program() -> str | None:
    installed = [os.environ[name] for name in _PROGRAM_FILES if name in os.environ]
    folders = [None, *(os.path.join(folder, "eSpeak NG") for folder in installed)]
    found = (shutil.which(name, path=folder) for folder in folders for name in _PROGRAMS)
    return next(filter(None, found), None)


def _phonemizer() -> str | None:
    """Return the Python that has phonemizer, where its espeak-ng answers."""
    if find_spec("phonemizer") is None:
        return None
    with suppress(_NoAnswer):
        return sys.executable if _ask_phonemizer(sys.executable, "a", "en-us") else None
    return None


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
    return next(iter(espeak_ways(word, language)), None)


def espeak_ways(word: str, language: str = "en") -> list[tuple[str, ...]]:
    """Return the ways in which espeak-ng says a word.

    As `espeak_phones`, which returns the first. There are several for some Chinese characters;
    for single letters, which espeak-ng names where nothing follows (*y* of *il y a*, *w* of
    Polish, *ο* of Greek): what they are within a sentence, and their name; for short words that
    are weak there (*een* of Dutch), in French for words that link to a vowel (*les amis*), and in
    Spanish for those that begin with b, d or g. Empty where there is none, where espeak-ng
    would name the letters of the word, which are not those of the language, and for Burmese and
    Thai, which it cannot read.
    """
    word = "".join(c for c in word if c.isprintable())
    unreadable = language.split("-")[0].lower() in _UNREADABLE
    if unreadable or not word.strip() or len(word) > _LONGEST_WORD:
        return []
    ways: list[tuple[str, ...]] = []
    for text, code in espeak_spelling(word, language):
        voice = _VOICES.get(code, code)
        if voice in _SLAVIC:
            ways += [(sound,) for sound in _PREPOSITIONS.get(text.lower(), "")]
        asked = [_say(text, voice)]
        if len(text) <= _SHORT and text.isalpha() and voice != "ja":
            asked.insert(len(text) > 1, _say(text, voice, _NEXT[0]))
        if voice.startswith("fr") and len(text) > 1 and text.endswith(_LINKING):
            asked.append(_say(text, voice, _NEXT[1]))
        ways += [way for way in asked if way and not _names_letters(text, way, language)]
        if voice in _SOFTENING:
            ways += [(_SOFT[way[0]], *way[1:]) for way in ways if way[0] in _SOFT]
    return list(dict.fromkeys(ways))


def _say(text: str, voice: str, following: str = "") -> tuple[str, ...] | None:
    with suppress(_NoAnswer):
        program = _program()
        if program is not None:
            return _ask(program, text, voice, following)
        python = _phonemizer()
        return None if python is None else _ask_phonemizer(python, text, voice, following)
    return None


def _names_letters(word: str, phones: Sequence[str], language: str) -> bool:
    """Whether the phones are the names of the letters of a word in a foreign script."""
    letters = [c for c in word if _is_letter(c)]
    if not letters or any(unicodedata.name(c, "").startswith("LATIN") for c in letters):
        return False
    return language.startswith("en") or len(phones) > _MOST_PHONES * len(letters)


@lru_cache(maxsize=4096)
def _ask(program: str, word: str, voice: str, following: str = "") -> tuple[str, ...] | None:
    text = f"{word} {following}".rstrip()
    arguments = [program, "-q", "--ipa", "--sep=_", "-v", voice, "--", text]
    return _answer(arguments, voice, followed=bool(following))


@lru_cache(maxsize=4096)
def _ask_phonemizer(
    python: str, word: str, voice: str, following: str = ""
) -> tuple[str, ...] | None:
    arguments = [python, "-P", "-c", _PHONEMIZER, "-q", "-b", "espeak", "-l", voice]
    arguments += ["-p", "_", "-w", " ", "--language-switch", "remove-flags"]
    text = f"{word} {following}".rstrip()
    return _answer(arguments, voice, text, _library(), followed=bool(following))


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
    arguments: list[str],
    voice: str,
    word: str = "",
    environment: dict[str, str] | None = None,
    *,
    followed: bool = False,
) -> tuple[str, ...] | None:
    """Run a program that prints phones with ``_`` between them; `word` is its input.

    Where the word is `followed` by another, None where the two are not printed as two words.
    Raises _NoAnswer where the program does not run, or takes too long.
    """
    try:
        done = subprocess.run(
            arguments,
            capture_output=True,
            timeout=_SECONDS,
            input=word.encode(),
            check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _NoAnswer from error
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        if "voice" in said or "is not supported by" in said:
            raise ParameterError(
                f"language={voice!r}: espeak-ng has no such voice; give a dictionary that has "
                "every word (--dictionary), or the phones (--phones)."
            )
        return None
    text = done.stdout.decode(errors="replace")
    if followed:
        words = text.split()
        if len(words) != 2:
            return None
        text = words[0]
    phones = [phone.strip("ˈˌ+[") for phone in re.split(r"[_\s]", text)]
    # (en) and the like mark a word that is read in another language; a tone or a sign of
    # palatalisation alone, which some voices write in front of a word, is no phone
    phones = [phone for phone in phones if not phone.startswith("(")]
    return tuple(p for p in from_espeak(phones, voice) if any(map(_is_letter, p))) or None


def _is_letter(char: str) -> bool:
    category = unicodedata.category(char)
    return category[0] == "L" and category != "Lm"
