"""The page in a browser: play, click, drag, save, keys, themes, and labels that are attacks."""

import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import soundfile
from devtools import CTRL, SHIFT, Browser, find_browser

import align
from align.formats.tiers.textgrid import Tier, format_textgrid, parse_textgrid
from align.results.alignment import Alignment
from align.results.music import MusicAlignment
from align.show.page import Recording, read_recordings, write_page
from align.types import Mismatch, Note

EXECUTABLE = find_browser()

pytestmark = [
    pytest.mark.tutorials,  # with the other pages, in a step of its own
    pytest.mark.skipif(
        EXECUTABLE is None, reason="needs Chromium or Chrome; ALIGN_BROWSER may name it"
    ),
]

ROW = 34
ATTACKS = (
    "<script>window.hit=1</script>",
    "</script><img src=x onerror='window.hit=2'>",
    "<!--<script>",
    '"><svg onload=window.hit=3>',
    "a&lt;b\u2028'",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    assert EXECUTABLE is not None
    with Browser(EXECUTABLE, tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The bundled recording, with words above its phones and confidences in a table."""
    data = Path(str(files("align.data")))
    shutil.copy(data / "kiwi.flac", tmp_path)
    truth = Alignment.from_labels(data / "kiwi.TextGrid")
    edges = truth.onsets[[0, 3, 9, 20]]
    words = np.stack((edges, np.append(edges[1:], truth.duration)), axis=1)
    tiers = {
        "words": (["", "one", "two", "three"], words),
        "phones": (truth.labels, truth.intervals),
    }
    (tmp_path / "kiwi.TextGrid").write_text(format_textgrid(tiers, truth.duration))
    return tmp_path


def page_of(folder: Path, *names: str) -> Path:
    recordings = read_recordings([folder / name for name in names])
    write_page(recordings, folder / "page.html", overwrite=True)
    return folder / "page.html"


def at(browser: Browser, time: float, row: int) -> tuple[float, float]:
    """Where a time stands on the screen, in a tier."""
    x, y = browser.run(
        "(() => { const b = document.getElementById('pane').getBoundingClientRect();"
        f" return [b.x + alignPage.xOf({time}), b.y + alignPage.rowTop({row}) + {ROW / 2}]; }})()"
    )
    return x, y


def edges(browser: Browser, row: int) -> list[float]:
    found: list[float] = browser.run(f"alignPage.view.recording.tiers[{row}].edges")
    return found


def test_it_opens_and_shows_what_the_files_hold(browser: Browser, folder: Path) -> None:
    browser.open(page_of(folder, "kiwi.TextGrid"))
    browser.run("alignPage.settled()")
    tiers = parse_textgrid((folder / "kiwi.TextGrid").read_text())
    shown = browser.run("alignPage.view.recording.tiers")
    assert [tier["name"] for tier in shown] == ["words", "phones"]
    for tier, there in zip(tiers, shown, strict=True):
        assert there["labels"] == list(tier.labels)
        assert there["edges"] == [*(start for start, _ in tier.times), tier.end]
    info = soundfile.info(folder / "kiwi.flac")
    samples, rate = browser.run("[alignPage.view.sound.samples.length, alignPage.view.sound.rate]")
    assert (samples, rate) == (info.frames, info.samplerate)
    # The canvas is not blank: the spectrogram has many shades.
    shades = browser.run(
        "(() => { const c = document.getElementById('picture');"
        " const d = c.getContext('2d').getImageData(70, 90, 600, 200).data;"
        " return new Set(d).size; })()"
    )
    assert shades > 50
    assert browser.complaints() == []


def test_the_sound_keeps_its_time(browser: Browser, tmp_path: Path) -> None:
    """What the browser decodes from Vorbis stands where the recording has it, to the sample."""
    rate = 16000
    samples = np.zeros(2 * rate)
    samples[[8000, 20000]] = 0.9
    found = Recording(Alignment(["a", "b"], [0.0, 0.5], 2.0), "clicks", samples, rate)
    write_page(found, tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    peak = (
        "(c) => c - 500 + alignPage.view.sound.samples.slice(c - 500, c + 500)"
        ".reduce((m, x, i, s) => (x > s[m] ? i : m), 0)"
    )
    assert browser.run(f"[8000, 20000].map({peak})") == [8000, 20000]


def test_playing(browser: Browser, folder: Path) -> None:
    browser.open(page_of(folder, "kiwi.TextGrid"))
    browser.click_on("#play")
    browser.wait("alignPage.player.playing && alignPage.player.position() > 0.15")
    assert browser.run("document.getElementById('play').textContent") == "Stop"
    browser.press(" ")  # on the button: presses it
    browser.wait("!alignPage.player.playing")
    stood = browser.run("alignPage.player.position()")
    assert stood > 0.15
    assert browser.run("alignPage.player.position()") == stood
    assert browser.run("document.getElementById('clock').textContent").startswith(f"{stood:.3f}")


def test_a_click_on_a_label_lets_it_be_heard(browser: Browser, folder: Path) -> None:
    browser.open(page_of(folder, "kiwi.TextGrid"))
    times = edges(browser, 1)
    k = int(np.argmax(np.diff(times[:20])[3:]) + 3)
    browser.click(*at(browser, (times[k] + times[k + 1]) / 2, 1))
    assert browser.run("alignPage.state.choice") == {"tier": 1, "k": k}
    assert browser.run("alignPage.player.heard") == [times[k], times[k + 1]]
    browser.wait("!alignPage.player.playing")  # at the end of the label
    assert browser.run("alignPage.player.position()") == times[k]
    label = browser.run(f"alignPage.view.recording.tiers[1].labels[{k}]")
    assert browser.run("document.getElementById('detail').textContent").startswith(
        f"\u2068{label}\u2069: "
    )


def test_dragging_saving_and_training_on_it(browser: Browser, folder: Path) -> None:
    """A correction goes all the way: page, TextGrid, corpus."""
    browser.open(page_of(folder, "kiwi.TextGrid"))
    before = edges(browser, 1)
    words = edges(browser, 0)
    k = before.index(words[1])  # a word begins with this phone
    x, y = at(browser, before[k], 1)
    to, _ = at(browser, before[k] + 0.02, 1)
    browser.drag(x, y, to)
    moved = edges(browser, 1)
    assert moved[k] == pytest.approx(before[k] + 0.02, abs=0.003)
    assert moved[:k] + moved[k + 1 :] == before[:k] + before[k + 1 :]
    assert edges(browser, 0)[1] == moved[k]  # the word moved with it
    assert "not saved" in browser.run("document.getElementById('status').textContent")

    saved = browser.saved("kiwi.TextGrid", lambda: browser.click_on("#save-textgrid"))
    assert browser.run("document.getElementById('status').textContent") == ""
    original = parse_textgrid((folder / "kiwi.TextGrid").read_text())
    tiers = parse_textgrid(saved.read_text())
    assert [t.name for t in tiers] == ["words", "phones"]
    for old, new in zip(original, tiers, strict=True):
        assert new.labels == old.labels
        assert new.end == old.end
    starts = [start for start, _ in tiers[1].times]
    assert starts == moved[:-1]  # to the last digit, moved or not

    shutil.copy(saved, folder / "kiwi.TextGrid")
    corpus = align.read_corpus(folder)
    assert corpus.problems == []
    assert np.array_equal(corpus[0].onsets, moved[:-1])

    table = browser.saved("kiwi.csv", lambda: browser.click_on("#save-csv"))
    (folder / "kiwi.TextGrid").unlink()
    shutil.copy(table, folder / "kiwi.csv")
    again = align.read_corpus(folder)
    assert again.problems == []
    assert again[0].events == corpus[0].events
    assert np.allclose(again[0].onsets, moved[:-1], atol=1e-6)
    assert browser.complaints() == []


def labels(browser: Browser, row: int) -> list[str]:
    found: list[str] = browser.run(f"alignPage.view.recording.tiers[{row}].labels")
    return found


def middle(browser: Browser, row: int, k: int) -> tuple[float, float]:
    times = edges(browser, row)
    return at(browser, (times[k] + times[k + 1]) / 2, row)


def test_labels_can_be_changed(browser: Browser, folder: Path) -> None:
    browser.open(page_of(folder, "kiwi.TextGrid"))
    before = labels(browser, 1)
    field = "document.getElementById('label-field')"
    assert browser.run(f"{field}.hidden")
    browser.double_click(*middle(browser, 1, 3))
    assert not browser.run(f"{field}.hidden")
    assert browser.run(f"{field}.value") == before[3]
    assert browser.run(f"document.activeElement === {field}")
    browser.write("zz")
    assert labels(browser, 1) == before  # not before it is entered
    browser.press("Enter")
    assert browser.run(f"{field}.hidden")
    assert labels(browser, 1) == [*before[:3], "zz", *before[4:]]
    assert browser.run("document.getElementById('detail').textContent").startswith(
        "\u2068zz\u2069: "
    )
    assert "not saved" in browser.run("document.getElementById('status').textContent")

    browser.press("z", CTRL)
    assert labels(browser, 1) == before
    browser.press("z", CTRL | SHIFT)
    assert labels(browser, 1)[3] == "zz"

    browser.press("e")  # the keys: change, give up, on to the next, empty
    browser.write("not this")
    browser.press("Escape")
    assert labels(browser, 1)[3] == "zz"
    browser.press("F2")
    browser.write("  y y ")
    browser.press("Tab")
    browser.write("ʃ")
    browser.press("Tab", SHIFT)
    assert browser.run(f"{field}.value") == "y y"
    browser.press("Escape")
    assert labels(browser, 1)[3:5] == ["y y", "ʃ"]
    browser.press("ArrowUp")
    browser.press("e")
    browser.write("kiwi")
    browser.click(*at(browser, edges(browser, 1)[3] + 0.03, 1))  # elsewhere: entered
    assert "kiwi" in labels(browser, 0)
    assert browser.run(f"{field}.hidden")
    assert browser.complaints() == []

    shown = [labels(browser, 0), labels(browser, 1)]
    saved = browser.saved("kiwi.TextGrid", lambda: browser.press("s"))
    assert [list(tier.labels) for tier in parse_textgrid(saved.read_text())] == shown
    table = browser.saved("kiwi.csv", lambda: browser.click_on("#save-csv"))
    assert list(Alignment.from_labels(table).labels) == [label for label in shown[1] if label]


def test_changed_labels_are_text_whatever_they_hold(browser: Browser, folder: Path) -> None:
    """On the page, in the list of what to check, and in both files."""
    found = Alignment.from_labels(folder / "kiwi.TextGrid")
    unsure = {"confidence": np.full(len(found), 0.1), "audio": str(folder / "kiwi.flac")}
    doubtful = Alignment(found.labels, found.onsets, found.duration, **unsure)
    doubtful.to_json(folder / "kiwi.json")
    browser.open(page_of(folder, "kiwi.json"))
    attacks = [attack.replace("\u2028", "") for attack in ATTACKS]
    hostile = [*attacks, 'a"b', "a,b;c", "=1+1", "'"]
    for text in hostile:
        before = browser.run("alignPage.state.choice?.k ?? -1")
        browser.press("n")
        browser.wait(f"(alignPage.state.choice?.k ?? -1) !== {before}")
        browser.press("e")
        browser.write(text)
        browser.press("Enter")
    shown = labels(browser, 0)
    assert set(hostile) <= set(shown)
    listed = "[...document.querySelectorAll('#doubts .label')].map((e) => e.textContent)"
    assert set(hostile) <= set(browser.run(listed))
    browser.run("alignPage.settled()")
    assert browser.run("window.hit") is None
    assert browser.run("document.querySelectorAll('img, svg').length") == 0
    assert browser.complaints() == []
    saved = browser.saved("kiwi.TextGrid", lambda: browser.press("s"))
    assert list(parse_textgrid(saved.read_text())[0].labels) == shown
    table = browser.saved("kiwi.csv", lambda: browser.click_on("#save-csv"))
    assert list(Alignment.from_labels(table).labels) == shown


def test_a_boundary_stays_between_its_neighbours(browser: Browser, folder: Path) -> None:
    browser.open(page_of(folder, "kiwi.TextGrid"))
    before = edges(browser, 1)
    x, y = at(browser, before[5], 1)
    browser.drag(x, y, x + 300)
    assert edges(browser, 1)[5] == pytest.approx(before[6] - 0.001, abs=1e-6)
    browser.press("z", CTRL)
    assert edges(browser, 1) == before
    browser.press("z", CTRL | SHIFT)
    assert edges(browser, 1)[5] == pytest.approx(before[6] - 0.001, abs=1e-6)
    browser.click_on("#undo")
    assert edges(browser, 1) == before
    words = edges(browser, 0)
    k = before.index(words[1])
    x, y = at(browser, before[k], 1)
    browser.drag(x, y, at(browser, before[k] + 0.01, 1)[0], SHIFT)  # alone
    assert edges(browser, 1)[k] > before[k]
    assert edges(browser, 0) == words
    browser.press("z", CTRL)
    assert browser.run("document.getElementById('status').textContent") == ""


def test_keys(browser: Browser, folder: Path) -> None:
    browser.open(page_of(folder, "kiwi.TextGrid"))
    browser.press("ArrowRight")
    assert browser.run("alignPage.state.choice") == {"tier": 1, "k": 0}
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert browser.run("alignPage.state.choice") == {"tier": 1, "k": 2}
    browser.press("ArrowLeft")
    assert browser.run("alignPage.state.choice") == {"tier": 1, "k": 1}
    before = edges(browser, 1)
    browser.press(".")
    assert edges(browser, 1)[1] == pytest.approx(before[1] + 0.001, abs=1e-9)
    browser.press("<")
    assert edges(browser, 1)[1] == pytest.approx(before[1] - 0.009, abs=1e-9)
    browser.press("ArrowUp")
    assert browser.run("alignPage.state.choice.tier") == 0
    browser.press("Enter")
    start, end = edges(browser, 0)[:2]
    assert browser.run("alignPage.player.heard") == [start, end]
    browser.press(" ")
    assert not browser.run("alignPage.player.playing")
    length = "alignPage.view.end - alignPage.view.start"
    shown = browser.run(length)
    browser.press("+")
    assert browser.run(length) == pytest.approx(shown / 2)
    browser.press("-")
    assert browser.run(length) == pytest.approx(shown)
    browser.press("0")
    assert browser.run(length) == pytest.approx(browser.run("alignPage.view.recording.duration"))
    browser.press("d")
    assert browser.run("document.documentElement.dataset.theme") == "dark"
    browser.press("d")
    browser.press("?")
    assert browser.run("document.getElementById('help').open")
    browser.click_on("#help form button")
    assert not browser.run("document.getElementById('help').open")
    assert browser.saved("kiwi.TextGrid", lambda: browser.press("s")).stat().st_size > 1000


def test_zoom_and_scroll_with_the_wheel(browser: Browser, folder: Path) -> None:
    browser.open(page_of(folder, "kiwi.TextGrid"))
    x, y = at(browser, 1.0, 1)
    browser.wheel(x, y, -400, CTRL)
    browser.wait("alignPage.view.end - alignPage.view.start < 1")
    browser.run("alignPage.settled()")
    assert at(browser, 1.0, 1)[0] == pytest.approx(x, abs=1.5)  # zooms about the pointer
    start = browser.run("alignPage.view.start")
    browser.wheel(x, y, 100)
    browser.wait(f"alignPage.view.start > {start}")
    browser.click_on("#zoom-all")
    assert browser.run("alignPage.view.start") == 0


def test_what_deserves_a_look_comes_first(browser: Browser, folder: Path) -> None:
    truth = Alignment.from_labels(folder / "kiwi.TextGrid")
    confidence = np.linspace(0.95, 0.6, len(truth))
    confidence[7] = 0.05
    found = Alignment(
        truth.events, truth.onsets, truth.duration, confidence=confidence,
        audio=str(folder / "kiwi.flac"),
    )  # fmt: skip
    found.to_csv(folder / "kiwi.csv")
    browser.open(page_of(folder, "kiwi.csv"))
    rows = "[...document.querySelectorAll('#doubts button')]"
    assert browser.run(f"{rows}.length") == len(truth)
    assert browser.run(f"{rows}[0].querySelector('.label').textContent") == truth.labels[7]
    assert "confidence 0.05" in browser.run(f"{rows}[0].textContent")
    browser.click_on("#doubts li:first-child button")
    browser.wait("alignPage.state.choice?.k === 7 && alignPage.player.heard !== null")
    assert browser.run(f"{rows}[0].getAttribute('aria-current')") == "true"
    inside = browser.run("[alignPage.view.start, alignPage.view.end]")
    assert inside[0] < truth.onsets[7] < inside[1]
    browser.press("n")
    browser.wait(f"alignPage.state.choice?.k === {len(truth) - 1}")


def test_labels_and_names_are_shown_not_run(browser: Browser, tmp_path: Path) -> None:
    audio = tmp_path / "<img src=x onerror=window.hit=4>&.wav"
    soundfile.write(audio, np.sin(np.arange(16000) / 9), 16000)
    times = np.arange(len(ATTACKS)) * 0.2
    found = Alignment(ATTACKS, times, 1.0, confidence=np.full(len(ATTACKS), 0.2), audio=str(audio))
    others = (Tier(ATTACKS[1], "interval", ATTACKS[:1], ((0.0, 1.0),), (), 1.0),)
    recordings = [Recording(found, ATTACKS[1], tier=ATTACKS[0], others=others), Recording(found)]
    path = tmp_path / "page.html"
    write_page(recordings, path, title=ATTACKS[1])
    browser.open(path)
    browser.run("alignPage.settled()")
    shown = browser.run(
        "[...document.querySelectorAll('#doubts .label')].map((e) => e.textContent)"
    )
    assert set(shown) == set(ATTACKS)
    assert browser.run("document.title") == ATTACKS[1]
    assert browser.run("document.getElementById('title').textContent") == ATTACKS[1]
    names = browser.run(
        "[...document.getElementById('recordings').options].map((o) => o.textContent)"
    )
    assert names == [ATTACKS[1], audio.name]
    assert browser.run("alignPage.view.recording.tiers[0].name") == ATTACKS[0]
    for _ in ATTACKS:  # the line that tells of the chosen label
        browser.press("ArrowRight")
        browser.run("alignPage.settled()")
    assert browser.run("document.getElementById('detail').textContent").startswith(
        "\u2068" + ATTACKS[-1]
    )
    assert browser.run("window.hit") is None
    assert browser.run("document.querySelectorAll('img, svg').length") == 0
    assert browser.complaints() == []  # neither errors nor connections, even refused ones


def test_the_policy_lets_nothing_else_run_or_connect(browser: Browser, folder: Path) -> None:
    """Even if something did get in, it would not run."""
    browser.open(page_of(folder, "kiwi.TextGrid"))
    browser.run(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hit=1\">');"
        "const s = document.createElement('script'); s.textContent = 'window.hit=2';"
        "document.body.append(s); 0"
    )
    assert browser.run("fetch('data:,x').then(() => 'connected', () => 'refused')") == "refused"
    assert browser.run("window.hit") is None


def test_music(browser: Browser, tmp_path: Path) -> None:
    data = Path(str(files("align.data"))) / "minuet"
    piece = tmp_path / "minuet"
    shutil.copytree(data, piece)
    browser.open(page_of(tmp_path, "minuet/truth.csv"))
    browser.run("alignPage.settled()")
    assert browser.run("document.getElementById('title').textContent") == "minuet"
    assert browser.run("document.getElementById('save-textgrid').hidden")
    onsets = browser.run("alignPage.view.recording.notes.onsets")
    k = 4
    point = (
        "(() => { const b = document.getElementById('pane').getBoundingClientRect();"
        f" const n = alignPage.view.recording.notes; return [b.x + alignPage.xOf(n.onsets[{k}]),"
        f" b.y + alignPage.yOfPitch(n.pitches[{k}]), alignPage.xOf(1) - alignPage.xOf(0)]; }})()"
    )
    x, y, per_second = browser.run(point)
    browser.click(x + 3, y)
    assert browser.run("alignPage.state.choice") == {"k": k}
    browser.drag(x, y, x + 0.05 * per_second)
    moved = browser.run("alignPage.view.recording.notes.onsets")
    assert moved[k] == pytest.approx(onsets[k] + 0.05, abs=0.02)
    assert moved[:k] + moved[k + 1 :] == onsets[:k] + onsets[k + 1 :]
    saved = browser.saved("truth.csv", lambda: browser.press("s"))
    found = MusicAlignment.from_labels(saved)
    assert found.onsets.max() == pytest.approx(max(moved), abs=1e-6)
    (piece / "truth.csv").unlink()
    shutil.copy(saved, piece / "truth.csv")
    corpus = align.read_corpus(tmp_path, "music")
    assert corpus.problems == []
    assert np.nanmin(np.abs(np.asarray(corpus[0].onsets) - moved[k])) < 1e-6
    assert browser.complaints() == []


def test_a_mismatch_is_listed_and_shown(browser: Browser, tmp_path: Path) -> None:
    piece = tmp_path / "minuet"
    shutil.copytree(Path(str(files("align.data"))) / "minuet", piece)
    extra = Mismatch("unwritten", 4.0, 7.0, (), 0.98)
    found = replace(MusicAlignment.from_labels(piece / "truth.csv"), mismatches=(extra,))
    found.to_json(tmp_path / "minuet.json")
    (tmp_path / "minuet.flac").write_bytes((piece / "audio.flac").read_bytes())
    browser.open(page_of(tmp_path, "minuet.json"))
    browser.run("alignPage.settled()")
    entry = "document.querySelector('#mismatches button')"
    assert browser.run(f"{entry}.textContent") == str(extra)
    browser.run(f"{entry}.click()")
    assert browser.run("[alignPage.view.start, alignPage.view.end]") == [2.5, 8.5]
    assert browser.run("alignPage.state.span") == [4.0, 7.0]
    assert browser.complaints() == []


def test_light_and_dark_follow_the_system_until_one_is_chosen(
    browser: Browser, folder: Path
) -> None:
    theme = "document.documentElement.dataset.theme"
    back = "getComputedStyle(document.body).backgroundColor"
    browser.prefer("dark")
    try:
        browser.open(page_of(folder, "kiwi.TextGrid"))
        assert browser.run(theme) == "dark"
        dark = browser.run(back)
        browser.prefer("light")
        browser.wait(f"{theme} === 'light'")
        assert browser.run(back) != dark
        browser.click_on("#theme")
        assert browser.run(theme) == "dark"
        browser.prefer("dark")
        browser.prefer("light")
        assert browser.run(theme) == "dark"
    finally:
        browser.prefer("light")


def test_corrections_are_not_lost_without_a_word(browser: Browser, folder: Path) -> None:
    path = page_of(folder, "kiwi.TextGrid")

    def left() -> list[str]:
        """Leave the page; what the browser asked."""
        browser.events.clear()
        browser.call("Page.navigate", url=f"{path.as_uri()}?again")
        browser.wait("location.search === '?again' && !!window.alignPage")
        browser.run("alignPage.ready")
        asked = [e for e in browser.events if e.get("method") == "Page.javascriptDialogOpening"]
        return [e["params"]["type"] for e in asked]

    browser.open(path)
    browser.click(*at(browser, edges(browser, 1)[4] + 0.03, 1))
    assert left() == []
    browser.open(path)
    browser.click(*at(browser, edges(browser, 1)[4] + 0.03, 1))
    browser.press(".")
    assert left() == ["beforeunload"]


def test_several_recordings(browser: Browser, folder: Path) -> None:
    data = Path(str(files("align.data")))
    for suffix in (".flac", ".TextGrid"):
        shutil.copy(data / f"north-wind{suffix}", folder)
    browser.open(page_of(folder, "kiwi.TextGrid", "north-wind.TextGrid"))
    assert browser.run("document.getElementById('title').textContent") == "Alignments"
    rows = "[...document.querySelectorAll('#every-list button')]"
    listed = browser.run(f"{rows}.map((row) => row.querySelector('.label').textContent)")
    assert listed == ["kiwi", "north-wind"]
    browser.click_on("#every-list li:last-child button")
    browser.wait("alignPage.view.recording.name === 'north-wind' && alignPage.view.sound !== null")
    assert browser.run(f"{rows}.map((row) => row.getAttribute('aria-current'))") == [
        "false",
        "true",
    ]
    browser.press("[")
    browser.wait("alignPage.view.recording.name === 'kiwi' && alignPage.view.sound !== null")
    assert browser.complaints() == []


def test_saving_all_corrections_as_one_archive(browser: Browser, folder: Path) -> None:
    for speaker in ("a", "b", "c"):
        (folder / "in" / speaker).mkdir(parents=True)
        for suffix in (".flac", ".TextGrid"):
            shutil.copy(folder / f"kiwi{suffix}", folder / "in" / speaker)
    write_page(read_recordings([folder / "in"]), folder / "page.html")
    browser.open(folder / "page.html")
    assert browser.run("document.getElementById('save-all').disabled")
    found = {}
    for speaker in ("a", "c"):
        browser.run(f"document.getElementById('recordings').value = '{ord(speaker) - 97}'")
        browser.run("document.getElementById('recordings').dispatchEvent(new Event('change'))")
        browser.wait(f"alignPage.view.recording.name === '{speaker}/kiwi' && alignPage.view.sound")
        browser.run("alignPage.settled()")
        browser.click(*at(browser, edges(browser, 1)[4] + 0.03, 1))
        browser.press(".")
        found[f"{speaker}/kiwi.TextGrid"] = edges(browser, 1)[:-1]
    path = browser.saved("corrected.zip", lambda: browser.click_on("#save-all"))
    assert browser.run("document.getElementById('status').textContent") == ""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == list(found)
        archive.extractall(folder / "out")
    for name, onsets in found.items():
        assert Alignment.from_labels(folder / "out" / name).onsets.tolist() == onsets
    browser.press("z", CTRL)  # what was saved is no longer what is shown
    browser.press(".")
    assert "not saved" in browser.run("document.getElementById('status').textContent")
    browser.press("s")


def test_notes_in_notebooks(browser: Browser, tmp_path: Path) -> None:
    """What notebooks show of an alignment and of a report is escaped as well."""
    from align.evaluation.file_result import FileResult
    from align.evaluation.report import Report

    found = Alignment(ATTACKS, np.arange(len(ATTACKS)) * 0.2, 1.0)
    notes = MusicAlignment([Note(60, 0.0), Note(64, 0.5)], [0.1, 0.7], note_ids=ATTACKS[:2])
    names = [FileResult(text, ATTACKS, found.onsets, found.onsets) for text in ATTACKS]
    report = Report.from_files(names, failed=[(ATTACKS[0], ATTACKS[1])])
    shown = [item._repr_html_() for item in (found, notes, report)]
    cells = "".join(f'<div class="output">{text}</div>' for text in shown)
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{cells}</body>", "utf-8")
    browser.events.clear()
    browser.call("Page.navigate", url=path.as_uri())
    browser.wait("document.readyState === 'complete' && document.querySelector('.output')")
    assert browser.run("document.querySelectorAll('.output').length") == 3
    assert browser.run("document.querySelectorAll('table').length") >= 4
    assert browser.run("document.querySelectorAll('script, img, svg').length") == 0
    assert browser.run("window.hit") is None
    labels = (
        "[...document.querySelectorAll('.output table')[0].querySelectorAll('td:nth-child(2)')]"
    )
    assert browser.run(f"{labels}.map((e) => e.textContent)") == list(ATTACKS)
