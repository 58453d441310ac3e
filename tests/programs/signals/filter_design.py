"""Filters of scipy.signal on a chirp."""

# needs: scipy
import numpy as np
from scipy import signal

t = np.linspace(0, 1, 1500, endpoint=False)
x = signal.chirp(t, f0=5, f1=200, t1=1)
b, a = signal.butter(4, 0.2)
y = signal.filtfilt(b, a, x)
f, density = signal.welch(y, fs=1500, nperseg=256)
print(f[density.argmax()], y.std().round(6))
taps = signal.firwin(31, 0.3)
z = signal.lfilter(taps, 1.0, x)
print(np.round(z[100:1000:200], 6))
peaks, _ = signal.find_peaks(x, height=0.5)
print(len(peaks), peaks[:5])
