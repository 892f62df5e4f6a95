import numpy as np
import pytest

from align.features.sound.disguises import DISGUISES, SILENCED, Disguise, disguised_energies
from align.features.sound.signal import Signal


@pytest.mark.parametrize(("power", "least", "most"), [(0.0, 1.0, 3.0), (0.5, -0.3, 0.3)])
def test_silence_beside_a_sound_hardly_changes_what_is_read_silenced(power, least, most):
    rng = np.random.default_rng(0)
    samples = rng.normal(0.0, 1e-3, 20000).astype(np.float32)
    samples[6000:14000] *= 100.0

    def middle(first, stop):
        signal = Signal(samples[first:stop], 16000)
        x = disguised_energies(signal, Disguise(silenced=power), [0.025], 8)
        return x[len(x) // 2 - 10 : len(x) // 2 + 10].mean()

    assert least < middle(3000, 17000) - middle(5000, 15000) < most


def test_silenced_disguises_are_the_usual_ones():
    assert [one._replace(silenced=0.0) for one in SILENCED] == list(DISGUISES)
    assert SILENCED[0].silenced == 0.0
