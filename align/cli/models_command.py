"""``align models``."""

import json

import click

from align.cli.console import message_options


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the cards as JSON.")
@message_options
def models(as_json: bool) -> None:
    """List the models that come with Align.

    `align info NAME` shows the card of one: training data, licence, accuracy, intended use.
    """
    from dataclasses import asdict

    from align.models.bundled import list_models

    cards = list_models()
    if as_json:
        click.echo(json.dumps([asdict(card) for card in cards], indent=1))
        return
    width = max((len(card.name) for card in cards), default=0) + 2
    for card in cards:
        click.echo(f"{card.name:<{width}}{card.summary}")
