"""Decoding where changes of length are scored: exact, in O(K T L).

**The recursion.** A ratio term ``a d**2 + b d'**2 + c d' d`` scores the length d of an event
together with the length d' of the event before it, so the state is a pair: onset t of event k and
its length d. With H_k(t, d) the best score of the terms of events ``0 .. k`` ::

    H_k(t, d) = onset[k, t] + duration[row_k, d] + a d**2 + max { g(d') + c d' d : d' }
    g(d')     = H_{k-1}(t - d', d') + b d'**2

To try all d' for all d costs L**2 for each onset. There are two ways around it.

**Upper envelopes** (`_envelopes`) are always right. For fixed k and t the bracket is a set of
straight lines in d, one for each d', and their slopes ``c d'`` come sorted. So the greatest of
them, for all d, is found in one pass over the lines and one over the lengths, O(1) a state. It
costs some twenty to forty times what semi-Markov decoding does, because no vector instruction
helps. Back-pointers take K W L bytes; checkpoints (`_checkpoints`) bound that.

**Bounds** (`_bounds`) avoid most of it where changes are never rewarded (`is_concave`). Suppose we
knew R_{k+1}(d, t + d), the best score of all that follows a state. Then a state is on a best path
only if ``H_k(t, d) + R_{k+1}(d, t + d)`` is the best score of all, and hardly any is. R obeys the
same recursion backwards, and costs as much as H; but a bound will do:

1. R is found for a few lengths d' only, the *knots* (`_knots`): dense around the length that the
   windows suggest, sparse far from it. Between two knots R is at most the line that joins them,
   plus ``-b`` times the product of the distances to both: up to that square it is convex in d'.
2. The lengths d that follow are joined in *bins*, which lose at most the change of length within
   a bin. So an onset costs knots times bins rather than L**2, some 10 times 25.
3. All is in float32, and loops run over the frames of an onset, so the compiler makes vectors.

Such bounds exceed the best score of a whole piece by less than what one onset decides. Then

4. a *beam* that follows the bounds finds a path, usually the best (`_search`);
5. the same search keeps all states whose bound reaches the score of that path, some 0.02 to 1 %,
   and finds the best of all, ties included (`_pruned`).

Where too many states are left, where changes are rewarded, or where memory is short, envelopes
decode all. The picture in ``docs/decoders.md`` shows an envelope, and a bound between knots.

The other users of the same states need all of them, so they take envelopes or sums: the k best
timings (`_k_best`), max-marginals (`_max_marginals`, envelopes forwards and backwards) and the
posterior (`_sums`, where exponentials have no envelope: O(K W L**2)).

W is the number of frames an onset can take, L that of the lengths of an event; conventions of time
are those of `align.types`.

References
----------
Shalev-Shwartz, "Online Learning: Theory, Algorithms, and Applications", 2007, section 9.4, for
the recursion, which is O(K T L**2) there.
"""

from align.decoders.second_order._decode import decode_second_order
from align.decoders.second_order._k_best import SecondOrder, fits
from align.decoders.second_order._max_marginals import second_order_max_marginals
from align.decoders.second_order._states import Problem, problem_of
from align.decoders.second_order._sums import second_order_sums

__all__ = [
    "Problem",
    "SecondOrder",
    "decode_second_order",
    "fits",
    "problem_of",
    "second_order_max_marginals",
    "second_order_sums",
]
