"""Legacy random numbers: queues, an option and a Markov chain."""

import numpy as np
from numpy.random import (
    RandomState,
    exponential,
    get_state,
    multinomial,
    poisson,
    randn,
    seed,
    set_state,
    uniform,
)

seed(42)
state = get_state()
first = randn(100)
set_state(state)
print(np.array_equal(first, randn(100)), first[:2].round(5))
arrivals = np.cumsum(exponential(1.0, 200))
service = exponential(0.8, 200)
leave = np.zeros(200)
for i in range(200):
    leave[i] = max(arrivals[i], leave[i - 1] if i else 0) + service[i]
wait = leave - arrivals - service
print(wait.mean().round(4), (wait > 1e-9).mean(), np.percentile(wait, [50, 95]).round(3))
paths = 100 * np.exp(np.cumsum(0.2 / np.sqrt(50) * randn(300, 50) - 0.02 / 50, axis=1))
payoff = np.maximum(paths.mean(axis=1) - 100, 0)
print(payoff.mean().round(4), (payoff.std() / np.sqrt(300)).round(4), (paths.max(axis=1) > 120).sum())
P = np.array([[0.9, 0.1, 0], [0.2, 0.7, 0.1], [0, 0.3, 0.7]])
now, seen = 0, np.zeros(3, int)
for u in uniform(size=500):
    now = np.searchsorted(P[now].cumsum(), u)
    seen[now] += 1
print(seen, np.linalg.matrix_power(P, 50)[0].round(4), multinomial(20, [0.2, 0.3, 0.5]), poisson(3, 40).sum())
w, v = np.linalg.eig(P.T)
stationary = np.real(v[:, np.argmax(w.real)])
print((stationary / stationary.sum()).round(5))
r = RandomState(5)
deck = np.arange(52)
r.shuffle(deck)
print(
    deck[:5],
    r.choice(deck, 3, replace=False),
    r.permutation(60)[:4],
    r.randint(0, 9, (3, 4)).sum(),
    r.binomial(10, 0.3, 50).mean(),
    r.beta(2, 3, 40).mean().round(4),
    r.random_sample(40).max().round(4),
    r.standard_t(4, 50).std().round(4),
    r.bytes(3),
    r.gamma(2, size=60).mean().round(4),
)
