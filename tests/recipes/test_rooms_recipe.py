"""The recipe of rooms: its measures by hand, and its conditions keep times."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "recipes" / "rooms"


def script(name):
    spec = importlib.util.spec_from_file_location(f"rooms_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


measures, conditions = script("measures"), script("conditions")
Span = measures.Span


def spans(text):
    """Spans of 0.1 s one after the other."""
    return [Span(p, k / 10, (k + 1) / 10) for k, p in enumerate(text.split())]


@pytest.mark.parametrize(
    ("phones", "folded"),
    [
        ("h# tcl t iy h#", "t:0.1-0.3 iy:0.3-0.4"),
        ("tcl ch ix", "ch:0.0-0.2 ih:0.2-0.3"),
        ("kcl t", "k:0.0-0.1 t:0.1-0.2"),
        ("aa q ao", "aa:0.0-0.2 aa:0.2-0.3"),
        ("pau q ax", "ah:0.2-0.3"),
        ("en zh", "n:0.0-0.1 sh:0.1-0.2"),
    ],
)
def test_folding(phones, folded):
    found = [f"{s.label}:{s.start:.1f}-{s.end:.1f}" for s in measures.folded(spans(phones))]
    assert " ".join(found) == folded


def test_labels_are_matched_by_the_fewest_edits():
    true, found = spans("a b c d"), spans("a c x d")
    pairs = [(a.label, a.start, b.start) for a, b in measures.matched(true, found)]
    assert pairs == [("a", 0.0, 0.0), ("c", 0.2, 0.1), ("d", 0.3, 0.3)]


def test_of_equal_matches_the_nearest_in_time_counts():
    true, found = spans("a"), [Span("a", 5.0, 5.1), Span("a", 0.0, 0.1)]
    assert measures.matched(true, found)[0][1].start == 0.0


def test_each_boundary_is_matched_once():
    true, found = np.array([0.100, 0.115]), np.array([0.110, 0.500])
    assert measures.hits(true, found) == 1
    assert measures.hits(true, np.array([0.090, 0.130])) == 2
    assert measures.hits(np.array([0.1]), np.array([0.12])) == 1
    assert measures.hits(np.array([0.1]), np.array([0.1201])) == 0


def test_a_tally():
    tally = measures.Tally()
    tally.add(spans("a b"), [Span("a", 0.0, 0.11), Span("c", 0.11, 0.25)])
    assert tally.mean_ms == pytest.approx(5.0)
    assert tally.f1 == pytest.approx(2 * 2 / 6)  # 0.25 is 50 ms from 0.2


@pytest.mark.parametrize("name", ["room", "noise", "telephone"])
def test_conditions_keep_length_and_time(name):
    rng = np.random.default_rng(0)
    samples = np.zeros(16000)
    samples[8000:8400] = rng.standard_normal(400)
    for _ in range(3):
        heard = getattr(conditions, name)(samples, rng)
        assert heard.shape == samples.shape
        assert np.isfinite(heard).all()
        lags = np.correlate(heard, samples[7000:9000], mode="valid")
        assert abs(int(np.argmax(np.abs(lags))) - 7000) < 40


def test_a_room_of_two_walls_has_its_first_images_where_geometry_puts_them():
    size, source, ear = (
        np.array([6.0, 5.0, 3.0]),
        np.array([2.0, 2.5, 1.5]),
        np.array([4.0, 2.5, 1.5]),
    )
    response = conditions.shoebox(size, source, ear, 0.3)
    assert response[0] == pytest.approx(1.0)
    # Floor and ceiling, 1.5 m away each: sqrt(2^2 + 3^2) m instead of 2 m.
    late = round((np.sqrt(13.0) - 2.0) / 343.0 * 16000)
    near = np.flatnonzero(response[1:200])[0] + 1
    assert near == late


def test_what_is_behind_has_its_level():
    rng = np.random.default_rng(0)
    speech, sound = rng.standard_normal(16000), rng.standard_normal(16000)
    rest = conditions.mixed(speech, sound, 6.0) - speech
    assert 10 * np.log10(np.mean(speech**2) / np.mean(rest**2)) == pytest.approx(6.0)
