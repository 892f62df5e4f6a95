"""The models that come with Align, and their cards.

A card says what a model is for, what it was trained on and under which licence, and how well it
does on recordings it was not trained on. What the model file holds is read from there; the rest is
the text ``NAME.md`` beside it: a title, one line that says what the model does, and sections.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from align.errors import ParameterError
from align.files.model_file import read_model
from align.files.names import StrPath
from align.formats.scores.instruments import score_instruments
from align.models.loading import bundled_models, model_path

USUAL_MUSIC = "piano"
"""The model of music where neither the user nor the score says which."""


@dataclass(frozen=True)
class ModelCard:
    """What a bundled model is.

    Parameters
    ----------
    name : str
        What `align.load` calls it.
    kind : str
        ``"speech"``, ``"music"`` or ``"sequence"``.
    summary : str
        One line: what it does.
    licence : str
        Licence of what it was trained on; empty where the file does not state it.
    sections : mapping of str to str
        Text of each section by its title, such as "Intended use"; Markdown.
    training : mapping of str to Any
        What the model file says of its training: recordings, seconds and so on.
    labels : tuple of str
        The labels it knows; empty for music.
    """

    name: str
    kind: str
    summary: str
    licence: str
    sections: Mapping[str, str] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def trained_on(self) -> str:
        """How much it was trained on, in words."""
        return trained_on(self.kind, self.training)

    def text(self) -> str:
        """Return the summary and the sections as plain text, for a terminal."""
        parts = [self.summary]
        for title, body in self.sections.items():
            plain = re.sub(r"\*\*|`", "", body)
            parts.append(
                f"{title}\n" + "\n".join(f"  {line}".rstrip() for line in plain.split("\n"))
            )
        return "\n\n".join(parts)

    def markdown(self) -> str:
        """Return the card as a section of a Markdown page."""
        facts = [
            ("kind", self.kind),
            ("trained on", self.trained_on),
            ("labels", f"{len(self.labels)}: {' '.join(self.labels)}" if self.labels else ""),
            ("licence of the training data", self.licence or "not stated"),
        ]
        rows = [f"| {name} | {value} |" for name, value in facts if value]
        parts = [f"## {self.name}", self.summary, "\n".join(["| | |", "|---|---|", *rows])]
        parts += [f"### {title}\n\n{body}" for title, body in self.sections.items()]
        return "\n\n".join(parts) + "\n"


def trained_on(kind: str, training: Mapping[str, Any], events: str = "phones") -> str:
    """Return how much a model was trained on, in words; `events` are what labels are called."""
    units = {"recordings": "recordings", "groups": "speakers", "events": events}
    if kind == "music":
        units = {"recordings": "pieces", "groups": "groups", "notes": "notes"}
    parts = [f"{training[key]} {what}" for key, what in units.items() if key in training]
    if "seconds" in training:
        parts.append(f"{training['seconds'] / 60:.1f} minutes")
    return ", ".join(parts)


def list_models() -> list[ModelCard]:
    """Return the cards of all models that come with Align.

    Returns
    -------
    list of ModelCard
        In the order of their names.

    Examples
    --------
    >>> "speech-en" in [card.name for card in list_models()]
    True
    """
    return [model_card(name) for name in bundled_models()]


def model_card(name: str) -> ModelCard:
    """Return the card of a model that comes with Align.

    Parameters
    ----------
    name : str
        Such as ``"speech-en"``; see `list_models`.

    Returns
    -------
    ModelCard
        A model that has no text yet has a card without sections.

    Raises
    ------
    ParameterError
        If no bundled model is called that.
    ModelError
        If its file is damaged.

    Examples
    --------
    >>> model_card("speech-en").kind
    'speech'
    """
    if name not in bundled_models():
        raise ParameterError(
            f"name={name!r}, must be the name of a bundled model: {', '.join(bundled_models())}."
        )
    kind, header, _ = read_model(model_path(str(files("align.data") / f"{name}.align")))
    text = files("align.data") / f"{name}.md"
    summary, sections = _parse(text.read_text(encoding="utf-8") if text.is_file() else "")
    return ModelCard(
        name,
        kind,
        summary or f"A model of {kind}.",
        str(header.get("licence") or ""),
        sections,
        dict(header.get("training", {})),
        tuple(str(label) for label in header.get("labels", [])) if kind != "music" else (),
    )


def _parse(text: str) -> tuple[str, dict[str, str]]:
    """Split a card into its summary and its sections."""
    head, *rest = re.split(r"^## +", text, flags=re.M)
    summary = " ".join(re.sub(r"^# .*$", "", head, flags=re.M).split())
    sections = {}
    for part in rest:
        title, _, body = part.partition("\n")
        sections[title.strip()] = body.strip()
    return summary, sections


def speech_model(language: str) -> str:
    """Return the bundled model of speech that is taken for a language where none is named.

    Parameters
    ----------
    language : str
        Its code, such as ``en`` or ``de-AT``.

    Returns
    -------
    str
        The model of that language, or the one of any language.

    Examples
    --------
    >>> speech_model("en-GB"), speech_model("de"), speech_model("fr")
    ('speech-en', 'speech-de', 'speech-any')
    """
    own = f"speech-{language.lower().split('-')[0]}"
    return own if own in bundled_models() else "speech-any"


def music_model(score: StrPath) -> tuple[str, list[str]]:
    """Return the bundled model of music for the instruments that a score names.

    Parameters
    ----------
    score : path
        See `align.formats.scores.instruments`.

    Returns
    -------
    model : str
        ``"ensemble"`` where any instrument is bowed, blown or sung, or an organ; else ``"piano"``.
    names : list of str
        The instruments that show it, each once; none where the score does not say.

    Examples
    --------
    >>> music_model(str(files("align.data") / "minuet" / "score.mid"))
    ('piano', [])
    """
    found = score_instruments(score)
    for sound, model in (("sustained", "ensemble"), ("struck", USUAL_MUSIC)):
        names = [instrument.name for instrument in found if instrument.sound == sound]
        if names and model in bundled_models():
            return model, names
    return USUAL_MUSIC, []
