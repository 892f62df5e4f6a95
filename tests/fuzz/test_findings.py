"""What fuzzing and reading with hostile eyes found, each with the smallest input that shows it."""

import json
import re
import struct
import time
from pathlib import Path

import make
import pytest
import seeds
import signed

import align
from align.errors import AlignError, DataError, ModelError
from align.features.sound.audio import read_audio
from align.formats import read_labels
from align.formats.scores import read_score
from align.formats.tiers.textgrid import parse_textgrid
from align.speech.text.reading.normalise import split_words

PACKAGE = Path(align.__file__).parent
SPEECH = make.HERE / align.__version__ / "speech-thesis.align"
MUSIC = make.HERE / align.__version__ / "music.align"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


# Numbers beyond all floats were infinite, and then no whole numbers -----------------------------


def test_a_textgrid_of_1e999_labels() -> None:
    short = '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "p" 0 1 1e999'
    with pytest.raises(DataError, match=r"line 1: the size of tier 'p' is '1e999', beyond any n"):
        parse_textgrid(short, "a.TextGrid")


@pytest.mark.parametrize("row", ["0,1e999", "1e999,60", "0,60,1e999"])
def test_a_note_of_pitch_1e999(row: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is '1e999', beyond any number"):
        read_score(write(tmp_path / "a.csv", row + "\n"))


def test_messages_stay_short(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="which is not a number") as caught:
        read_labels(write(tmp_path / "a.csv", "start,end,label\n" + "9x" * 10_000 + ",1,a\n"))
    assert len(str(caught.value)) < 400


def test_more_samples_than_a_float_can_count(tmp_path: Path) -> None:
    (sphere,) = seeds.seeds("sphere")
    found = re.search(rb"sample_count -i [0-9]+", sphere)
    assert found is not None
    count = b"sample_count -i " + b"9" * 400
    head = sphere[: found.start()] + count + sphere[found.end() :].replace(b" " * 400, b"", 1)
    (tmp_path / "a.sph").write_bytes(head)
    with pytest.raises(DataError, match=r"a\.sph: it is truncated: its header declares"):
        read_audio(tmp_path / "a.sph")


# Texts ------------------------------------------------------------------------------------------


def test_more_dollars_than_python_turns_into_a_number() -> None:
    words = split_words("$" + "1" * 5000 + " $1 $2")
    assert words[-5:] == ("dollars", "one", "dollar", "two", "dollars")


def test_marks_in_brackets_still_are_one_word() -> None:
    assert split_words("well [loud laughter] then") == ("well", "[loud laughter]", "then")


# Models of a stranger who signs them ------------------------------------------------------------


def changed(path: Path, where: Path, **params: object) -> Path:
    """Write a model file again, signed, with other parameters."""
    from align.files.model_file import read_model

    kind, header, arrays = read_model(path)
    header = json.loads(json.dumps(header))
    header["params"].update(params)
    signed.signed(str(where), kind, header, arrays)
    return where


@pytest.mark.parametrize("path", ["../../secret.csv", "secret.csv", "", "timit48/.."])
def test_a_model_names_no_file(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "secret.csv", "a,b\n")
    with pytest.raises(ModelError, match=r"phone_map is .*must be one of timit48"):
        align.load(changed(SPEECH, tmp_path / "m.align", phone_map=path))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rate": 0}, "rate is 0, must be in 1\\.\\.1e"),
        ({"rate": [1]}, r"rate is \[1\], must be a number"),
        ({"rate": True}, "rate is True, must be a number"),
        ({"hop": 1e-320}, "hop is .*, must be in 0.0001"),
        ({"max_length_factor": {}}, "max_length_factor is {}, must be a number"),
        ({"max_length_factor": 1e99}, r"max_length_factor is 1e\+99, must be in"),
        ({"phone_map": {"a": {}}}, "phone_map must map labels to phones"),
        ({"features": "default"}, "features must be a list of names"),
        ({"rate": 1e308}, r"has a number beyond 1e\+100"),
        ({"nonsense": 1}, "incomplete or damaged"),
    ],
)
def test_parameters_of_a_model_are_checked(
    params: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match=message):
        align.load(changed(SPEECH, tmp_path / "m.align", **params))


@pytest.mark.parametrize("params", [{"repeats": "some"}, {"rate": "x"}, {"features": "no"}])
def test_parameters_of_a_model_of_music_are_checked(
    params: dict[str, object], tmp_path: Path
) -> None:
    with pytest.raises(ModelError, match="incomplete or damaged"):
        align.load(changed(MUSIC, tmp_path / "m.align", **params))


@pytest.mark.parametrize(
    ("feature", "params"),
    [
        ("phone_confidence", {"label_map": {"aa": []}}),
        ("spectral_distance", {"scales": [1 << 70]}),
        ("spectral_distance", {"scales": [0.0, float(10**9)]}),
        ("duration", {"classes": {"aa": {}}}),
    ],
)
def test_states_of_features_are_checked(
    feature: str, params: dict[str, object], tmp_path: Path
) -> None:
    from align.files.model_file import read_model

    kind, header, arrays = read_model(SPEECH)
    header = json.loads(json.dumps(header))
    states = {state["name"]: state["params"] for state in header["features"]}
    assert feature in states
    states[feature].update(params)
    signed.signed(str(tmp_path / "m.align"), kind, header, arrays)
    with pytest.raises(ModelError, match=f"feature '{feature}' is damaged"):
        align.load(tmp_path / "m.align")


@pytest.mark.parametrize("member", [0, 1])
def test_a_stored_member_whose_compressed_size_lies(member: int, tmp_path: Path) -> None:
    """Found by the fuzzer: reading it asked for 2 GiB, from a file of a few kilobytes."""
    data = bytearray(MUSIC.read_bytes())
    at = -1
    for _ in range(member + 1):
        at = data.index(b"PK\x01\x02", at + 1)
    data[at + 20 : at + 24] = struct.pack("<I", 0x7FFFFFF0)
    (tmp_path / "m.align").write_bytes(data)
    with pytest.raises(ModelError, match="declares more data than it holds"):
        align.load(tmp_path / "m.align")


# Manifests --------------------------------------------------------------------------------------


def test_outputs_of_a_manifest_stay_in_their_folder(tmp_path: Path) -> None:
    from align.batch.speech_work import SpeechWork

    rows = ["audio,labels", "../../a/b.wav,../../a/b.phones", "/x/../c.wav,/x/../c.phones"]
    path = write(tmp_path / "list.csv", "\n".join(rows) + "\n")
    tasks, _ = SpeechWork().find(str(path))
    assert len(tasks) == 2
    for task in tasks:
        assert not Path(task.name).is_absolute()
        assert ".." not in Path(task.name).parts


def test_a_manifest_of_nonsense_is_a_list_of_problems(tmp_path: Path) -> None:
    rows = ["audio,labels", "x" * 5000 + ".wav,a.phn", "\u202e.wav,.", "nul,con"]
    with pytest.raises(AlignError, match="no recording can be used"):
        align.read_corpus(write(tmp_path / "list.csv", "\n".join(rows) + "\n"))


# Nothing is executed ----------------------------------------------------------------------------

FORBIDDEN = re.compile(
    r"\b(?:import|from)\s+(?:pickle|dill|marshal|shelve|yaml)\b|pickle\.load|yaml\.(?:unsafe_)?load"
    r"|allow_pickle\s*=\s*True|shell\s*=\s*True|(?<![\w.])(?:eval|exec)\(|os\.(?:system|popen)\("
    r"|joblib\.load\(|new Function\(|document\.write\("
)


def test_no_line_of_the_package_can_execute_what_it_reads() -> None:
    found = []
    for top in (PACKAGE, PACKAGE / "features", PACKAGE / "decoders"):
        for path in sorted(top.rglob("*")):
            if path.suffix not in (".py", ".js", ".html"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
                if FORBIDDEN.search(line):
                    found.append(f"{path.relative_to(PACKAGE)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


# Bars of no length, which partitura lays out for ever --------------------------------------------


@pytest.mark.parametrize("signature", ["0/4", "[0/4]", " 00 / 8"])
def test_a_match_file_whose_bars_have_no_length(tmp_path: Path, signature: str) -> None:
    pytest.importorskip("partitura")
    path = write(
        tmp_path / "a.match",
        "info(matchFileVersion,1.0.0).\ninfo(midiClockUnits,4000).\ninfo(midiClockRate,500000).\n"
        f"scoreprop(timeSignature,{signature},1:1,0,0.0000).\n"
        "snote(n1,[C,n],4,1:1,0,1/4,0.0000,1.0000,[v1])-note(0,60,0,500,64,0,1).\n",
    )
    with pytest.raises(DataError, match=r"a\.match: has a time signature of 0 beats"):
        read_score(path)


@pytest.mark.parametrize("beat", ["11_00000", "1e9", " 40001.5", "inf"])
def test_a_match_file_with_a_note_beyond_all_scores(tmp_path: Path, beat: str) -> None:
    """Partitura lays out every bar on the way there."""
    pytest.importorskip("partitura")
    lines = (
        "info(matchFileVersion,1.0.0).\ninfo(midiClockUnits,4000).\ninfo(midiClockRate,500000).\n"
        "scoreprop(timeSignature,4/4,1:1,0,0.0000).\n"
        "snote(n1,[C,n],4,1:1,0,1/4,0.0000,1.0000,[v1])-note(0,60,0,500,64,0,1).\n"
        "snote(n2,[E,b],4,1:2,0,1/4,{},2.0000,[v1])-deletion.\n"
    )
    path = write(tmp_path / "a.match", lines.format(beat))
    with pytest.raises(DataError, match=r"a\.match, line 6: has a note at beat .*, and no score"):
        read_score(path)


@pytest.mark.parametrize("line", ["snote(n1,[C,n]" + 8 * ("," + 3000 * " "), 2_000 * "snote(]"])
def test_a_long_line_of_a_match_file_is_searched_once(tmp_path: Path, line: str) -> None:
    pytest.importorskip("partitura")
    path = write(tmp_path / "a.match", f"info(matchFileVersion,1.0.0).\n{line}\n")
    begin = time.process_time()
    with pytest.raises(DataError, match=r"a\.match: "):
        read_score(path)
    assert time.process_time() - begin < 5


# Lines that partitura does not know and prints, where results of `-o -` go -----------------------


def test_a_match_file_with_an_unknown_line_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("partitura")
    path = write(
        tmp_path / "a.match",
        "info(matchFileVersion,1.0.0).\ninfo(unknown,x).\ninfo(midiClockUnits,4000).\n"
        "info(midiClockRate,500000).\nscoreprop(timeSignature,4/4,1:1,0,0.0000).\n"
        "snote(n1,[C,n],4,1:1,0,1/4,0.0000,1.0000,[v1])-note(0,60,0,500,64,0,1).\n",
    )
    assert len(read_score(path)) == 1
    assert capfd.readouterr().out == ""
