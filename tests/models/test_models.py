"""The models that come with Align have cards, and the command line shows them."""

import json

import pytest
from click.testing import CliRunner

from align.cli import cli
from align.errors import ParameterError
from align.models.bundled import ModelCard, list_models, model_card
from align.models.loading import bundled_models

SECTIONS = ["Intended use", "Training data", "Accuracy"]


@pytest.mark.parametrize("name", bundled_models())
def test_every_bundled_model_has_a_whole_card(name: str) -> None:
    card = model_card(name)
    assert card.name == name
    assert list(card.sections) == SECTIONS, f"align/data/{name}.md"
    assert 30 < len(card.summary) < 110
    assert "\n" not in card.summary
    assert "recipes/" in card.sections["Accuracy"]
    assert card.licence
    assert "minutes" in card.trained_on
    for shown in (card.text(), card.markdown()):
        assert card.summary in shown
        assert all(title in shown for title in SECTIONS)
    assert card.licence in card.markdown()


def test_models_lists_them_a_line_each() -> None:
    result = CliRunner().invoke(cli, ["models"])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == bundled_models()
    assert [card.name for card in list_models()] == bundled_models()
    as_json = json.loads(CliRunner().invoke(cli, ["models", "--json"]).stdout)
    assert [card["name"] for card in as_json] == bundled_models()
    assert as_json[0]["sections"]["Accuracy"]


def test_info_shows_the_card_of_a_bundled_model() -> None:
    result = CliRunner().invoke(cli, ["info", "speech-en"])
    assert result.exit_code == 0
    assert "data licence:   Trained on the TIMIT sample" in result.stdout
    shown = result.stdout.partition("data licence")[2]
    assert all(f"\n{title}\n" in shown for title in SECTIONS)
    assert "`" not in shown


def test_a_model_without_a_text_has_a_card_too() -> None:
    card = ModelCard("plain", "speech", "A model of speech.", "")
    assert card.trained_on == ""
    assert card.text() == "A model of speech."
    assert "| licence of the training data | not stated |" in card.markdown()


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"name='nonsense', must be .* speech-en"):
        model_card("nonsense")
