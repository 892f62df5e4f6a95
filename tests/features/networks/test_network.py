"""The convolutional network: gradients, training, edges, states."""

import numpy as np
import pytest

from align.errors import ModelError, ParameterError
from align.features.networks import training
from align.features.networks.network import FrameNetwork, in_eight_bits, log_sigmoid, log_softmax
from align.features.networks.targets import Target
from align.features.networks.training import _cross_entropy_slope, train_network

HEADS = (3, 1, 5)


def small(seed=0, **options):
    return FrameNetwork(4, HEADS, **{"width": 5, "dilations": (1, 3), "first": 3, **options})


def random_targets(rng, n):
    return [
        Target(rng.random(n, dtype=np.float32), rng.integers(0, size, n))
        if size > 1
        # A softmax whose strength is below 1 gives the rest to its last class.
        else Target(rng.random(n, dtype=np.float32))
        for size in HEADS
    ]


def loss_of(out, wanted, counted, head_weights):
    """The cross-entropy whose gradient `_cross_entropy_slope` is, in float64."""
    out, total, first = out.astype(np.float64), 0.0, 0
    for h, size in enumerate(HEADS):
        part = out[..., first : first + size]
        for b, row in enumerate(wanted):
            strength = row[h].strength.astype(np.float64)
            if size == 1:
                at = -strength * log_sigmoid(part[b, :, 0])
                at -= (1 - strength) * log_sigmoid(-part[b, :, 0])
            else:
                log_p = log_softmax(part[b])
                at = -strength * log_p[np.arange(len(strength)), row[h].label]
                at -= (1 - strength) * log_p[:, -1]
            total += head_weights[h] * float((at * counted[b]).sum())
        first += size
    return total / float(counted.sum())


@pytest.mark.parametrize("length", [9, 2])  # 2 is shorter than the reach of a layer
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_gradients_are_those_of_finite_differences(dropout, length):
    rng = np.random.default_rng(1)
    network = small()
    # In float64 throughout, where differences can be trusted.
    network.weights = [rng.normal(size=w.shape) * 0.5 for w in network.weights]
    x = rng.normal(size=(2, length, 4))
    wanted = [random_targets(rng, length) for _ in range(2)]
    counted = np.ones((2, length), dtype=np.float32)
    counted[1, 0] = 0.0
    head_weights = (1.0, 4.0, 0.5)

    def loss():
        out, kept = network.forward(x, np.random.default_rng(5), dropout)
        return loss_of(out, wanted, counted, head_weights), out, kept

    _, out, kept = loss()
    slope = _cross_entropy_slope(out, wanted, counted, HEADS, head_weights, [None] * len(HEADS))
    gradients = network.backward(slope, kept)
    assert len(gradients) == len(network.weights) == 8
    step = 1e-5
    for weight, gradient in zip(network.weights, gradients, strict=True):
        assert gradient.shape == weight.shape
        numeric = np.zeros(weight.shape)
        for index in np.ndindex(weight.shape):
            kept_value = weight[index]
            weight[index] = kept_value + step
            above = loss()[0]
            weight[index] = kept_value - step
            below = loss()[0]
            weight[index] = kept_value
            numeric[index] = (above - below) / (2 * step)
        np.testing.assert_allclose(gradient, numeric, rtol=1e-4, atol=1e-6)
        assert np.abs(gradient).max() > 1e-4


def side_by_side(x, taps, dilation):
    """Lay `taps` frames, `dilation` apart and centred, side by side [shape=(B * L, taps * C)]."""
    batch, length, channels = x.shape
    reach = (taps // 2) * dilation
    padded = np.zeros((batch, length + 2 * reach, channels), dtype=x.dtype)
    padded[:, reach : reach + length] = x
    out = np.empty((batch, length, taps, channels), dtype=x.dtype)
    for tap in range(taps):
        out[:, :, tap] = padded[:, tap * dilation : tap * dilation + length]
    return out.reshape(batch * length, taps * channels)


def plain_forward(network, x, rng, dropout):
    """The slow twin of `FrameNetwork.forward`, and of its kernels: numpy, step by step."""
    batch, length, _ = x.shape
    columns = side_by_side(x, network.first, 1)
    h = np.maximum(columns @ network.weights[0] + network.weights[1], 0.0)
    kept = [(columns, h > 0.0)]
    for layer, dilation in enumerate(network.dilations, start=1):
        inner = h.reshape(batch, length, -1)
        mask = (rng.random(inner.shape, dtype=np.float32) >= dropout).astype(np.float32)
        mask /= np.float32(1.0 - dropout)
        columns = side_by_side(inner * mask, 3, dilation)
        z = columns @ network.weights[2 * layer] + network.weights[2 * layer + 1]
        h = h + np.maximum(z, 0.0)
        kept.append((columns, z > 0.0, mask))
    kept.append(h)
    return (h @ network.weights[-2] + network.weights[-1]).reshape(batch, length, -1), kept


def plain_backward(network, slope, kept):
    """The slow twin of `FrameNetwork.backward`."""
    batch, length, _ = slope.shape
    slope = slope.reshape(batch * length, -1)
    gradients = [kept[-1].T @ slope, slope.sum(axis=0)]
    dh = slope @ network.weights[-2].T
    for layer in range(len(network.dilations), -1, -1):
        columns, on = kept[layer][:2]
        dz = dh * on
        gradients = [columns.T @ dz, dz.sum(axis=0), *gradients]
        if layer:
            taps = dz @ network.weights[2 * layer].T
            taps = taps.reshape(batch, length, 3, network.width)
            inner, d = taps[:, :, 1].copy(), network.dilations[layer - 1]
            inner[:, : max(length - d, 0)] += taps[:, d:, 0]
            inner[:, d:] += taps[:, : max(length - d, 0), 2]
            dh = dh + (inner * kept[layer][2]).reshape(batch * length, -1)
    return gradients


@pytest.mark.parametrize("length", [128, 2])
def test_the_passes_of_training_have_the_bytes_of_their_slow_twin(length):
    rng = np.random.default_rng(9)
    network = FrameNetwork(45, HEADS, width=40, dilations=(1, 4, 16), random_state=3)
    network.weights[1::2] = [
        rng.normal(size=w.shape).astype(np.float32) for w in network.weights[1::2]
    ]
    x = rng.standard_normal((8, length, 45), dtype=np.float32)
    out, kept = network.forward(x, np.random.default_rng(5), 0.1)
    expected, plain = plain_forward(network, x, np.random.default_rng(5), 0.1)
    np.testing.assert_array_equal(out, expected)
    slope = rng.standard_normal(out.shape, dtype=np.float32)
    gradients = network.backward(slope, kept)
    for own, twin in zip(gradients, plain_backward(network, slope, plain), strict=True):
        np.testing.assert_array_equal(own, twin)
    answered = network.raw_outputs(x)
    expected, _ = plain_forward(network, x, np.random.default_rng(5), 0.0)
    np.testing.assert_allclose(answered, expected, atol=1e-5)
    np.testing.assert_array_equal(answered[2:5], network.raw_outputs(x[2:5]))  # whatever is beside


def test_forward_without_dropout_is_what_outputs_says():
    rng = np.random.default_rng(2)
    network = small()
    network.mean[:], network.deviation[:] = 0.5, 2.0
    x = rng.normal(size=(30, 4)).astype(np.float32)
    out, _ = network.forward(network.standardise(x)[None], rng, 0.0)
    heads = network.outputs(x)
    assert [head.shape for head in heads] == [(30, 3), (30, 1), (30, 5)]
    np.testing.assert_allclose(np.concatenate(heads, axis=1), out[0], atol=1e-5)


def test_beyond_the_edges_is_the_mean_of_training():
    rng = np.random.default_rng(3)
    network = small()
    network.mean[:] = rng.normal(size=4)
    x = rng.normal(size=(20, 4)).astype(np.float32)
    silence = np.tile(network.mean, (12, 1))  # standardised: 0
    alone = np.concatenate(network.outputs(x), axis=1)
    # The first layer of zeros and its neighbours differs from padding by its bias alone.
    network.weights[1][:] = 0.0
    network.weights[3][:] = network.weights[5][:] = 0.0
    alone = np.concatenate(network.outputs(x), axis=1)
    padded = np.concatenate([silence, x, silence]).astype(np.float32)
    inside = np.concatenate(network.outputs(padded), axis=1)[12:32]
    reach = 1 + 1 + 3  # first layer, and a dilation each
    np.testing.assert_allclose(alone[reach:-reach], inside[reach:-reach], atol=1e-5)


def test_a_frame_is_seen_as_far_as_the_dilations_reach():
    rng = np.random.default_rng(4)
    network = small()
    x = rng.normal(size=(40, 4)).astype(np.float32)
    before = np.concatenate(network.outputs(x), axis=1)
    x[20] += 1.0
    changed = np.abs(np.concatenate(network.outputs(x), axis=1) - before).max(axis=1) > 1e-7
    reach = 1 + 1 + 3
    assert changed[20]
    assert not changed[: 20 - reach].any()
    assert not changed[20 + reach + 1 :].any()
    assert changed[20 - reach : 20].any()
    assert changed[21 : 20 + reach + 1].any()


def toy(rng, n=200):
    """Frames whose class is the channel that is loudest, and whether the class just changed."""
    label = np.repeat(rng.integers(0, 3, n // 10), 10)
    x = rng.normal(size=(n, 4)).astype(np.float32) * 0.3
    x[np.arange(n), label] += 2.0
    begins = np.diff(label, prepend=label[0]) != 0
    ones = np.ones(n, dtype=np.float32)
    return x, [
        Target(ones, label),
        Target(begins.astype(np.float32)),
        Target(begins.astype(np.float32), label),
    ]


def trained(seed=0, **options):
    data = [toy(np.random.default_rng(i)) for i in range(4)]
    network = FrameNetwork(4, (3, 1, 4), width=8, dilations=(1, 2), first=3, random_state=seed)
    settings = {"steps": 300, "length": 64, "learning_rate": 1e-2, **options}
    return train_network(network, data, **settings)


def test_training_learns_a_toy_problem():
    steps = []
    network = trained(progress=lambda *args: steps.append(args))
    assert steps[-1] == (300, 300)
    x, targets = toy(np.random.default_rng(99))
    label, boundary, transition = network.outputs(x)
    assert (label.argmax(axis=1) == targets[0].label).mean() > 0.97
    begins = targets[1].strength > 0.5
    assert log_sigmoid(boundary[begins]).mean() > log_sigmoid(boundary[~begins]).mean() + 2.0
    quiet = log_softmax(transition)[:, -1]  # the last class stands for no transition
    assert quiet[~begins].mean() > quiet[begins].mean() + 1.0
    before = FrameNetwork(4, (3, 1, 4), width=8, dilations=(1, 2), first=3).outputs(x)[0]
    untrained = -log_softmax(before)[np.arange(200), targets[0].label].mean()
    assert -log_softmax(label)[np.arange(200), targets[0].label].mean() < 0.2 * untrained


def test_sequences_made_anew_are_learned_from():
    """A fourth channel tells the class in fresh sequences only: without them it is not learned."""

    def fresh(rng):
        x, targets = toy(rng)
        x[:, :3] = rng.normal(size=(len(x), 3))
        x[np.arange(len(x)), 3] = 2.0 * targets[0].label
        return x, targets

    x, targets = fresh(np.random.default_rng(99))
    right = [
        (trained(steps=400, **options).outputs(x)[0].argmax(axis=1) == targets[0].label).mean()
        for options in ({}, {"fresh": fresh, "share": 0.6})
    ]
    assert right[0] < 0.6
    assert right[1] > 0.9


def test_fresh_sequences_are_asked_for_in_every_other_update():
    made = []

    def fresh(rng):
        made.append(None)
        return toy(rng)

    trained(steps=7, fresh=fresh)
    assert len(made) == 4


def test_sequences_besides_are_seen_less_in_the_end(monkeypatch):
    other, seen = toy(np.random.default_rng(9)), []

    def cut(network, chosen, length, rng):
        seen.append(np.mean([lesson is other for lesson in chosen]))
        return stretches(network, chosen, length, rng)

    stretches = training._stretches
    monkeypatch.setattr(training, "_stretches", cut)
    trained(steps=200, length=32, besides=[other])
    assert np.mean(seen[:150]) == pytest.approx(0.6, abs=0.05)
    assert np.mean(seen[150:]) == pytest.approx(0.3, abs=0.08)


def test_training_is_the_same_for_a_seed_and_another_for_another():
    first, again = trained(steps=5), trained(steps=5)
    for a, b in zip(first.weights, again.weights, strict=True):
        np.testing.assert_array_equal(a, b)
    other, noise = trained(steps=5, seed=1), trained(steps=5, noise=0.0)
    assert not np.array_equal(first.weights[2], other.weights[2])
    assert not np.array_equal(first.weights[2], noise.weights[2])


def test_training_standardises_its_inputs():
    rng = np.random.default_rng(0)
    x = rng.normal(3.0, 5.0, size=(400, 4)).astype(np.float32)
    lessons = [(part, random_targets(rng, 200)) for part in (x[:200], x[200:])]
    network = train_network(small(), lessons, steps=0)
    standard = network.standardise(x)
    np.testing.assert_allclose(standard.mean(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(standard.std(axis=0), 1.0, atol=1e-3)
    assert standard.dtype == np.float32


def test_head_weights_decide_what_is_learned():
    boundary_only = trained(head_weights=(0.0, 1.0, 0.0), steps=60, decay=0.0)
    untrained = FrameNetwork(4, (3, 1, 4), width=8, dilations=(1, 2), first=3)
    np.testing.assert_array_equal(boundary_only.weights[-2][:, :3], untrained.weights[-2][:, :3])
    assert not np.array_equal(boundary_only.weights[-2][:, 3], untrained.weights[-2][:, 3])


def test_recordings_shorter_than_a_stretch():
    rng = np.random.default_rng(0)
    x = [rng.normal(size=(n, 4)).astype(np.float32) for n in (1, 7, 300)]
    lessons = [(frames, random_targets(rng, len(frames))) for frames in x]
    network = train_network(small(), lessons, steps=8, length=64)
    assert all(np.isfinite(w).all() for w in network.weights)
    assert [head.shape[0] for head in network.outputs(x[0])] == [1, 1, 1]


def test_losses_do_not_overflow():
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(
            log_sigmoid(np.array([-1000.0, 0.0, 1000.0])), [-1000, -0.6931472, 0]
        )
        np.testing.assert_allclose(
            log_softmax(np.array([[1e4, 0.0]], dtype=np.float32)), [[0.0, -1e4]]
        )


def test_states_round_trip():
    network = trained(steps=3)
    params, arrays = network.get_state()
    x = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)
    again = FrameNetwork.from_state(params, arrays)
    for a, b in zip(network.outputs(x), again.outputs(x), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("params", "arrays", "message"),
    [
        ({"width": 9}, {}, "do not have the shapes"),
        ({"width": 1 << 40}, {}, "do not have the shapes"),
        ({"heads": [3, 1]}, {}, "do not have the shapes"),
        ({"dilations": [1]}, {}, "do not have the shapes"),
        ({"dilations": None}, {}, "description is incomplete"),
        ({}, {"weight00": None}, "description is incomplete"),
        ({}, {"weight02": np.zeros((3, 3))}, r"'weight02' must have shape \(15, 5\)"),
        ({}, {"weight03": None}, r"'weight03' must have shape \(5,\)"),
        ({}, {"mean": np.full(4, np.nan)}, "'mean' is not finite"),
        ({}, {"weight02": np.full((15, 5), np.inf)}, "'weight02' is not finite"),
        ({}, {"deviation": np.zeros(4)}, "'deviation' must be positive"),
    ],
)
def test_wrong_states_are_refused(params, arrays, message):
    kept_params, kept_arrays = small().get_state()
    changed = {k: v for k, v in {**kept_arrays, **arrays}.items() if v is not None}
    with pytest.raises(ModelError, match=message):
        FrameNetwork.from_state({**kept_params, **params}, changed)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"first": 4}, "first=4 must be odd"),
        ({"dilations": (1, 0)}, "positive"),
        ({"width": 0}, "must be positive"),
        ({"heads": ()}, "must be positive"),
    ],
)
def test_wrong_networks(options, message):
    with pytest.raises(ParameterError, match=message):
        FrameNetwork(**{"n_inputs": 4, "heads": HEADS, **options})


def test_wrong_inputs():
    with pytest.raises(ParameterError, match=r"x.shape=\(5, 3\), must be \(T, 4\)"):
        small().outputs(np.zeros((5, 3), dtype=np.float32))
    with pytest.raises(ParameterError, match="must hold at least one"):
        train_network(small(), [])


def test_divergence_is_said():
    x = np.full((64, 4), 1.0, dtype=np.float32)
    lesson = x, random_targets(np.random.default_rng(0), 64)
    with np.errstate(all="ignore"), pytest.raises(ParameterError, match="training diverged"):
        train_network(small(), [lesson], steps=40, learning_rate=1e30)


def test_halfway_is_the_mean_of_the_weights_but_not_with_other_outputs():
    one, other = (FrameNetwork(4, heads=(2, 1), width=8, random_state=n) for n in (0, 1))
    before = [w.copy() for w in one.weights]
    half = one.halfway(other)
    for mean, a, b, kept in zip(half.weights, one.weights, other.weights, before, strict=True):
        np.testing.assert_allclose(mean, 0.5 * (a + b), rtol=1e-6)
        assert mean.dtype == np.float32
        assert (a == kept).all()
    assert one.halfway(FrameNetwork(4, heads=(3, 1), width=8)) is one


def test_weights_in_eight_bits_are_off_by_half_a_step_and_kept_as_bytes():
    network = FrameNetwork(3, (2, 1), width=4, dilations=(1, 2))
    before = [w.copy() for w in network.weights]
    network.weights[::2] = map(in_eight_bits, network.weights[::2])
    for one, other in zip(network.weights[::2], before[::2], strict=True):
        assert 0 < np.abs(one - other).max() <= np.abs(other).max() / 127
        np.testing.assert_array_equal(in_eight_bits(one), one)
    params, arrays = network.get_state()
    assert {arrays[f"weight0{i}"].dtype.name for i in (0, 2, 4, 6)} == {"int8"}
    again = FrameNetwork.from_state(params, arrays)
    for one, other in zip(again.weights, network.weights, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_array_equal(one, other)


def test_other_weights_are_kept_as_they_are():
    network = FrameNetwork(3, (2, 1), width=4, dilations=(1, 2))
    for spoilt in (0.1, np.inf, np.nan, 3e9):
        network.weights[2][0, 0] = spoilt
        _, arrays = network.get_state()
        assert "powers" not in arrays
        np.testing.assert_array_equal(arrays["weight02"], network.weights[2])


@pytest.mark.parametrize("powers", [[25, 0, 0, 0], [0, 0, 0], [0, 0, 0, np.inf]])
def test_impossible_powers_are_refused(powers):
    network = FrameNetwork(3, (2, 1), width=4, dilations=(1, 2))
    params, arrays = network.get_state()
    with pytest.raises(ModelError, match=r"network.*array 'powers'"):
        FrameNetwork.from_state(params, {**arrays, "powers": np.array(powers, dtype=float)})
