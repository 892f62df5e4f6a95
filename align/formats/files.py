"""Reading and writing labels, of one tier or of several, by the suffix of the file."""

from collections.abc import Sequence
from dataclasses import replace

from align.errors import DataError, plural
from align.files.names import StrPath
from align.formats.table import label_format
from align.formats.tiers.labels import Labels, TimedLabels
from align.formats.tiers.tier import WORDS, Tier, Tiers

__all__ = ["left_out", "read_labels", "read_tiers", "write_labels", "write_tiers"]


def read_labels(
    path: StrPath,
    *,
    rate: float | None = None,
    duration: float | None = None,
    tier: str | None = None,
    silence: str = "sil",
    encoding: str | None = None,
    format: str | None = None,
) -> Labels:
    """Read labels with their times, in the format the suffix says.

    Parameters
    ----------
    path : path
        A ``.TextGrid``, ``.phn`` or ``.wrd`` (TIMIT), ``.lab`` (HTK), ``.csv``, ``.tsv``, ``.txt``
        (Audacity), ``.ctm``, ``.vtt``, ``.srt``, ``.rttm``, ``.eaf`` (ELAN), ``.exb``
        (EXMARaLDA), ``_annot.json`` (EMU) or ``.json`` file; the suffix in any case.
    rate : float, optional
        Sampling rate in Hz that TIMIT files count samples at; by default 16000.
    duration : float, optional
        Length of the recording in seconds; labels beyond it are then an error.
    tier : str, optional
        Tier of a TextGrid, ELAN, EXMARaLDA, EMU or JSON file, or of a table that names its tiers;
        by default that of the phones.
    silence : str
        Name of labels without text and of gaps; ``""`` leaves them nameless.
    encoding : str, optional
        By default UTF-8 or UTF-16, whichever the file is.
    format : str, optional
        One of ``textgrid``, ``eaf``, ``exb``, ``phn``, ``lab``, ``csv``, ``tsv``, ``audacity``,
        ``ctm``, ``vtt``, ``srt``, ``rttm``, ``emu``, ``json``; by default what the suffix says.

    Returns
    -------
    Labels

    Raises
    ------
    DataError
        If the file cannot be used; the message names the line.
    ParameterError
        If the format is unknown.
    """
    found = label_format(path, format)
    given = {"silence": silence, "encoding": encoding, "rate": rate, "tier": tier}
    assert found.read is not None
    labels: Labels = found.read(
        path, duration=duration, **{name: given[name] for name in found.options}
    )
    return labels


def write_labels(
    path: StrPath, alignment: TimedLabels, format: str | None = None, *, overwrite: bool = False
) -> None:
    """Write an alignment, in the format the suffix says, whole or not at all.

    Parameters
    ----------
    path : path
        The output; see `read_labels` for the suffixes.
    alignment : TimedLabels
        What to write.
    format : str, optional
        As for `read_labels`.
    overwrite : bool
        Replace a file that exists.

    Raises
    ------
    DataError
        If the file exists, cannot be written, or its format cannot hold a label.
    ParameterError
        If the format is unknown.
    """
    label_format(path, format).write(path, alignment, overwrite=overwrite)


def read_tiers(
    path: StrPath,
    *,
    rate: float | None = None,
    duration: float | None = None,
    silence: str = "sil",
    encoding: str | None = None,
) -> Tiers:
    """Read all tiers of labels, in the format the suffix says.

    Parameters
    ----------
    path, rate, duration, encoding
        As for `read_labels`.
    silence : str
        Name of labels without text and of gaps in tiers of phones and words.

    Returns
    -------
    Tiers
        One tier where the format holds no more: ``words`` of a ``.wrd`` file, else ``phones``.

    Raises
    ------
    DataError
        If the file cannot be used; the message names the line.
    ParameterError
        If the format is unknown.
    """
    found = label_format(path)
    if found.read_tiers is not None:
        tiers: Tiers = found.read_tiers(
            path, duration=duration, silence=silence, encoding=encoding
        )
        return tiers
    labels = read_labels(path, rate=rate, duration=duration, silence=silence, encoding=encoding)
    tier = replace(Tier.of_labels(labels, found.tier), lines=labels.lines)
    return Tiers((tier,), tier.end, labels.path)


def write_tiers(
    path: StrPath, tiers: Tiers, *, tier: str | None = None, overwrite: bool = False
) -> tuple[Tier, ...]:
    """Write tiers in the format the suffix says, as many of them as it can hold.

    Parameters
    ----------
    path : path
        The output. A TextGrid, ELAN, EXMARaLDA, EMU or JSON file holds all tiers; a table the
        phones of each speaker, with their words; a ``.vtt`` or ``.srt`` file the words of each
        speaker; a ``.rttm`` file when each speaks; the other formats one tier: a ``.wrd`` file
        the words, others the phones.
    tiers : Tiers
        What to write.
    tier : str, optional
        Write this tier only.
    overwrite : bool
        Replace a file that exists.

    Returns
    -------
    tuple of Tier
        Those that were written; the others were left out.

    Raises
    ------
    DataError
        If the file exists, cannot be written or cannot hold a label, or the phones (the words of
        a ``.wrd`` file) are in none of the tiers, or in several.
    ParameterError
        If the format is unknown.
    """
    found = label_format(path)
    if tier is not None:
        kept: tuple[Tier, ...] = (tiers.phones(tier),)
    elif found.holds == "tiers":
        kept = tiers.tiers
    elif found.holds in ("words", "turns"):
        speakers = tiers.speakers()
        kept = tuple(one for _, phones, words in speakers for one in (words, phones) if one)
    elif found.holds == "voices" and len(tiers.of_words()) > 1:
        kept = tiers.of_words()
    else:
        kept = (_words(tiers, found.suffix) if found.tier == WORDS else tiers.phones(),)
    if found.write_tiers is None or (found.holds in ("words", "voices") and len(kept) == 1):
        if not any(label.strip() for label in kept[0].labels):
            raise DataError(f"tier {kept[0].name!r} is empty; label it first.", path=tiers.path)
        found.write(path, tiers.labels_of(kept[0]), overwrite=overwrite)
    else:
        found.write_tiers(path, replace(tiers, tiers=kept), overwrite=overwrite)
    return kept


def left_out(path: StrPath, tiers: Tiers, written: Sequence[Tier]) -> list[str]:
    """Return, in words, what `write_tiers` left out of what was read.

    Parameters
    ----------
    path : path
        The output.
    tiers : Tiers
        What it was given.
    written : sequence of Tier
        What it returned.
    """
    lost = [repr(tier.name) for tier in tiers if not any(tier is kept for kept in written)]
    found = []
    if lost:
        found.append(f"{plural(len(lost), 'tier')} ({', '.join(lost)})")
    kept = replace(tiers, tiers=tuple(written))
    if tiers.origin is not None and tiers.origin.holds(label_format(path).name, kept):
        return found
    if tiers.origin is not None:
        found += tiers.origin.beyond
    instants = [(label, time, tier.name) for tier in written for label, time in tier.instants]
    if instants:
        label, time, name = instants[0]
        which = "first " if len(instants) > 1 else ""
        first = f"{label!r} at {time:g} s in tier {name!r}"
        found.append(f"{plural(len(instants), 'label')} without length ({which}{first})")
    return found


def _words(tiers: Tiers, suffix: str) -> Tier:
    words = tiers.words()
    if words is None:
        raise DataError(
            f"has no tier of words, which is what a {suffix} file holds; name the tier to "
            "write, or write a .phn file.",
            path=tiers.path,
        )
    return words
