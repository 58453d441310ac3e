"""Station data with gaps: masked arrays over large arrays."""

# runs: alone
import numpy as np
import numpy.ma as ma

rng = np.random.default_rng(11)
t = np.arange(365)
temperature = 10 + 12 * np.sin(2 * np.pi * (t - 100) / 365) + rng.normal(0, 2, (8, 365))
temperature[rng.random(temperature.shape) < 0.08] = -999
data = ma.masked_values(temperature, -999, copy=False)
print(
    data.count(),
    data.mean(axis=1).round(4),
    data.std().round(4),
    data.min(),
    ma.median(data, axis=1).round(3)[:3],
)
data[2] = ma.masked
data[:, :5] += 1
data[3, 10:20] = 15.5
print(temperature[3, 8:12].round(3), data.mask.sum(), data[2].count())
anomaly = data - data.mean(axis=0)
print(anomaly.shape, round(float((anomaly**2).mean()), 5), anomaly[2, :2], ma.getmaskarray(anomaly).sum())
hot = ma.masked_where(data < 20, data)
print(hot.count(), hot.compressed()[:3].round(3), hot.filled(0).sum().round(3), ma.clump_unmasked(hot[0])[:2])
monthly = ma.array([data[:, m * 30 : m * 30 + 30].mean(axis=1) for m in range(12)])
print(
    monthly.shape,
    monthly[:, 0].round(2),
    monthly.argmax(axis=0)[:3],
    ma.corrcoef(data[0], data[1])[0, 1].round(4),
)
data.mask[0, :] = False
data.fill_value = -1
print(
    data[0].sum().round(3),
    data.filled()[2, :2],
    ma.average(data, axis=1, weights=np.ones(365))[:2].round(4),
    ma.polyfit(t, data[1], 1).round(5),
)
ma.masked_invalid(np.where(temperature > 25, np.nan, temperature), copy=False)
copyless = ma.array(temperature, mask=temperature > 20, copy=False)
copyless -= 100
print((temperature < -50).sum(), copyless.count(), copyless.max().round(3), temperature.max().round(3))
