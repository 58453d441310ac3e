"""Runs the demo's steps on both kinds of arrays, compares the results and prints the times."""

import time
from statistics import median

import numpy as np
from PIL import Image
from sklearn.datasets import load_sample_image

import gpunp
from gpunp.demo import imaging
from gpunp.demo.program import finance_steps, make_market, photo_steps

# About half of the digits must agree: each step uses earlier results, so rounding differences accumulate.
TOLERANCE = {np.dtype(np.float32): 3e-4, np.dtype(np.float64): 1e-8}
LARGEST_PICTURE = 1280


def run(options):
    """Run both programs and return the exit code."""
    device = gpunp.Device(options.device) if options.device else gpunp.get_device()
    size = options.size or (2 if device.is_cpu else 8)
    print(f"gpunp {gpunp.__version__} on {describe(device)}, NumPy {np.__version__}")
    print(f"Every number is the median of {options.repeat} runs after one warm-up.\n")
    with device:
        comparison = Comparison(device, options.repeat)
        photo = np.asarray(load_sample_image(options.photo), dtype=np.float32) / 255
        height, width = photo.shape[:2]
        comparison.program(
            f"{options.photo}, {width} x {height} pixels, enlarged to {size * width} x {size * height}",
            photo_steps(size),
            {"photo": photo},
            keep=("photo", "edges", "after"),
        )
        save_pictures(comparison.results, options.output)
        market = make_market(size)
        comparison.program(
            f"Finance: {market['spot'].size:,} options, {market['normals'].shape[0]:,} simulated years",
            finance_steps(),
            market,
        )
    return comparison.close()


def describe(device):
    """Describe the device in words."""
    name = getattr(device, "name", "")
    if device.is_cpu:
        return f"the CPU device (no GPU is used; threads: {gpunp.config.threads})"
    return f"{device} ({name})" if name else str(device)


class Comparison:
    """Runs steps with NumPy and with gpunp, and records the results and times."""

    def __init__(self, device, repeat):
        self.device = device
        self.repeat = repeat
        self.seconds = [0.0, 0.0]
        self.failed = []
        self.results = {}

    def program(self, title, steps, inputs, keep=()):
        """Run all steps of a program, printing one line each; ``self.results`` holds the ``keep`` results."""
        print(title)
        print(f"  {'step':<26}{'NumPy':>12}{'gpunp':>12}{'ratio':>9}{'difference':>13}")
        host = dict(inputs)
        # The only place where an array is passed to gpunp explicitly.
        arrays = {name: gpunp.asarray(value) for name, value in inputs.items()}
        start = list(self.seconds)
        for i, step in enumerate(steps):
            print(f"  {step.title:<26}", end="", flush=True)
            self.step(step, host, arrays)
            needed = {name for later in steps[i + 1 :] for name in later.inputs}.union(keep)
            for state in (host, arrays):
                for name in set(state) - needed:
                    del state[name]
        self.results = arrays
        line("total", *(now - then for now, then in zip(self.seconds, start, strict=True)))
        print()

    def step(self, step, host, arrays):
        """Run one step both ways and complete its line."""
        expected, host_seconds = self.measure(step, host, lambda: None)
        print(f"{format_time(host_seconds):>12}", end="", flush=True)
        result, seconds = self.measure(step, arrays, self.device.synchronize)
        print(f"{format_time(seconds):>12}{host_seconds / seconds:>8.1f}x", end="", flush=True)
        if not isinstance(result, gpunp.ndarray):
            raise TypeError(f"{step.title}: the result is not on the device, it is {type(result).__name__}")
        difference = relative_difference(expected, gpunp.asnumpy(result))
        agrees = difference <= TOLERANCE[expected.dtype]
        print(f"{difference:>13.1e}" + ("" if agrees else "  TOO LARGE"), flush=True)
        if not agrees:
            self.failed.append(step.title)
        self.seconds[0] += host_seconds
        self.seconds[1] += seconds
        host[step.result] = expected
        arrays[step.result] = result

    def measure(self, step, state, synchronize):
        """The result of a step and the median of its times."""
        arguments = [state[name] for name in step.inputs]
        times = []
        for _ in range(1 + self.repeat):
            result = None  # before the next run, so that its memory can be used again
            synchronize()
            start = time.perf_counter()
            result = step.function(*arguments, **step.options)
            synchronize()
            times.append(time.perf_counter() - start)
        return result, median(times[1:])

    def close(self):
        """Print the verdict and return the exit code."""
        host, ours = self.seconds
        print(f"NumPy {format_time(host)}, gpunp {format_time(ours)}: {host / ours:.1f}x")
        if self.failed:
            print("FAILED: the results differ by more than the tolerance in: " + ", ".join(self.failed))
            return 1
        limits = ", ".join(f"{limit:g} for {dtype}" for dtype, limit in TOLERANCE.items())
        print(f"All results agree (largest difference allowed, relative to the largest value: {limits}).")
        return 0


def line(title, host_seconds, seconds):
    """Print a line of sums."""
    ratio = host_seconds / seconds
    print(f"  {title:<26}{format_time(host_seconds):>12}{format_time(seconds):>12}{ratio:>8.1f}x")


def format_time(seconds):
    """Format a time with three digits, in seconds or milliseconds."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def relative_difference(expected, result):
    """The largest difference relative to the largest expected value; infinite if shapes or dtypes differ."""
    if expected.shape != result.shape or expected.dtype != result.dtype:
        return float("inf")
    largest = float(np.abs(expected).max())
    difference = float(np.abs(np.subtract(result, expected, dtype=np.float64)).max())
    return difference / largest if np.isfinite(difference) and largest else float("inf")


def save_pictures(results, folder):
    """Write before.png, edges.png and after.png, reduced to at most `LARGEST_PICTURE` pixels in width."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {"before": results["photo"], "edges": results["edges"], "after": results["after"]}
    for name, picture in pictures.items():
        step = max(1, -(-picture.shape[1] // LARGEST_PICTURE))
        path = folder / f"{name}.png"
        Image.fromarray(gpunp.asnumpy(imaging.to_bytes(picture, step))).save(path)
        print(f"  wrote {path}")
    print()
