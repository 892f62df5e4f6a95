"""The coarse pass in blocks against the one over everything at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.decoders import coarse_blocks, decode
from align.decoders._coarse_pass import coarse_path
from align.decoders._coarse_sources import source_of
from align.decoders.coarse_blocks import CoarseBlocks
from align.errors import ParameterError
from align.terms import BaseFunctions, DurationTerm, OnsetTerm, SegmentTerm

WEIGHTS = np.array([2.0, 1.0, 0.5])


def recording(rng, n_events, clear=3.0):
    """Return base functions of events with 6 symbols, and their onsets."""
    symbols = rng.integers(0, 6, n_events)
    mean = np.array([6.0, 8, 10, 12, 16, 20])
    lengths = np.maximum(2, rng.gamma(8, mean[symbols] / 8)).astype(int)
    onsets = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    n_frames = int(lengths.sum())
    of_frame = np.repeat(np.arange(n_events), lengths)
    frames = rng.normal(size=(6, n_frames))
    frames[symbols[of_frame], np.arange(n_frames)] += clear
    change = rng.normal(size=(1, n_frames))
    change[0, onsets] += clear
    d = np.arange(61)
    terms = [
        OnsetTerm(change, np.zeros(n_events, dtype=int)),
        SegmentTerm.from_frames(frames, symbols),
        DurationTerm(-((d - mean[:, None]) ** 2) / mean[:, None], symbols),
    ]
    return BaseFunctions(terms, ["change", "phone", "length"], n_events, n_frames), onsets


def in_blocks(x, factor, size, around=0, places=None):
    """Return the blocks of a recording, each with frames around it that do not count."""
    blocks = CoarseBlocks(factor, places)
    onset, segment, lasting = x.terms
    frames = np.diff(segment.prefix, axis=1)
    for begin in range(0, x.n_frames, size):
        first, stop = max(0, begin - around), min(x.n_frames, begin + size + around)
        terms = [
            OnsetTerm(onset.table[:, first:stop], onset.rows),
            SegmentTerm.from_frames(frames[:, first:stop], segment.rows),
            lasting,
        ]
        part = BaseFunctions(terms, x.names, x.n_events, stop - first)
        blocks.add(part, WEIGHTS, begin - first, min(begin + size, x.n_frames) - first)
    return blocks


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(3, 9), st.integers(0, 20))
def test_blocks_give_the_coarse_pass_over_everything(seed, factor, cells, around):
    x, _ = recording(np.random.default_rng(seed), 30)
    longest = np.full(30, 60)
    expected = coarse_path(source_of(x, WEIGHTS).coarse(factor), None)
    found = in_blocks(x, factor, factor * cells, around).onsets(longest)
    assert found.tolist() == (expected * factor).tolist()


def test_a_pass_in_longer_cells_comes_first_where_there_is_much_to_try(monkeypatch):
    x, _ = recording(np.random.default_rng(3), 200)
    blocks = in_blocks(x, 4, 400)
    expected = blocks.onsets(np.full(200, 60))
    monkeypatch.setattr(coarse_blocks, "_MOST_STATES", 0)
    monkeypatch.setattr(coarse_blocks, "_REACH", 5)  # too narrow: windows must grow
    assert blocks.onsets(np.full(200, 60)).tolist() == expected.tolist()


def test_events_that_score_alike_may_be_given_once():
    x, _ = recording(np.random.default_rng(4), 40)
    symbols = x.terms[1].rows
    at = np.unique(symbols, return_index=True)[1]  # one event of each symbol
    once = BaseFunctions(
        [type(t)(getattr(t, "prefix", getattr(t, "table", None)), t.rows[at]) for t in x.terms],
        x.names,
        len(at),
        x.n_frames,
    )
    places = np.searchsorted(np.unique(symbols), symbols)
    found = in_blocks(once, 4, 100, places=places).onsets(np.full(40, 60))
    assert found.tolist() == in_blocks(x, 4, 100).onsets(np.full(40, 60)).tolist()


def test_rare_events_take_no_time_in_longer_cells(monkeypatch):
    x, onsets = recording(np.random.default_rng(5), 200, clear=6.0)
    symbols = np.append(x.terms[1].rows, 6)  # "anything", between two events
    symbols = np.insert(symbols[:-1], 100, 6)
    best = np.diff(x.terms[1].prefix, axis=1).max(axis=0, keepdims=True)
    frames = np.concatenate([np.diff(x.terms[1].prefix, axis=1), 1.1 * best])
    length = np.concatenate([x.terms[2].table, np.full((1, 61), -5.0)])
    length[6, :3] = 0.0
    more = BaseFunctions(
        [
            OnsetTerm(x.terms[0].table, np.zeros(201, dtype=int)),
            SegmentTerm.from_frames(frames, symbols),
            DurationTerm(length, symbols),
        ],
        x.names,
        201,
        x.n_frames,
    )
    monkeypatch.setattr(coarse_blocks, "_MOST_STATES", 0)
    monkeypatch.setattr(coarse_blocks, "_REACH", 6)
    longest = np.where(symbols == 6, 4000, 60)
    blocks = in_blocks(more, 4, 400)
    rare = symbols == 6

    def error(found):
        return np.abs(np.delete(found, 100) - onsets).max()

    assert error(blocks.onsets(longest, rare=rare)) <= error(blocks.onsets(longest))
    assert error(blocks.onsets(longest, rare=rare)) < 40


def test_a_guess_is_looked_around_as_well(monkeypatch):
    """And what scores better is taken, whichever guess it is near."""
    x, _ = recording(np.random.default_rng(7), 200, clear=0.1)
    blocks = in_blocks(x, 4, 400)
    longest = np.full(200, 60)
    best = blocks.onsets(longest)
    monkeypatch.setattr(coarse_blocks, "_MOST_STATES", 0)
    monkeypatch.setattr(coarse_blocks, "_POOLED", 40)
    monkeypatch.setattr(coarse_blocks, "_REACH", 8)
    monkeypatch.setattr(coarse_blocks, "_EDGE", 100)
    alone = blocks.onsets(longest)
    assert alone.tolist() != best.tolist()
    assert blocks.onsets(longest, guess=best).tolist() == best.tolist()
    poor = np.linspace(0, x.n_frames - 60, 200).astype(int)
    assert blocks.onsets(longest, guess=poor).tolist() == alone.tolist()


def test_cells_are_near_the_exact_onsets():
    x, onsets = recording(np.random.default_rng(1), 150)
    exact = decode(x.potentials(WEIGHTS)).onsets
    found = in_blocks(x, 5, 500).onsets(np.full(150, 60))
    assert np.abs(found - exact).max() <= 15
    assert np.abs(exact - onsets).mean() < 1


def test_windows_and_longest_lengths_count():
    x, _ = recording(np.random.default_rng(2), 20)
    blocks = in_blocks(x, 5, 100)
    windows = np.tile([0, x.n_frames], (20, 1))
    windows[10] = 150, 160
    assert 150 <= blocks.onsets(np.full(20, 60), windows)[10] < 160
    windows[0] = 0, 1
    assert blocks.onsets(np.full(20, 2), windows) is None  # 20 cells of 5 frames are too few


def test_what_is_wrong_is_said():
    with pytest.raises(ParameterError, match="factor=0, must be at least 1 frame"):
        CoarseBlocks(0)
    with pytest.raises(ParameterError, match="there is no block"):
        CoarseBlocks(5).onsets(np.ones(3, dtype=int))
    x, _ = recording(np.random.default_rng(2), 20)
    with pytest.raises(ParameterError, match="ends at frame 103, within a cell"):
        in_blocks(x, 5, 103)
