"""Lattices: their constructors and checks, and decoding against every path and every timing."""

import itertools
from dataclasses import replace

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from align import decoders
from align.decoders import Lattice, decode_lattice, lattice_potentials, path_potentials
from align.errors import ParameterError
from align.potentials import Potentials
from align.terms import BaseFunctions, DurationTerm, OnsetTerm, SegmentTerm


@st.composite
def lattices(draw, score):
    """Any small graph, trimmed to the nodes that are on a path."""
    n = draw(st.integers(1, 5))
    number = draw(st.permutations(range(n)))
    arcs = [
        (number[u], number[v])
        for u, v in itertools.combinations(range(n), 2)
        if draw(st.booleans())
    ]
    starts = {number[0], *(v for v in range(n) if draw(st.integers(0, 3)) == 0)}
    ends = {number[n - 1], *(v for v in range(n) if draw(st.integers(0, 3)) == 0)}
    forwards, backwards = set(starts), set(ends)
    for _ in range(n):
        forwards |= {v for u, v in arcs if u in forwards}
        backwards |= {u for u, v in arcs if v in backwards}
    kept = sorted(forwards & backwards)
    if not kept:
        return Lattice.chain(n)
    name = {v: i for i, v in enumerate(kept)}
    arcs = [(name[u], name[v]) for u, v in arcs if u in name and v in name]
    starts, ends = ([name[v] for v in side if v in name] for side in (starts, ends))
    return Lattice(
        len(kept),
        arcs,
        starts,
        ends,
        draw(st.lists(score, min_size=len(arcs), max_size=len(arcs))),
        draw(st.lists(score, min_size=len(starts), max_size=len(starts))),
        draw(st.lists(score, min_size=len(ends), max_size=len(ends))),
        event=draw(arrays(np.intp, len(kept), elements=st.integers(0, len(kept) - 1)))
        if draw(st.booleans())
        else None,
    )


@st.composite
def problems(draw, naive):
    lattice = draw(lattices(draw(st.sampled_from([naive.SMALL, naive.ROUGH]))))
    n_events, n_frames = int(lattice.event.max()) + 1, draw(st.integers(1, 8))
    scores = draw(st.sampled_from([naive.SMALL, naive.ROUGH]))
    segment = transition = None
    if draw(st.booleans()):
        rows = draw(arrays(np.intp, n_events, elements=st.integers(-1, 1)))
        frames = draw(arrays(np.float64, (2, n_frames), elements=naive.SMALL))
        segment = SegmentTerm.from_frames(frames, rows)
    if draw(st.booleans()):
        rows = draw(arrays(np.intp, lattice.n_arcs, elements=st.integers(-1, 1)))
        transition = OnsetTerm(draw(arrays(np.float64, (2, n_frames), elements=scores)), rows)
    potentials = draw(naive.small_potentials(n_events, n_frames, scores=scores))
    return potentials, lattice, segment, transition


def random_problem(rng):
    """Denser graphs, and scores that differ more, than hypothesis tends to draw."""
    n, n_frames = int(rng.integers(3, 6)), int(rng.integers(4, 9))
    arcs = [(u, v) for u, v in itertools.combinations(range(n), 2) if rng.random() < 0.7]
    starts = [v for v in range(n) if v == 0 or all(w != v for _, w in arcs) or rng.random() < 0.2]
    ends = [u for u in range(n) if u == n - 1 or all(w != u for w, _ in arcs)]
    number = rng.permutation(n)  # which also decides ties
    lattice = Lattice(
        n,
        number[np.array(arcs, dtype=int).reshape(-1, 2)],
        number[starts],
        number[ends],
        rng.integers(-9, 10, len(arcs)).astype(float),
        rng.integers(-9, 10, len(starts)).astype(float),
        rng.integers(-9, 10, len(ends)).astype(float),
        event=rng.integers(0, n, n) if rng.random() < 0.3 else None,
    )
    scale = int(rng.integers(1, 9))  # small ones leave the choice to the graph, or to ties
    segment = transition = duration = row = None
    if rng.random() < 0.5:
        frames = rng.integers(-scale, scale + 1, (3, n_frames)).astype(float)
        segment = SegmentTerm.from_frames(frames, rng.integers(-1, 3, n))
    if rng.random() < 0.5:
        table = rng.integers(-scale, scale + 1, (3, n_frames)).astype(float)
        transition = OnsetTerm(table, rng.integers(-1, 3, len(arcs)))
    if rng.random() < 0.7:
        duration = rng.integers(-scale, scale + 1, (3, n_frames)).astype(float)
        row = rng.integers(0, 3, n)
    onset = rng.integers(-scale, scale + 1, (n, n_frames)).astype(float)
    onset[rng.random(onset.shape) < 0.1] = -np.inf
    potentials = Potentials(onset, n_frames, duration=duration, duration_row=row)
    return potentials, lattice, segment, transition


def check(naive, potentials, lattice, segment, transition):
    best = naive.best_of_lattice(potentials, lattice, segment, transition)
    if best is None:
        with pytest.raises(ParameterError, match=r"no path of the lattice .*(event \d|no timing)"):
            decode_lattice(potentials, lattice, segment=segment, transition=transition)
        return
    found = decode_lattice(potentials, lattice, segment=segment, transition=transition)
    (score, _), nodes, onsets = best
    assert found.score == -score
    assert found.nodes.tolist() == nodes
    assert found.onsets.tolist() == onsets
    assert found.nodes.dtype == found.onsets.dtype == np.intp
    chain = path_potentials(potentials, lattice, nodes, segment=segment, transition=transition)
    assert decoders.decode(chain).onsets.tolist() == onsets
    assert decoders.decode(chain).score == chain.score(onsets) == found.score


@settings(max_examples=300)
@given(data=st.data())
def test_equals_enumeration_of_paths_and_timings(naive, data):
    check(naive, *data.draw(problems(naive)))


@pytest.mark.parametrize("seed", range(4))
def test_equals_enumeration_on_denser_lattices(naive, seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        check(naive, *random_problem(rng))


@pytest.mark.parametrize("seed", range(4))
def test_windows_of_nodes_equal_enumeration_within_them(naive, seed):
    """Nodes of their own, each with a window as its onset scores, say the same."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        potentials, lattice, segment, transition = random_problem(rng)
        n, n_frames = lattice.n_nodes, potentials.n_frames
        first = rng.integers(0, n_frames - 1, n)
        windows = np.stack((first, rng.integers(first + 1, n_frames + 1)), axis=1)
        inside = (np.arange(n_frames) >= windows[:, :1]) & (np.arange(n_frames) < windows[:, 1:])
        event = lattice.event
        onset = np.where(inside, potentials.onset[event], -np.inf)
        rows = None if potentials.duration is None else potentials.duration_row[event]
        alone = Potentials(onset, n_frames, duration=potentials.duration, duration_row=rows)
        nodes = replace(lattice, event=np.arange(n))
        frames = segment and SegmentTerm(segment.prefix, segment.rows[event])
        best = naive.best_of_lattice(alone, nodes, frames, transition)
        options = {"segment": segment, "transition": transition, "windows": windows}
        if best is None:
            with pytest.raises(ParameterError):
                decode_lattice(potentials, lattice, **options)
            continue
        found = decode_lattice(potentials, lattice, **options)
        (score, _), walk, onsets = best
        assert found.score == -score
        assert found.nodes.tolist() == walk
        assert found.onsets.tolist() == onsets
        chain = path_potentials(potentials, lattice, walk, **options)
        assert chain.onset.shape[1] <= np.diff(windows[walk]).max()
        assert decoders.decode(chain).onsets.tolist() == onsets
        assert decoders.decode(chain).score == chain.score(onsets) == found.score


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("windows", [False, True])
def test_a_chain_decodes_as_the_chain_decoders_do(naive, order, windows):
    rng = np.random.default_rng(order)
    n_events, n_frames = (6, 40) if numba.config.DISABLE_JIT else (20, 2500)
    for longest in (n_frames // n_events + 3, n_frames):
        potentials = naive.random_potentials(
            rng, n_events, n_frames, longest=longest, order=order, windows=windows and order == 0
        )
        path = decoders.decode(potentials)
        found = decode_lattice(potentials, Lattice.chain(n_events))
        assert found.nodes.tolist() == list(range(n_events))
        assert found.onsets.tolist() == path.onsets.tolist()
        assert found.score == pytest.approx(path.score, rel=1e-12)


def test_scores_of_frames_fold_as_they_do_in_a_chain():
    rng = np.random.default_rng(1)
    n_events, n_frames = 6, 50
    rows = np.array([0, 1, -1, 2, 1, 0])
    base = BaseFunctions(
        [
            SegmentTerm.from_frames(rng.normal(size=(3, n_frames)), rows),
            OnsetTerm(rng.normal(size=(3, n_frames)), rows),
            SegmentTerm.from_frames(rng.normal(size=(2, n_frames)), np.minimum(rows, 1)),
            DurationTerm(rng.normal(size=(3, 20)), rows),
        ],
        ["a", "b", "c", "d"],
        n_events,
        n_frames,
    )
    weights = np.array([1.0, 2.0, -0.5, 0.7])
    path = decoders.decode(base.potentials(weights))
    potentials, segment = lattice_potentials(base, weights)
    found = decode_lattice(potentials, Lattice.chain(n_events), segment=segment)
    assert found.onsets.tolist() == path.onsets.tolist()
    assert found.score == pytest.approx(path.score)
    only = replace(base, terms=base.terms[1:2], names=["b"])
    assert lattice_potentials(only, np.ones(1))[1] is None
    with pytest.raises(ParameterError, match="3 weights for 4 base functions"):
        lattice_potentials(base, np.ones(3))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_alternatives_cost_what_their_chains_cost():
    """Larger than enumeration can go: the best of all variants, each decoded as a chain."""
    rng = np.random.default_rng(2)
    slots = [
        [["p"], []],
        [list("abc"), list("ab"), list("xyzw")],
        [["p"], []],
        [list("st"), ["t"]],
    ]
    probability = [[0.2, 0.8], [0.5, 0.3, 0.2], [0.5, 0.5], [0.9, 0.1]]
    lattice = Lattice.from_alternatives(slots, scores=[np.log(p).tolist() for p in probability])
    rows = np.array([ord(label) % 7 for label in lattice.labels])
    onset = rng.normal(size=(7, 1500))[rows]
    duration = rng.normal(size=(7, 401))
    potentials = Potentials(onset, 1500, duration=duration, duration_row=rows)
    found = decode_lattice(potentials, lattice)
    best, at = -np.inf, None
    for choice in itertools.product(*(range(len(slot)) for slot in slots)):
        nodes = [
            v for v in range(lattice.n_nodes) if lattice.variant[v] == choice[lattice.slot[v]]
        ]
        chain = Potentials(onset[nodes], 1500, duration=duration, duration_row=rows[nodes])
        prior = sum(np.log(p[c]) for p, c in zip(probability, choice, strict=True))
        try:
            path = decoders.decode(chain)
        except ParameterError:  # too short for the recording
            continue
        if path.score + prior > best:
            best, at = path.score + prior, (nodes, path.onsets.tolist())
    assert found.score == pytest.approx(best, rel=1e-12)
    assert (found.nodes.tolist(), found.onsets.tolist()) == at


@settings(max_examples=100)
@given(
    st.lists(
        st.lists(
            st.lists(st.sampled_from("ab"), max_size=2).map(tuple),
            min_size=1,
            max_size=3,
            unique=True,
        ),
        min_size=1,
        max_size=4,
    ),
    st.randoms(use_true_random=False),
)
def test_from_alternatives_has_one_path_for_each_choice(naive, slots, random):
    scores = [[float(random.randrange(-9, 9)) for _ in slot] for slot in slots]
    wanted = sorted(
        (
            [(i, j, label) for i, j in enumerate(choice) for label in slots[i][j]],
            sum(scores[i][j] for i, j in enumerate(choice)),
        )
        for choice in itertools.product(*(range(len(slot)) for slot in slots))
    )
    wanted = [pair for pair in wanted if pair[0]]
    if not wanted:
        with pytest.raises(ParameterError, match="n_nodes=0"):
            Lattice.from_alternatives(slots, scores=scores)
        return
    lattice = Lattice.from_alternatives(slots, scores=scores)
    found = sorted(
        ([(lattice.slot[v], lattice.variant[v], lattice.labels[v]) for v in nodes], score)
        for nodes, score in naive.paths_of_lattice(lattice)
    )
    assert found == wanted


@given(
    st.integers(1, 6),
    st.sets(st.integers(0, 5)),
    st.one_of(st.none(), st.integers(0, 4)),
)
def test_with_optional_has_every_choice(naive, n, optional, max_run):
    optional = sorted(k for k in optional if k < n)
    cost = -(2.0 ** np.arange(n))
    lattice = Lattice.with_optional(n, optional, score=cost, max_run=max_run)
    wanted = []
    for r in range(len(optional) + 1):
        for gone in itertools.combinations(optional, r):
            kept = [k for k in range(n) if k not in gone]
            runs = np.diff([-1, *kept, n]).max() - 1
            if kept and runs <= (n if max_run is None else max_run):
                wanted.append((kept, sum(cost[k] for k in gone)))
    assert sorted(naive.paths_of_lattice(lattice)) == sorted(wanted)


def test_with_repeats_unrolls_every_section(naive):
    lattice = Lattice.with_repeats(6, [(0, 2), (3, 4, 5)], score=-1.0, labels="abcdef")
    played = sorted(
        ("".join(lattice.labels[v] for v in p), s) for p, s in naive.paths_of_lattice(lattice)
    )
    assert played == [
        ("ababcdedf", -2.0),
        ("ababcdf", -1.0),
        ("abcdedf", -1.0),
        ("abcdf", 0.0),
    ]
    assert lattice.event[lattice.variant == 1].tolist() == [0, 1, 3]
    last = Lattice.with_repeats(2, [(0, 1, 2)])  # a first ending that ends the piece
    assert sorted(p for p, _ in naive.paths_of_lattice(last)) == [[0], [0, 1, 2]]
    assert last.event.tolist() == [0, 1, 0]


def test_a_repeat_is_heard():
    """The frames say a b a b c; the score says a b, repeated if need be, and c."""
    frames = np.zeros((3, 10))
    for t, k in enumerate([0, 0, 1, 1, 0, 0, 1, 1, 2, 2]):
        frames[k, t] = 1.0
    base = BaseFunctions([SegmentTerm.from_frames(frames, np.arange(3))], ["x"], 3, 10)
    potentials, segment = lattice_potentials(base, np.ones(1))
    lattice = Lattice.with_repeats(3, [(0, 2)], score=-1.0)
    found = decode_lattice(potentials, lattice, segment=segment)
    assert lattice.event[found.nodes].tolist() == [0, 1, 0, 1, 2]
    assert found.onsets.tolist() == [0, 2, 4, 6, 8]
    assert found.score == 9.0


def test_float32_and_large_scores_are_as_good():
    rng = np.random.default_rng(5)
    onset = rng.integers(-9, 9, (4, 12)).astype(np.float32)
    lattice = Lattice.with_optional(4, [1, 2])
    expected = decode_lattice(Potentials(onset.astype(float), 12), lattice)
    for scale in (1.0, 2.0**40):
        found = decode_lattice(Potentials(onset * np.float32(scale), 12), lattice)
        assert found.score == expected.score * scale
        assert found.onsets.tolist() == expected.onsets.tolist()


def test_one_node_and_one_frame():
    found = decode_lattice(Potentials(np.array([[2.0]]), 1, constant=1.0), Lattice.chain(1))
    assert (found.nodes.tolist(), found.onsets.tolist(), found.score) == ([0], [0], 3.0)


def test_equal_scores_take_the_earliest_onsets_then_the_lowest_nodes():
    """The whole tail goes to the last event: the path of one node is the earliest."""
    lattice = Lattice(3, [(0, 2), (1, 2)], [0, 1, 2], [2])
    found = decode_lattice(Potentials(np.zeros((3, 5)), 5), lattice)
    assert (found.nodes.tolist(), found.onsets.tolist()) == ([2], [0])
    lattice = Lattice(3, [(0, 2), (1, 2)], [0, 1], [2])
    found = decode_lattice(Potentials(np.zeros((3, 5)), 5), lattice)
    assert (found.nodes.tolist(), found.onsets.tolist()) == ([0, 2], [0, 1])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, [], [0], [0]), "n_nodes=0, must be at least 1"),
        ((2, [(0, 1)], [], [1]), "there is no start node: starts is empty"),
        ((2, [(0, 1)], [0], []), "there is no end node: ends is empty"),
        ((2, [(0, 1)], [0], [2]), r"ends=\[2\], must be nodes 0..1"),
        ((2, [(0, 1)], [0, 0], [1]), r"starts=\[0, 0\], must be distinct"),
        ((2, [(0, 2)], [0], [1]), "arcs: 0 -> 2 leaves the nodes 0..1"),
        ((2, [(0, 1, 1)], [0], [1]), r"arcs.shape=\(1, 3\)"),
        ((2, [(0, 1), (0, 1)], [0], [1]), "arcs: 0 -> 1 is there twice"),
        ((2, [(0, 0), (0, 1)], [0], [1]), "the arcs form a cycle: 0 -> 0; give the second pass"),
        (
            (5, [(0, 1), (1, 2), (2, 3), (3, 1), (3, 4)], [0], [4]),
            "the arcs form a cycle: (1 -> 2 -> 3 -> 1|2 -> 3 -> 1 -> 2|3 -> 1 -> 2 -> 3);",
        ),
        ((3, [(0, 2)], [0], [2]), "node 1 cannot be reached from any start node; remove it"),
        ((3, [(0, 1), (0, 2)], [0], [2]), "node 1 does not lead to an end node"),
        ((2, [(0, 1)], [0], [1], [0.0, 1.0]), r"arc_score.shape=\(2,\), must be \(1,\)"),
        ((2, [(0, 1)], [0], [1], [np.nan]), "arc_score must be finite, or -inf"),
        ((2, [(0, 1)], [0], [1], None, [np.inf]), "start_score must be finite"),
    ],
)
def test_graphs_that_are_no_lattice(arguments, message):
    with pytest.raises(ParameterError, match=message):
        Lattice(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"event": [0]}, r"event.shape=\(1,\), must be \(N,\)=\(2,\)"),
        ({"event": [0, -1]}, "event=-1, must not be negative"),
        ({"labels": ("a",)}, "1 labels for 2 nodes"),
    ],
)
def test_nodes_that_do_not_fit(options, message):
    with pytest.raises(ParameterError, match=message):
        Lattice(2, [(0, 1)], [0], [1], **options)


def test_names_of_nodes():
    with pytest.raises(ParameterError, match=r"node 1 \('b'\) does not lead to an end node"):
        Lattice(3, [(0, 1), (0, 2)], [0], [2], labels="abc")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Lattice.with_repeats(4, [(0, 3), (2, 4)]), r"repeat \(2, 4\) must lie in 0..4"),
        (lambda: Lattice.with_repeats(4, [(1, 1)]), r"repeat \(1, 1\) must"),
        (lambda: Lattice.with_repeats(4, [(1, 5)]), r"repeat \(1, 5\) must"),
        (lambda: Lattice.with_optional(2, [2]), r"optional=\[2\], must be nodes 0..1"),
        (lambda: Lattice.from_alternatives([["ab"]]), "slot 0 is .*must be a list of lists"),
        (lambda: Lattice.from_alternatives([[["a"]], []]), "slot 1 is .*distinct alternatives"),
        (lambda: Lattice.from_alternatives([[["a"], ["a"]]]), "slot 0 .*distinct alternatives"),
        (lambda: Lattice.from_alternatives([[["a"]]], scores=[[0.0, 1.0]]), "one score for each"),
    ],
)
def test_constructors_refuse(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def zeros(n_events, n_frames, **options):
    return Potentials(np.zeros((n_events, n_frames)), n_frames, **options)


@pytest.mark.parametrize(
    ("potentials", "options", "message"),
    [
        (zeros(3, 6, ratio=np.diag([0, 1.0, 1])), {}, "cannot score ratio"),
        (zeros(3, 6, general=((1.0, max),)), {}, "cannot score general functions"),
        (zeros(2, 6), {}, "a node of the lattice is event 2, the potentials have events 0..1"),
        (zeros(3, 6, constant=np.nan), {}, "constant=nan"),
        (
            zeros(3, 1),
            {},
            r"no path of the lattice can be timed. On the shortest \(a c\): event 2 \('c'\) "
            "cannot begin: more events than frames",
        ),
        (
            zeros(3, 6, min_length=np.array([3, 1, 4])),
            {},
            r"shortest \(a c\): event 2 \('c'\) does not fit: .* lower min_length",
        ),
        (
            zeros(3, 6, max_length=np.array([1, 2, 2]), stop=np.array([1, 6, 6])),
            {},
            r"\(a c\): event 2 \('c'\) cannot last to the end of the recording",
        ),
        (
            zeros(3, 6, duration=np.array([[-np.inf] * 7])),
            {},
            r"\(a c\): event 1 \('a'\) has score -inf at every length",
        ),
        (
            zeros(3, 6),
            {"transition": OnsetTerm(np.full((1, 6), -np.inf), np.zeros(3, dtype=int))},
            r"\(a c\): event 2 \('c'\) has score -inf at every frame",
        ),
        (
            zeros(3, 6),
            {"transition": OnsetTerm(np.zeros((1, 7)), np.zeros(3, dtype=int))},
            r"transition: table.shape=\(1, 7\), must be \(S, 6\)",
        ),
        (
            zeros(3, 6),
            {"transition": OnsetTerm(np.full((1, 6), np.nan), np.zeros(3, dtype=int))},
            "transition scores must be finite",
        ),
        (
            zeros(3, 6),
            {"segment": SegmentTerm(np.zeros((1, 7)), np.zeros(2, dtype=int))},
            r"segment: rows.shape=\(2,\), must be \(3,\)",
        ),
        (
            zeros(3, 6),
            {"segment": SegmentTerm(np.zeros((1, 7)), np.array([0, 0, 1]))},
            "segment: rows must lie in -1..0",
        ),
        (
            zeros(3, 6),
            {"segment": SegmentTerm(np.full((1, 7), -np.inf), np.zeros(3, dtype=int))},
            "segment scores must be finite",
        ),
        (
            zeros(3, 6),
            {"windows": [(0, 6), (0, 6)]},
            r"windows.shape=\(2, 2\), must be \(N, 2\)=\(3, 2\)",
        ),
        (
            zeros(3, 6),
            {"windows": [(3, 4), (0, 6), (1, 3)]},
            r"no path of the lattice can be timed",
        ),
    ],
)
def test_what_cannot_be_decoded(potentials, options, message):
    lattice = Lattice.with_optional(3, [1], labels="abc")
    with pytest.raises(ParameterError, match=message):
        decode_lattice(potentials, lattice, **options)


def test_a_long_path_is_named_in_short():
    lattice = Lattice.chain(100, labels=["label"] * 100)
    with pytest.raises(ParameterError, match=r"\(label label .* \.\.\.\): event 51"):
        decode_lattice(zeros(100, 50), lattice)
    with pytest.raises(ParameterError, match=r"\(nodes \[0, 1\]\): event 2 cannot begin"):
        decode_lattice(zeros(2, 1), Lattice.chain(2))


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], r"nodes.shape=\(0,\), must be \(M,\), M > 0"),
        ([0, 2, 1], "nodes: there is no arc 2 -> 1 in the lattice"),
        ([1, 2], "nodes go from 1 to 2, must go from a start to an end node"),
        ([0, 1], "nodes go from 0 to 1, must go from a start to an end node"),
    ],
)
def test_what_is_no_path(nodes, message):
    with pytest.raises(ParameterError, match=message):
        path_potentials(zeros(3, 6), Lattice.with_optional(3, [1]), nodes)
    with pytest.raises(ParameterError, match="there is no arc 0 -> 0"):
        path_potentials(zeros(3, 6), Lattice.chain(1), [0, 0])


def test_what_follows_decoding_serves_the_chosen_path():
    rng = np.random.default_rng(6)
    lattice = Lattice.from_alternatives([[["a"], []], [["b", "c"], ["d"]]])
    potentials = Potentials(rng.normal(size=(4, 20)), 20)
    found = decode_lattice(potentials, lattice)
    chain = path_potentials(potentials, lattice, found.nodes)
    assert chain.labels == tuple(lattice.labels[v] for v in found.nodes)
    best = decoders.onset_max_marginals(chain)
    assert best.score.max(axis=1) == pytest.approx(found.score)
    assert (best.margin(found.onsets, 1) > 0).all()
