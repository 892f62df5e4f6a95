"""Databases of EMU that a run writes: bundles, recordings, configuration, and going on."""

import json
from pathlib import Path

import pytest
import soundfile
from corpus_tools import write_recordings
from fault_workers import EvenAligner

import align
from align.batch.summary import CorpusRun
from align.errors import ParameterError
from align.formats import read_tiers

BUNDLES = ("ann_ses/u0_bndl/u0", "ann_ses/u1_bndl/u1", "bob_ses/u0_bndl/u0")


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return write_recordings(tmp_path / "in", {"ann": 2, "bob": 1})


def run(recordings: Path, out: str = "speech_emuDB", **options) -> CorpusRun:
    options.setdefault("formats", ["emuDB"])
    return align.align_corpus(recordings, recordings.parent / out, model=EvenAligner(), **options)


def test_a_corpus_becomes_a_database(recordings: Path) -> None:
    samples, rate = soundfile.read(recordings / "bob/u0.wav")
    (recordings / "bob/u0.wav").unlink()
    soundfile.write(recordings / "bob/u0.flac", samples, rate)
    done = run(recordings)
    assert done.aligned == BUNDLES
    assert done.failed == ()
    out = recordings.parent / "speech_emuDB"
    for name in BUNDLES:
        content = json.loads((out / f"{name}_annot.json").read_text())
        info = soundfile.info(out / f"{name}.wav")
        assert content["annotates"] == f"{name.rsplit('/', 1)[1]}.wav"
        assert (content["sampleRate"], info.format) == (info.samplerate, "WAV")
        assert read_tiers(out / f"{name}_annot.json").phones().labels[0] == "sil"
    sound = (recordings / "ann/u0.wav").read_bytes()
    assert (out / "ann_ses/u0_bndl/u0.wav").read_bytes() == sound
    assert (soundfile.read(out / f"{BUNDLES[2]}.wav")[0] == samples).all()  # of the flac
    config = json.loads((out / "speech_DBconfig.json").read_text())
    assert config["name"] == "speech"
    assert [level["name"] for level in config["levelDefinitions"]] == ["phones"]


def test_a_second_run_adds_and_keeps_what_was_set_by_hand(recordings: Path) -> None:
    run(recordings)
    path = recordings.parent / "speech_emuDB" / "speech_DBconfig.json"
    config = json.loads(path.read_text())
    config["EMUwebAppConfig"]["perspectives"][0]["name"] = "mine"
    config["levelDefinitions"] = []
    path.write_text(json.dumps(config))
    (recordings.parent / "speech_emuDB" / "ann_ses/u0_bndl/u0.wav").unlink()
    again = run(recordings)
    assert (again.aligned, again.unchanged) == (BUNDLES[:1], BUNDLES[1:])
    config = json.loads(path.read_text())
    assert config["EMUwebAppConfig"]["perspectives"][0]["name"] == "mine"
    assert [level["name"] for level in config["levelDefinitions"]] == ["phones"]
    before = path.read_bytes()
    run(recordings)
    assert path.read_bytes() == before


def test_a_damaged_configuration_is_named_and_kept(recordings: Path) -> None:
    run(recordings)
    path = recordings.parent / "speech_emuDB" / "speech_DBconfig.json"
    path.write_text('{"levelDefinitions": 3}')
    assert "is no configuration of an EMU database" in run(recordings).failed[0][1]
    assert path.read_text() == '{"levelDefinitions": 3}'


def test_bundles_of_one_name_and_folders_of_other_names(recordings: Path) -> None:
    (recordings / "ann").rename(recordings / "a_b")
    (recordings / "a").mkdir()
    (recordings / "bob").rename(recordings / "a/b")
    done = run(recordings)
    assert len(done.aligned) == 2
    assert "would be the same bundle as" in done.failed[0][1]
    with pytest.raises(ParameterError, match=r"a name that ends in _emuDB, such as out_emuDB"):
        run(recordings, "out")
    with pytest.raises(ParameterError, match="send_files must be off"):
        run(recordings, send_files=True)
    with pytest.raises(ParameterError, match="emuDB is for speech"):
        run(recordings, kind="music")
