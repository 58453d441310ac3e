"""Naive Bayes for lines of text: strings, dictionaries, and a small matrix."""

import re
from collections import Counter

import numpy as np

TEXT = {
    "sea": "waves ship harbour sail wind storm sailor the the a deck anchor tide waves wind",
    "city": "street tram house light the a window crowd market street tram light noise house",
}
words = sorted({word for text in TEXT.values() for word in re.findall(r"\w+", text)})
index = {word: i for i, word in enumerate(words)}
counts = np.zeros((len(TEXT), len(words)), dtype=int)
for row, text in enumerate(TEXT.values()):
    for word, count in Counter(text.split()).items():
        counts[row, index[word]] += count
probability = np.log((counts + 1) / (counts + 1).sum(axis=1, keepdims=True))
for line in ("the wind and the waves", "a tram in the street"):
    rows = [index[word] for word in line.split() if word in index]
    scores = probability[:, rows].sum(axis=1)
    print(line, "->", list(TEXT)[int(scores.argmax())], scores.round(5))
names = np.array(words)
print(names[counts.sum(axis=0).argsort(kind="stable")[::-1][:4]], names.dtype.kind)
