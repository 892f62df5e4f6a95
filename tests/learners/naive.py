"""The slow twins of the learners: each algorithm as its source prints it, one round after another.

Tests import them from here (`from learners.naive import ...`), whatever folder they stand in.
"""

import numpy as np
from mixing_problems import Classes
from scipy.optimize import minimize

from align.learners import Blocks, Entropy, Euclidean, pair_step, project_simplex, ranking_step
from align.learners.parts import mixing_weights
from align.learners.ranking import sopopo

COMPLEXITY = {"euclidean": Blocks(Euclidean()), "entropy": Blocks(Entropy())}


def sorted_simplex(mu, size):
    """Figure 7.1, word for word."""
    descending = np.sort(mu)[::-1]
    sums = np.cumsum(descending)
    j = np.arange(1, mu.size + 1)
    rho = np.nonzero(descending - (sums - size) / j > 0)[0].max() + 1
    return np.maximum(mu - (sums[rho - 1] - size) / rho, 0)


def pa_tau(update, loss, square, C):
    """Section 2 and 6 of the paper, word for word."""
    if loss <= 0.0 or square == 0.0:
        return 0.0
    if update == "pa":
        return loss / square
    return min(C, loss / square) if update == "pa1" else loss / (square + 1 / (2 * C))


def multiclass_pa(X, y, k, update, C):
    """Multiclass PA in the primal (C6, block form): last and mean weights [shape=(k, d)]."""
    W, history, mistakes, total = np.zeros((k, X.shape[1])), [], 0, 0.0
    for x, r in zip(X, y, strict=True):
        history.append(W.copy())
        scores = W @ x
        mistakes += int(np.argmax(scores)) != r
        rivals = np.where(np.arange(k) == r, -np.inf, scores)
        s = int(np.argmax(rivals))
        loss = max(0.0, 1.0 - scores[r] + scores[s])
        total += loss
        if loss > 1e-12 and x.any():
            tau = pa_tau(update, loss, 2 * x @ x, C)
            W[r] += tau * x
            W[s] -= tau * x
    return W, np.mean(history, axis=0), mistakes, total


def kernel_pa(kernel, X, y, k, update, C, order):
    """The same with a kernel, one round after the other: mean coefficient of each example."""
    K = kernel(X, X)
    coef, mean = np.zeros((len(X), k)), np.zeros((len(X), k))
    for i in order:
        mean += coef / len(order)
        scores = K[i] @ coef
        s = int(np.argmax(np.where(np.arange(k) == y[i], -np.inf, scores)))
        loss = max(0.0, 1.0 - scores[y[i]] + scores[s])
        if loss > 1e-12:
            tau = pa_tau(update, loss, 2 * K[i, i], C)
            coef[i, y[i]] += tau
            coef[i, s] -= tau
    return coef, mean


def multiplicative_uniclass(X, epsilon, step):
    w, squares, losses = np.full(X.shape[1], 1 / X.shape[1]), 0.0, 0.0
    for x in X:
        distance = np.linalg.norm(x - w)
        loss = max(distance - epsilon, 0.0)
        if loss:
            d = (x - w) / distance
            w = w * np.exp(step(loss, d) * d)
            w /= w.sum()
        squares += loss**2
        losses += loss
    return w, squares, losses


def iellip(X, y, gamma, b, c, p=1.0):
    """Algorithm 2, word for word; yields what the recursions are about."""
    w, P, j = np.zeros(X.shape[1]), p * np.eye(X.shape[1]), 0
    for x, sign in zip(X, y, strict=True):
        z = sign * x
        if z @ w > 0 or not z.any():
            continue
        ct = c * b**j
        s = np.sqrt(z @ P @ z)
        g, alpha = z / s, (gamma - z @ w) / s
        yield w, P, g, alpha, ct, z
        w = w + alpha * P @ g
        P = (P - ct * np.outer(P @ g, P @ g)) / (1 - ct)
        j += 1
    yield w, P, None, None, None, None


def best_stump_edge(X, signed):
    """The best edge over every stump, constant ones included."""
    best = abs(signed.sum())
    for column in X.T:
        for value in column:
            best = max(best, abs((signed * np.where(column > value, 1, -1)).sum()))
    return best


def sopopo_by_bisection(scores, relevant, square, c, margin, total=1.0):
    """The same step from the optimality of z: the two thresholds sum to zero, or z is `total`."""
    mu, nu = c * (margin - scores[relevant]) / square, c * scores[~relevant] / square
    low, high = 0.0, total

    def thresholds(z):
        a, b = project_simplex(mu, z), project_simplex(nu, z)
        i, j = a.argmax(), b.argmax()
        return (mu[i] - a[i]) + (nu[j] - b[j])

    for _ in range(200):
        middle = (low + high) / 2
        if thresholds(middle) > 0:
            low = middle
        else:
            high = middle
    alpha = np.empty(scores.size)
    alpha[relevant], alpha[~relevant] = project_simplex(mu, high), project_simplex(nu, high)
    return alpha


def max_hinge_optimum(a, gamma, c):
    """The minimum of phi, from the dual quadratic programme."""
    k = len(gamma)
    gram = a @ a.T
    found = minimize(
        lambda t: t @ gram @ t / (2 * c) - gamma @ t, np.full(k, 0.5 / k), method="SLSQP",
        jac=lambda t: gram @ t / c - gamma, bounds=[(0, 1)] * k,
        constraints=[{"type": "ineq", "fun": lambda t: 1 - t.sum(), "jac": lambda t: -np.ones(k)}],
        options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    return -found.fun


def max_hinge_figure(a, gamma, c, n_iter):
    """Figure 7.5, word for word, with z itself."""
    limit = np.sqrt(2 * max(gamma.max(), 0) / c)
    z, mean = np.zeros(a.shape[1]), np.zeros(a.shape[1])
    alpha, mean_alpha = np.zeros(len(a)), np.zeros(len(a))
    for t in range(1, n_iter + 1):
        mean, mean_alpha = mean + z / n_iter, mean_alpha + alpha / n_iter
        i = (gamma - a @ z).argmax()
        on = gamma[i] > a[i] @ z
        z, alpha = z * (1 - 1 / t), alpha * (1 - 1 / t)
        if on:
            z = z + a[i] / (c * t)
            alpha[i] += 1 / t
        if np.linalg.norm(z) > limit:
            shrink = limit / np.linalg.norm(z)
            z, alpha = z * shrink, alpha * shrink
    return mean, mean_alpha


def pdip_objective(f, v, x, relevant, c, margin, alpha):
    sigma = np.where(relevant, 1, -1)
    moved = v + (sigma * alpha)[:, None] * x
    return c * f.conjugate(moved / c).sum() - margin * alpha[relevant].sum()


def pdip_generic(f, v, x, relevant, c, margin):
    sigma = np.where(relevant, 1.0, -1.0)
    k = relevant.size

    def gradient(a):
        moved = v + (sigma * a)[:, None] * x
        return sigma * (f.link(moved / c) @ x) - margin * relevant

    start = np.where(relevant, 0.5 / relevant.sum(), 0.5 / (~relevant).sum())
    return minimize(
        lambda a: pdip_objective(f, v, x, relevant, c, margin, a), start, jac=gradient,
        method="SLSQP", bounds=[(0, 1)] * k, options={"ftol": 1e-16, "maxiter": 1000},
        constraints=[{"type": "eq", "fun": lambda a: sigma @ a, "jac": lambda a: sigma},
                     {"type": "ineq", "fun": lambda a: 1 - a[relevant].sum(),
                      "jac": lambda a: -relevant.astype(float)}],
    )  # fmt: skip


def pairs_of(x, y):
    found = [(i, j) for i in range(len(y)) for j in range(len(y)) if y[i] > y[j]]
    up, down = np.array(found, dtype=int).reshape(-1, 2).T
    return x[up] - x[down], y[up] - y[down]


def instance_dual(x, y, w0, c, loss):
    """Maximise the dual of one round with a generic solver; return the step of v."""
    a, b = pairs_of(x, y)
    short, E = b - a @ w0, len(b)

    def value(alpha):
        move = alpha @ a
        return -(alpha @ short - move @ move / (2 * c)), -(short - a @ move / c)

    caps = {"type": "ineq", "fun": lambda alpha: 1.0 - alpha.sum(), "jac": lambda al: -np.ones(E)}
    found = minimize(
        value, np.full(E, 0.5 / E), jac=True, method="SLSQP",
        bounds=[(0.0, 1.0 / E if loss == "average" else 1.0)] * E,
        constraints=[] if loss == "average" else [caps],
        options={"maxiter": 1000, "ftol": 1e-14},
    )  # fmt: skip
    return found.x @ a, -found.fun


def label_weights(V, c, complexity):
    return COMPLEXITY[complexity].link(V / c)


def label_ranking(X, Y, complexity, update, c, gamma):
    """The table of the module's docstring, word for word; yields W_t, mistake, loss, dual."""
    V = np.zeros((Y.shape[1], X.shape[1]))
    gain = 0.0
    for x, on in zip(X, Y, strict=True):
        W = label_weights(V, c, complexity)
        s = np.array([(w * x).sum() for w in W])  # equal weights tie; in BLAS they may not
        if not on.any() or on.all():
            yield W, False, 0.0, gain - c * COMPLEXITY[complexity].conjugate(V / c)
            continue
        up = min(np.flatnonzero(on), key=lambda r: s[r])
        down = max(np.flatnonzero(~on), key=lambda r: s[r])
        loss = max(gamma - (s[up] - s[down]), 0.0)
        mistake = s[up] <= s[down]
        alpha = np.zeros(len(V))
        if x.any():
            if update == "conservative":
                alpha[[up, down]] = float(mistake)
            elif update == "aggressive" and complexity == "euclidean":
                alpha[[up, down]] = min(1.0, c * loss / (2 * x @ x))
            elif update == "aggressive" and loss > 0:
                alpha[[up, down]] = pair_step(V[up], V[down], x, c, gamma, complexity="entropy")
            elif complexity == "euclidean":
                alpha = sopopo(s, on, x @ x, c, gamma)
            else:
                alpha = ranking_step(V, x, on, c, gamma)
        else:  # a loss that no weights avoid: any alpha of sum 1 is a dual variable of it
            gain += gamma
        V = V + np.where(on, alpha, -alpha)[:, None] * x
        gain += gamma * alpha[on].sum()
        yield W, mistake, loss, gain - c * COMPLEXITY[complexity].conjugate(V / c)


def structured_run(update, problem, xs, ys, C, U):
    """The prediction-based updates, written down as the sources print them."""
    w = np.zeros(len(problem.joint_feature(xs[0], ys[0])))
    theta, X, m = np.zeros_like(w), 0.0, 0
    history = []
    for x, y in zip(xs, ys, strict=True):
        history.append(w.copy())
        y_hat = problem.decode(w, x)
        rho = problem.cost(y, y_hat)
        a = problem.joint_feature(x, y) - problem.joint_feature(x, y_hat)
        square = a @ a
        g = max(0.0, rho - w @ a)
        if update == "self-tuned":
            if rho > 0:
                m += 1
                X = max(X, np.sqrt(square))
                c = X * np.sqrt(m / (2 * U))
                if square > 0:
                    theta = theta + min(1.0, max(0.0, c * rho - theta @ a) / square) * a
                w = theta / c if c > 0 else theta
        elif square > 0 and update == "perceptron":
            w = w + (rho > 0) * a
        elif square > 0:
            w = (
                w
                + a
                * {
                    "pa": g / square,
                    "pa1": min(C, g / square),
                    "pa2": g / (square + 1 / (2 * C)),
                }[update]
            )
    return w, history


def parameter_mixing(xs, ys, n_shards, epochs, mix, C):
    """Mix as the paper's Fig. 3 says, with PA-I written out; the order is that of the examples."""
    problem = Classes()
    w = np.zeros(12)
    hypotheses = []
    for _ in range(epochs):
        ends, updates = [], []
        for part in np.array_split(np.arange(len(xs)), n_shards):
            v, k = w.copy(), 0
            for i in part:
                hypotheses.append(v.copy())
                y_hat = problem.decode(v, xs[i])
                a = problem.joint_feature(xs[i], ys[i]) - problem.joint_feature(xs[i], y_hat)
                loss = max(0.0, problem.cost(ys[i], y_hat) - v @ a)
                if loss > 0 and a.any():
                    v = v + min(C, loss / (a @ a)) * a
                    k += 1
            ends.append(v)
            updates.append(k)
        mu = mixing_weights(updates, mix)
        w = sum(m * v for m, v in zip(mu, ends, strict=True))
    return w, np.mean(hypotheses, axis=0)
