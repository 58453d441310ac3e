"""A program that is its own test: unittest and doctest."""
# ruff: noqa: PT009, PT027

import doctest
import io
import sys
import unittest

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal


def moving_average(x, n=3):
    """The mean of each n neighbours.

    >>> moving_average(np.arange(50.0))[:3]
    array([1., 2., 3.])
    >>> moving_average(np.arange(50.0), 5).shape
    (46,)
    >>> moving_average(np.ones(50)).sum()
    np.float64(48.0)
    >>> np.arange(40.0).reshape(4, 10).mean(axis=1)
    array([ 4.5, 14.5, 24.5, 34.5])
    >>> moving_average(np.ones(50), 0)
    Traceback (most recent call last):
    ...
    ValueError: n is positive
    """
    if n < 1:
        raise ValueError("n is positive")
    c = np.cumsum(np.insert(x, 0, 0.0))
    return (c[n:] - c[:-n]) / n


class Averages(unittest.TestCase):
    def setUp(self):
        self.x = np.random.default_rng(0).random(100)

    def test_values(self):
        expected = np.convolve(self.x, np.ones(3) / 3, "valid")
        assert_allclose(moving_average(self.x), expected)
        np.testing.assert_almost_equal(moving_average(self.x), expected)

    def test_equal(self):
        assert_array_equal(np.sort(self.x)[::-1], -np.sort(-self.x))
        self.assertEqual(self.x.shape, (100,))
        self.assertTrue((self.x < 1).all())
        self.assertAlmostEqual(moving_average(self.x, 100)[0], self.x.mean())
        self.assertIsInstance(self.x, np.ndarray)
        self.assertIsInstance(self.x.sum(), float)
        self.assertGreater(self.x.max(), self.x.min())
        self.assertIn(self.x[3], self.x)
        self.assertEqual(self.x.argmax(), int(np.argmax(self.x)))
        self.assertSequenceEqual(np.arange(40).tolist(), range(40))

    def test_raises(self):
        with self.assertRaises(ValueError):
            moving_average(self.x, 0)
        with self.assertRaisesRegex(AssertionError, "Mismatched elements: 1 / 100"):
            y = self.x.copy()
            y[5] += 1
            assert_array_equal(self.x, y)

    def test_subtests(self):
        for n in (1, 2, 50):
            with self.subTest(n=n):
                self.assertEqual(moving_average(self.x, n).size, 101 - n)

    @unittest.expectedFailure
    def test_fails(self):
        assert_allclose(self.x, self.x + 1e-3)


print(doctest.testmod())
out = io.StringIO()
result = unittest.TextTestRunner(out, verbosity=0).run(
    unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
)
print(result.testsRun, len(result.failures), len(result.errors), len(result.expectedFailures))
for _, text in result.failures + result.errors:
    print(text)
