"""Annotations of EMU: round trips, links from words to phones, databases, and damaged files."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from align.errors import DataError, ParameterError
from align.formats import read_labels, read_tiers, write_labels, write_tiers
from align.formats.emu_database import write_emu_database
from align.formats.tiers.tier import Tier, Tiers
from align.results.alignment import Alignment

TEXTS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=5)


def interval_tier(name: str, labels: list[str], bounds: list[float]) -> Tier:
    return Tier(name, "interval", tuple(labels), tuple(pairwise(bounds)), (), bounds[-1])


WORDS = interval_tier("words", ["", "the", "kiwi", ""], [0, 0.2, 0.35, 0.9, 1.2])
PHONES = interval_tier(
    "phones", ["", "dh", "ax", "k", "iy", ""], [0, 0.2, 0.25, 0.35, 0.5, 0.9, 1.2]
)
BOTH = Tiers((WORDS, PHONES), 1.2, rate=8000)


@given(names=st.lists(TEXTS, min_size=1, max_size=3, unique=True), data=st.data())
def test_every_tier_survives_the_way_to_emu_and_back(tmp_path_factory, names, data) -> None:
    tiers = []
    rate = data.draw(st.sampled_from([8000, 16000, 44100]))
    for name in names:
        n = data.draw(st.integers(1, 5))
        steps = data.draw(st.lists(st.integers(1, 10**6), min_size=n, max_size=n))
        texts = data.draw(st.lists(TEXTS, min_size=n, max_size=n))
        bounds = (np.cumsum([0, *steps]) / rate).tolist()
        if data.draw(st.booleans()):
            times = tuple((at, at) for at in bounds[1:])
            tiers.append(Tier(name, "point", tuple(texts), times, (), bounds[-1]))
        else:
            tiers.append(interval_tier(name, texts, bounds))
    whole = Tiers(tuple(tiers), max(tier.end for tier in tiers), rate=rate)
    path = tmp_path_factory.mktemp("emu") / "a_annot.json"
    write_tiers(path, whole)
    for mine, back in zip(whole, read_tiers(path), strict=True):
        assert (back.name, back.kind, back.labels) == (mine.name, mine.kind, mine.labels)
        np.testing.assert_allclose(back.times, mine.times, atol=1e-9)


def test_words_are_linked_to_their_phones(tmp_path: Path) -> None:
    write_tiers(tmp_path / "kiwi_annot.json", BOTH)
    content = json.loads((tmp_path / "kiwi_annot.json").read_text())
    assert [*content] == ["name", "annotates", "sampleRate", "levels", "links"]
    assert (content["name"], content["annotates"], content["sampleRate"]) == (
        *("kiwi", "kiwi.wav", 8000),
    )
    words, phones = content["levels"]
    label = {item["id"]: item["labels"][0]["value"] for item in words["items"] + phones["items"]}
    assert len(label) == 10  # ids are not used twice
    linked = [(label[link["fromID"]], label[link["toID"]]) for link in content["links"]]
    assert linked == [("the", "dh"), ("the", "ax"), ("kiwi", "k"), ("kiwi", "iy")]
    for one, following in pairwise(phones["items"]):
        assert one["sampleStart"] + one["sampleDur"] + 1 == following["sampleStart"]


def test_items_without_times_have_those_of_what_they_are_linked_to(tmp_path: Path) -> None:
    path = tmp_path / "kiwi_annot.json"
    write_tiers(path, BOTH)
    content = json.loads(path.read_text())
    content["levels"][0]["type"] = "ITEM"
    for item in content["levels"][0]["items"]:
        del item["sampleStart"], item["sampleDur"]
    path.write_text(json.dumps(content))
    words = read_tiers(path).words()
    assert words is not None
    assert words.labels == ("the", "kiwi")
    assert words.times == ((0.2, 0.35), (0.35, 0.9))


def test_one_tier_and_a_result(tmp_path: Path) -> None:
    path = tmp_path / "A_ANNOT.JSON"
    write_labels(path, Alignment(["sil", "k"], [0.0, 0.1], duration=0.5, rate=8000))
    assert read_labels(path, tier="phones").labels == ("sil", "k")
    with pytest.raises(DataError, match="has no interval tier 'x'"):
        read_labels(path, tier="x")
    assert json.loads(path.read_text())["name"] == "A"


def test_samples_are_those_of_the_recording(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(22050), 44100)
    found = Alignment(["a", "b"], [0.0, 0.25], 0.5, audio=str(tmp_path / "a.wav"), rate=16000)
    write_labels(tmp_path / "a_annot.json", found)
    content = json.loads((tmp_path / "a_annot.json").read_text())
    assert content["sampleRate"] == 44100
    assert content["levels"][0]["items"][1]["sampleStart"] == 11025
    assert read_labels(tmp_path / "a_annot.json").onsets.tolist() == [0.0, 0.25]


def test_a_database_has_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    tiers = Tiers((WORDS, PHONES), 1.2, audio=str(tmp_path / "a.wav"), rate=8000)
    path = write_emu_database(tmp_path / "fruit_emuDB", {"kiwi": tiers})
    inner = tmp_path / "fruit_emuDB" / "0000_ses" / "kiwi_bndl"
    assert {p.name for p in inner.iterdir()} == {"kiwi_annot.json", "kiwi.wav"}
    config = json.loads(path.read_text())
    assert path.name == "fruit_DBconfig.json"
    assert config["name"] == "fruit"
    assert [level["type"] for level in config["levelDefinitions"]] == ["SEGMENT", "SEGMENT"]
    assert config["linkDefinitions"] == [
        {"type": "ONE_TO_MANY", "superlevelName": "words", "sublevelName": "phones"}
    ]
    with pytest.raises(DataError, match="exists"):
        write_emu_database(tmp_path / "fruit_emuDB", {"kiwi": tiers})
    with pytest.raises(ParameterError, match="_emuDB"):
        write_emu_database(tmp_path / "fruit", {"kiwi": tiers})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": 3}, 'no list "levels"'),
        ({"sampleRate": 0}, "sampleRate is 0 Hz"),
        ({"sampleRate": True}, '"sampleRate" of the annotation is True'),
        ({"levels": []}, "no level with times"),
        ({"levels": [{"name": "a"}]}, 'no list "items"'),
        ({"levels": [{"name": "a", "items": [{"id": 1}]}]}, "item 1 of level 'a' has no label"),
        ({"links": [{"fromID": 1}]}, '"toID" of a link is None'),
    ],
)
def test_damaged_files(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "kiwi_annot.json"
    write_tiers(path, BOTH)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(DataError, match=message):
        read_tiers(path)


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    path = tmp_path / "kiwi_annot.json"
    write_tiers(path, BOTH)
    content = json.loads(path.read_text())
    items = [{"id": key, "labels": [{"name": "x", "value": "x"}]} for key in (98, 99)]
    content["levels"].append({"name": "x", "type": "ITEM", "items": items})
    content["links"] += [{"fromID": 99, "toID": 98}, {"fromID": 98, "toID": 99}]
    path.write_text(json.dumps(content))
    assert len(read_tiers(path)) == 2


def test_a_link_to_what_does_not_exist_is_told(tmp_path: Path) -> None:
    path = tmp_path / "kiwi_annot.json"
    write_tiers(path, BOTH)
    content = json.loads(path.read_text())
    content["links"].append({"fromID": 2, "toID": 77})
    path.write_text(json.dumps(content))
    assert len(read_tiers(path)) == 2  # words have times of their own
    content["levels"][0]["type"] = "ITEM"
    for item in content["levels"][0]["items"]:
        del item["sampleStart"], item["sampleDur"]
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"item 2 of level 'words' \('the'\) is linked to item 77"):
        read_tiers(path)


def test_without_labels_the_length_of_the_recording_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "kiwi_annot.json"
    write_tiers(path, Tiers((Tier("words", "interval", (), (), (), 1.2),), 1.2))
    grid = tmp_path / "a.TextGrid"
    with pytest.raises(DataError, match=r"kiwi_annot.json: .* how long .*\(--audio\)"):
        write_tiers(grid, read_tiers(path))
    write_tiers(grid, read_tiers(path, duration=1.2))
    assert read_tiers(grid).duration == 1.2
