"""The spectrum of a noisy signal, and its strongest frequencies."""

import numpy as np

rng = np.random.default_rng(4)
rate, seconds = 800, 2
t = np.arange(rate * seconds) / rate
signal = np.sin(2 * np.pi * 50 * t) + 0.5 * np.sin(2 * np.pi * 120 * t) + 0.2 * rng.standard_normal(t.size)
window = np.hanning(t.size)
power = np.abs(np.fft.rfft(signal * window)) ** 2
frequency = np.fft.rfftfreq(t.size, 1 / rate)
strongest = np.argsort(power)[::-1][:6]
print(np.sort(frequency[strongest]))
peaks = frequency[np.flatnonzero((power[1:-1] > power[:-2]) & (power[1:-1] > power[2:])) + 1]
print(len(peaks) > 10, power.sum().round(4))
