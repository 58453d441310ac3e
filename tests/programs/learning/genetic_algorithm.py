"""A genetic algorithm for a knapsack, with the legacy random functions."""

import numpy as np

np.random.seed(7)
items = 60
weights = np.random.randint(1, 30, items)
values = np.random.randint(5, 60, items)
limit = weights.sum() // 3
population = np.random.rand(40, items) < 0.3


def fitness(people):
    load = people @ weights
    worth = people @ values
    return np.where(load <= limit, worth, limit - load)


for generation in range(30):
    score = fitness(population)
    order = np.argsort(-score, kind="stable")
    parents = population[order[:20]]
    pairs = np.random.permutation(20).reshape(10, 2)
    children = []
    for first, second in pairs:
        cut = np.random.randint(1, items)
        for a, b in ((first, second), (second, first)):
            child = np.concatenate([parents[a][:cut], parents[b][cut:]])
            child ^= np.random.rand(items) < 0.02
            children.append(child)
    population = np.vstack([parents, children])
    if generation % 10 == 0:
        print(generation, score.max(), int(score[order[:20]].mean() * 100))
best = population[np.argmax(fitness(population))]
print(
    "best",
    fitness(best[None])[0],
    weights[best].sum() <= limit,
    np.flatnonzero(best)[:5],
    np.packbits(best)[:3],
)
