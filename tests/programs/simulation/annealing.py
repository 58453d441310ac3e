"""A travelling salesman by annealing, with 2-opt on a device array and a distance matrix."""

import math
import random

import numpy as np

random.seed(3)
np.random.seed(3)
cities = np.random.uniform(0, 100, (40, 2))
distance = np.sqrt(((cities[:, None] - cities[None]) ** 2).sum(-1))
tour = np.arange(40)


def length(tour):
    return distance[tour, np.roll(tour, -1)].sum()


current = length(tour)
best, best_tour, temperature = current, tour.copy(), 50.0
for step in range(1500):
    i, j = sorted(random.sample(range(40), 2))
    a, b, c, d = tour[i - 1], tour[i], tour[j], tour[(j + 1) % 40]
    if a == c or b == d:
        continue
    change = distance[a, c] + distance[b, d] - distance[a, b] - distance[c, d]
    if change < 0 or random.random() < math.exp(-change / temperature):
        tour[i : j + 1] = tour[i : j + 1][::-1]
        current += change
        if current < best:
            best, best_tour = current, tour.copy()
    temperature *= 0.996
print(
    round(float(best), 3),
    round(float(length(best_tour)), 3),
    best_tour[:6].tolist(),
    sorted(best_tour.tolist()) == list(range(40)),
)
print(
    np.bincount(best_tour, minlength=40).max(),
    np.allclose(distance, distance.T),
    distance.argmax(),
    np.unravel_index(distance.argmax(), distance.shape),
)
