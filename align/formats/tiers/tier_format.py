"""Formats of several tiers: what they share, given how each reads its tiers and writes them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from align.errors import DataError
from align.files.names import StrPath
from align.files.text import read_bytes
from align.formats.documents.writing import NOT_XML
from align.formats.tiers.labels import Labels, TimedLabels
from align.formats.tiers.tier import (
    PHONES,
    Origin,
    Tier,
    Tiers,
    check_names,
    checked_tiers,
    labelled_tier,
)


@dataclass(frozen=True)
class TierFormat:
    """A format of several tiers, of which one may be read or written as labels.

    Parameters
    ----------
    tiers_of : callable
        Of a path and an encoding: the tiers as the file has them, and the length of the recording
        in seconds, None where the file does not say it.
    write_tiers : callable
        Of a path and `Tiers`, with `overwrite`.
    fills : bool
        Whether silences are not written, so that a tier may begin late and end early.
    tier : str
        What the format calls a tier, for messages.
    origin_of : callable, optional
        Of the content of a file and its tiers: what the writer needs to keep all it says.
    """

    tiers_of: Callable[[StrPath, str | None], tuple[list[Tier], float | None]]
    write_tiers: Callable[..., None]
    fills: bool = True
    tier: str = "tiers"
    origin_of: Callable[[bytes, Tiers], Origin] | None = None

    def read_tiers(
        self,
        path: StrPath,
        *,
        duration: float | None = None,
        silence: str = "sil",
        encoding: str | None = None,
    ) -> Tiers:
        """Read all tiers; the parameters are those of `align.formats.read_tiers`.

        They are in the order of the file; see `align.formats.tiers.tier.checked_tiers`. Labels
        without length are no part of them, but stand in the tiers' `instants`. Raises DataError if
        the file cannot be used.
        """
        tiers, length = self.tiers_of(path, encoding)
        known = duration if duration is not None else length
        if not tiers:
            raise DataError(f"has no {self.tier}.", path=path)
        tiers = [tier.without_instants() for tier in tiers]
        if self.fills:
            tiers = [tier.filled(known) if tier.is_named() else tier for tier in tiers]
        found = checked_tiers(tiers, path, duration=known, silence=silence)
        if self.origin_of is None:
            return found
        return replace(found, origin=self.origin_of(read_bytes(path), found))

    def read(
        self,
        path: StrPath,
        *,
        tier: str | None = None,
        duration: float | None = None,
        silence: str = "sil",
        encoding: str | None = None,
    ) -> Labels:
        """Read the labels of one tier; the parameters are those of `align.formats.read_labels`."""
        tiers, length = self.tiers_of(path, encoding)
        known = duration if duration is not None else length
        chosen = labelled_tier(tiers, tier, path)
        if self.fills:
            chosen = chosen.filled(known)
        found = chosen.as_labels(path, known, silence)
        if self.fills and known is None:
            return replace(found, duration=found.end)
        return found

    def write(
        self, path: StrPath, alignment: TimedLabels, *, tier: str = PHONES, overwrite: bool = False
    ) -> None:
        """Write labels as a file with one tier of this name."""
        self.write_tiers(path, Tiers.of_labels(alignment, tier), overwrite=overwrite)


def check_for_xml(tiers: Tiers, program: str) -> None:
    """Refuse tiers that `program` could not distinguish, and what XML cannot hold."""
    check_names(tiers, program)
    for tier in tiers:
        for text in (tier.name, *tier.labels):
            if found := NOT_XML.search(text):
                raise DataError(
                    f"{text!r} in tier {tier.name!r} holds the character {found[0]!r}, which no "
                    f"{program} file can; take it out.",
                    path=tiers.path,
                )
