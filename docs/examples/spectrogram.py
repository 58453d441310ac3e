"""See a signal's frequencies over time, with SciPy's filters and short-time Fourier transforms.

Two chirps, a hum and noise are filtered without a phase shift; the spectrogram shows what remains.

    python spectrogram.py --size 16777216 --picture spectrogram.png
"""

import numpy as np
from scipy import signal
from side_by_side import check, measure, options, pyplot, report

import gpunp

RATE = 8000.0  # samples per second


def listen(x):
    """The signal between 200 and 3000 Hz, its spectrogram in decibels, and the mean spectrum."""
    band = signal.butter(6, (200, 3000), "bandpass", fs=RATE, output="sos")
    filtered = signal.sosfiltfilt(band, x)
    transform = signal.ShortTimeFFT(signal.windows.hann(512), 256, RATE, mfft=1024, scale_to="psd")
    power = transform.spectrogram(filtered)
    return 10 * np.log10(power + 1e-12), signal.welch(filtered, RATE, nperseg=1024)[1]


def record(rng, size):
    """Two chirps, a hum at 50 Hz, and noise."""
    t = np.arange(size) / RATE
    up = signal.chirp(t, 300, t[-1], 3500, method="logarithmic")
    down = signal.chirp(t, 2800, t[-1], 400)
    return up + 0.5 * down + 2 * np.sin(2 * np.pi * 50 * t) + rng.normal(0, 0.3, size)


def main():
    arguments = options(__doc__, 200_000, "samples", "the spectrogram")
    x = record(np.random.default_rng(7), arguments.size)
    (expected, spectrum), numpys = measure(listen, x, repeats=arguments.repeats)
    (power, own), ours = measure(listen, gpunp.asarray(x), repeats=arguments.repeats)
    report(
        f"filter and spectrogram of {arguments.size} samples",
        {"NumPy": numpys, "gpunp": ours},
        differences_from_NumPy=max(check(power, expected, 1e-4), check(own, spectrum, 1e-6)),
    )
    if arguments.picture:
        plt = pyplot()
        plt.figure(figsize=(7, 4))
        seconds = arguments.size / RATE
        extent = (0, seconds, 0, RATE / 2)
        plt.imshow(gpunp.asnumpy(power), origin="lower", aspect="auto", extent=extent, vmin=-70, vmax=-20)
        plt.xlabel("time, s")
        plt.ylabel("frequency, Hz")
        plt.colorbar(label="power, dB")
        plt.tight_layout()
        plt.savefig(arguments.picture, dpi=90)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
