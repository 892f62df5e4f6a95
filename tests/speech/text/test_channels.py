"""Speakers with a channel each are found on their own, also where they speak at once."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner
from kiwi_text import KIWI, TEXT, WORDS

import align
from align.batch.speech_work import SpeechWork
from align.cli import cli
from align.errors import ParameterError
from align.speech.text import Utterance, align_text
from align.speech.text.channels import on_own_channels
from align.speech.text.tiers import TextAlignment

LATE = 1.5  # seconds by which Bob begins behind Ann
CHANNELS = {"Ann": 1, "Bob": 2}


@pytest.fixture(scope="module")
def call(tmp_path_factory):
    """A call of two who say the same at once, and its transcript."""
    folder = tmp_path_factory.mktemp("call")
    samples, rate = soundfile.read(KIWI, dtype="float32")
    hush = np.random.default_rng(0).normal(0, 1e-4, round(LATE * rate)).astype(np.float32)
    ann, bob = np.concatenate([samples, hush]), np.concatenate([hush, samples])
    soundfile.write(folder / "call.wav", np.stack([ann, bob], axis=1), rate)
    end = len(ann) / rate
    rows = [f"Ann: {TEXT}", f"Bob: {TEXT}"]
    (folder / "call.txt").write_text("\n".join(rows), encoding="utf-8")
    return folder / "call.wav", [Utterance(TEXT, 0.0, end, who, loose=True) for who in CHANNELS]


def starts(tiers):
    return [t for w, t in zip(tiers.words.labels, tiers.words.onsets, strict=True) if w != "sil"]


def test_each_speaker_is_found_on_their_channel(call):
    audio, said = call
    found = align_text("speech-en", audio, said, dictionary=WORDS, channels=CHANNELS)
    assert list(found.speakers) == ["Ann", "Bob"]
    ann, bob = (np.array(starts(found.speakers[name])) for name in CHANNELS)
    alone = np.array(starts(align_text("speech-en", KIWI, TEXT, dictionary=WORDS)))
    assert np.abs(ann - alone).max() < 0.03  # the hush is other silence than theirs
    assert np.abs(bob - LATE - alone).max() < 0.03
    assert found.match > 0.9
    assert {u.speaker for u in found.utterances} == {"Ann", "Bob"}


@pytest.mark.parametrize(("match", "loose"), [(0.9, True), (0.2, False)])
def test_turns_without_times_are_looked_for_in_the_mean_first(match, loose):
    said = [Utterance("a", speaker="Ann"), Utterance("b", speaker="Bob")]
    asked = []

    def align_one(audio, turns):
        asked.append((audio, list(turns)))
        if isinstance(audio, str):
            timed = tuple(replace(turn, start=k, end=k + 1) for k, turn in enumerate(turns))
            return SimpleNamespace(utterances=timed, match=match)
        return TextAlignment({}, (), (), ())

    on_own_channels(align_one, "call.wav", said, CHANNELS)
    assert [turns for _, turns in asked[1:]] == [
        [replace(turn, start=k, end=k + 1, loose=True) if loose else turn]
        for k, turn in enumerate(said)
    ]


def test_what_has_no_channel_is_said(call):
    audio, said = call
    with pytest.raises(ParameterError, match=r"no channel is named for 'Bob' of .*call\.wav"):
        align_text("speech-en", audio, said, channels={"Ann": 1})
    for sound, text in ((audio, TEXT), (align.Channel(audio, 1), said), (np.zeros(9), said)):
        with pytest.raises(ParameterError, match="are for a file with several of them, and"):
            align_text("speech-en", sound, text, rate=16000, channels=CHANNELS)
    with pytest.raises(ParameterError, match="a session shows one channel"):
        align.Session("speech-en", audio.parent, audio.parent / "out", channel=CHANNELS)


def test_a_corpus_and_a_command_take_the_channels_of_speakers(call, tmp_path):
    audio, _ = call
    work = SpeechWork(channel=CHANNELS)
    (task,), problems = work.find(str(audio.parent))
    assert not problems
    assert work.options()["channels"] == CHANNELS
    found = work.align(align.load("speech-en"), task)
    assert list(found.speakers) == ["Ann", "Bob"]
    out = tmp_path / "a.csv"
    words = ["speech", str(audio), "--text", "--channel", "Ann=1", "--channel", "Bob=2"]
    result = CliRunner().invoke(cli, [*words, "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert ",Ann," in out.read_text()
    refused = {
        "Ann=0": "is no channel",
        "x": "is no channel",
        "3": "give one channel, or one for each speaker",
    }
    for value, why in refused.items():
        result = CliRunner().invoke(cli, [*words, "--channel", value, "-o", str(out)])
        assert result.exit_code == 2
        assert why in result.output
    phones = ["speech", str(KIWI), "--phones", "sil k iy", "--channel", "Ann=1"]
    result = CliRunner().invoke(cli, [*phones, "-o", str(tmp_path / "b.csv")])
    assert result.exit_code == 2
    assert "is for speakers of --text" in result.output
