"""Move particles in a box with a CUDA kernel whose arguments are structs: one by value, and an array of them.

A NumPy dtype with ``align=True`` has the layout of the C struct with the same members. A scalar of such a
dtype is passed by value. An array of structs lives on the device as bytes, and a member of it is a view of
these bytes. Needs a CUDA device.

    python custom_structs.py --size 1000000 --picture particles.png
"""

import numpy as np
from side_by_side import check, measure, options, pyplot, report

import gpunp

SOURCE = r"""
struct Particle {
    float position[2];
    float velocity[2];
    int bounces;
    double energy;  // after 4 bytes of padding
};
static_assert(sizeof(Particle) == 32, "the layout of PARTICLE in Python");

struct Box {
    float size[2];
    float gravity;
    float time_step;
    int steps;
};

extern "C" __global__ void move(Particle* particles, const Box box, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    Particle p = particles[i];
    for (int step = 0; step < box.steps; step++) {
        p.velocity[1] -= box.gravity * box.time_step;
        for (int axis = 0; axis < 2; axis++) {
            float x = p.position[axis] + p.velocity[axis] * box.time_step;
            if (x < 0 || x > box.size[axis]) {
                x = (x < 0 ? 0 : 2 * box.size[axis]) - x;
                p.velocity[axis] = -p.velocity[axis];
                p.bounces++;
            }
            p.position[axis] = x;
        }
    }
    const double u = p.velocity[0], v = p.velocity[1];
    p.energy = 0.5 * (u * u + v * v) + (double)box.gravity * p.position[1];
    particles[i] = p;
}
"""
PARTICLE = np.dtype(
    [("position", "f4", 2), ("velocity", "f4", 2), ("bounces", "i4"), ("energy", "f8")], align=True
)
BOX = np.dtype([("size", "f4", 2), ("gravity", "f4"), ("time_step", "f4"), ("steps", "i4")], align=True)
THREADS = 128

# Without fused multiplications and additions every rounding is that of NumPy.
kernel = gpunp.RawKernel(SOURCE, "move", options=("--fmad=false",))


def on_device(data, box):
    """Move a copy of the particles, which are given as bytes on the device."""
    data = data.copy()
    count = data.size // PARTICLE.itemsize
    kernel((-(-count // THREADS),), (THREADS,), (data, box, count))
    return data


def with_numpy(particles, box):
    """The same for an array of structs on the host."""
    particles = particles.copy()
    position, velocity = particles["position"], particles["velocity"]
    for _ in range(box["steps"]):
        velocity[:, 1] -= box["gravity"] * box["time_step"]
        position += velocity * box["time_step"]
        low, high = position < 0, position > box["size"]
        position[...] = np.where(low, -position, np.where(high, 2 * box["size"] - position, position))
        velocity[low | high] *= -1
        particles["bounces"] += np.sum(low | high, axis=1)
    squares = velocity.astype(float) ** 2
    particles["energy"] = 0.5 * (squares[:, 0] + squares[:, 1]) + float(box["gravity"]) * position[:, 1]
    return particles


def main():
    arguments = options(__doc__, 10_000, "particles", "a picture of the particles")
    rng = np.random.default_rng(3)
    host = np.zeros(arguments.size, PARTICLE)
    host["position"] = rng.random((arguments.size, 2)) * [2, 1] * 0.3
    host["velocity"] = rng.normal(size=(arguments.size, 2))
    box = np.array(([2, 1], 1.0, 0.01, 150), BOX)[()]
    data = gpunp.asarray(host.view(np.uint8))

    moved, device = measure(on_device, data, box, repeats=arguments.repeats)
    expected, numpys = measure(with_numpy, host, box, repeats=arguments.repeats)
    # Members as views on the device: 32 bytes are 8 numbers of 4 bytes or 4 of 8 bytes.
    singles, integers, doubles = (moved.view(kind).reshape(arguments.size, -1) for kind in ("f4", "i4", "f8"))
    position, bounces, energy = singles[:, :2], integers[:, 4], doubles[:, 3]
    report(
        f"{box['steps']} steps of {arguments.size} particles",
        {"NumPy": numpys, "RawKernel": device},
        bounces=int(np.sum(bounces)),
        difference_from_NumPy=f"positions {check(position, expected['position'], 1e-6)}, "
        f"energies {check(energy, expected['energy'], 1e-6)}",
        particles_with_other_bounces=int(np.count_nonzero(gpunp.asnumpy(bounces) != expected["bounces"])),
    )
    if arguments.picture:
        plt = pyplot()
        plt.figure(figsize=(8, 4))
        plt.scatter(*gpunp.asnumpy(position).T, c=gpunp.asnumpy(energy), s=1)
        plt.colorbar(label="energy")
        plt.savefig(arguments.picture, dpi=120)
        print(f"  saved {arguments.picture}")


if __name__ == "__main__":
    main()
