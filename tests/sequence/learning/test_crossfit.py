"""Cross-fitting: no score that is learned from may come from a part that saw its recording."""

import numpy as np
import pytest
from crossfit_spies import PlainSpy, PoolingSpy, Spy
from hypothesis import given
from hypothesis import strategies as st

from align.errors import ParameterError
from align.features import Signal, TimedSignal
from align.sequence.learning.crossfit import SingleRecordingWarning, cross_fit, folds_of


def recordings(groups):
    samples = np.ones(800, dtype=np.float32)
    return [
        TimedSignal(
            Signal(samples, 16000, 0.005, name=f"r{i}"),
            ["a", "b"],
            np.array([0, 4]),
            np.array([0.0, 0.02]),
            end=10,
            group=group,
        )
        for i, group in enumerate(groups)
    ]


def terms_of(own, items):
    """Return what the features of each recording say of it."""
    return [
        {name: term for f in one for name, term in f.terms(item.signal, item.events).items()}
        for one, item in zip(own, items, strict=True)
    ]


def saw(own, items, name="spy"):
    """Whether the feature that scores a recording was fitted to it."""
    return [bool(of_one[name].table[0, 0]) for of_one in terms_of(own, items)]


GROUPS = ["bob", "ann", "cid", "ann", "dan", "bob", "eve", "eve"]


@given(
    st.lists(st.one_of(st.none(), st.sampled_from("abcde")), min_size=1, max_size=12),
    st.integers(1, 6),
)
def test_folds_share_no_group(groups, n_folds):
    folds = folds_of(groups, n_folds)
    assert sorted(i for fold in folds for i in fold) == list(range(len(groups)))
    assert all(folds)
    assert len(folds) <= n_folds
    distinct = len(set(groups) - {None}) + groups.count(None)
    assert len(folds) == min(n_folds, distinct if distinct > 1 else len(groups))
    if distinct > 1:
        held = [{groups[i] for i in fold} - {None} for fold in folds]
        assert sum(map(len, held)) == len(set().union(*held))


def test_folds_are_every_nth_sorted_group():
    assert folds_of(GROUPS, 2) == [[1, 2, 3, 6, 7], [0, 4, 5]]  # ann, cid, eve; bob, dan
    assert folds_of(["x", "x", "x"], 2) == [[0, 2], [1]]  # a single speaker: every recording
    assert folds_of([None, None, "x"], 8) == [[2], [0], [1]]
    assert folds_of([], 4) == []
    with pytest.raises(ParameterError, match="n_folds=0, must be at least 1"):
        folds_of(GROUPS, 0)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_scores_come_from_copies_that_did_not_see_the_group(n_jobs):
    feature = Spy()
    stages = []
    items = recordings(GROUPS)
    own = cross_fit(
        [feature],
        items,
        n_folds=3,
        n_jobs=n_jobs,
        progress=lambda *args: stages.append(args),
    )
    assert saw(own, items) == [False] * 8
    assert feature.seen == {f"r{i}" for i in range(8)}  # the one that is kept saw everything
    assert stages == [("fitting classifiers", i, 4) for i in range(5)]


def test_folds_are_scored_by_what_the_feature_makes_for_them():
    class Brief(Spy):
        brief = False

        def for_a_fold(self):
            fast = type(self)()
            fast.brief = True
            return fast

    feature, alone, items = Brief(), PlainSpy(), recordings(GROUPS)
    own = cross_fit([feature, alone], items, n_folds=3)
    assert all(one.brief and other is alone for one, other in own)
    assert not feature.brief
    assert feature.seen == {f"r{i}" for i in range(8)}


def test_the_groups_of_a_fold_are_unseen():
    examples = recordings(GROUPS)
    seen_groups = []

    class Watch(Spy):
        def terms(self, signal, events):
            seen_groups.append((signal.name, frozenset(self.seen_groups)))
            return super().terms(signal, events)

    terms_of(cross_fit([Watch()], examples, n_folds=3), examples)
    group_of = {example.signal.name: example.group for example in examples}
    assert len(seen_groups) == 8
    for name, groups in seen_groups:
        assert group_of[name] not in groups
        assert groups


def test_copies_are_pooled_instead_of_one_more_fit():
    feature = PoolingSpy()
    items = recordings(GROUPS)
    assert saw(cross_fit([feature], items, n_folds=2), items) == [False] * 8
    assert feature.pooled == [{"r0", "r4", "r5"}, {"r1", "r2", "r3", "r6", "r7"}]
    assert feature.fits == 0


@pytest.mark.parametrize("n_folds", [1, 3])
def test_copies_go_on_from_those_that_were_fitted_to_the_same(n_folds):
    class GoingOn(PoolingSpy):
        begun = None

        def go_on_from(self, first):
            self.begun = first.seen
            return self

    items = recordings(GROUPS)
    first = cross_fit([PlainSpy(), GoingOn()], items, n_folds=n_folds)
    assert all(one.begun is None for _, one in first)
    own = cross_fit([PlainSpy(), GoingOn()], items, n_folds=n_folds, first=first)
    assert all(one.begun == one.seen for _, one in own)
    assert len({frozenset(one.seen) for _, one in own}) == n_folds


def test_what_was_fitted_to_everything_beside_folds_begins_anew():
    class Watch(Spy):
        begun = None

        def go_on_from(self, first):
            self.begun = first.seen
            return self

    items, feature = recordings(GROUPS), Watch()
    first = cross_fit([Spy()], items, n_folds=2)
    own = cross_fit([feature], items, n_folds=2, first=first)
    assert all(one.begun == one.seen for (one,) in own)
    assert feature.begun is None  # no copy there has seen all


def test_features_that_do_not_ask_are_fitted_once_to_everything():
    features = [PlainSpy("plain"), Spy()]
    items = recordings(GROUPS)
    own = cross_fit(features, items)
    names = [list(of_one) for of_one in terms_of(own, items)]
    assert names == [["plain", "spy"]] * 8  # in the order of features
    assert saw(own, items, "plain") == [True] * 8
    assert features[0].fits == 1


def test_one_recording_is_scored_by_what_saw_it_but_not_in_silence():
    feature = Spy()
    with pytest.warns(SingleRecordingWarning, match="with a single recording, classifiers score"):
        own = cross_fit([feature], recordings(["ann"]))
    assert saw(own, recordings(["ann"])) == [True]
    alone = recordings(["ann"])
    assert saw(cross_fit([PlainSpy()], alone), alone) == [True]  # nothing to warn of


def test_one_speaker_is_split_by_recording():
    items = recordings(["ann", "ann"])
    assert saw(cross_fit([Spy()], items), items) == [False, False]


def test_no_cross_fitting_where_it_is_not_wanted():
    items = recordings(GROUPS)
    assert saw(cross_fit([Spy()], items, n_folds=1), items) == [True] * 8
