"""An image is turned by a kernel that reads it through a texture, whose hardware interpolates between pixels.

python texture_rotation.py --size 4096 --picture turned.png
"""

import numpy as np
from side_by_side import check, measure, options, report, save_panels, scene

import gpunp

kernel = gpunp.RawKernel(
    r"""
    extern "C" __global__ void turn(cudaTextureObject_t image, float* out, int size, float c, float s) {
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        if (x >= size || y >= size) return;
        float half = 0.5f * (size - 1), u = x - half, v = y - half;
        // The center of a pixel is at 0.5; outside of the image the texture is 0.
        out[y * size + x] = tex2D<float>(image, c * u - s * v + half + 0.5f, s * u + c * v + half + 0.5f);
    }
    """,
    "turn",
)
ANGLE = np.radians(23.0)


def turned_by_numpy(image):
    """The image turned by bilinear interpolation with NumPy's indexing."""
    size = len(image)
    c, s, half = np.cos(ANGLE), np.sin(ANGLE), 0.5 * (size - 1)
    v, u = np.mgrid[:size, :size] - half
    x, y = c * u - s * v + half, s * u + c * v + half
    padded = np.pad(image, 2)
    left, top = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = x - left, y - top
    left, top = np.clip(left, -2, size), np.clip(top, -2, size)

    def pixel(dy, dx):
        return padded[top + dy + 2, left + dx + 2]

    upper = pixel(0, 0) * (1 - fx) + pixel(0, 1) * fx
    lower = pixel(1, 0) * (1 - fx) + pixel(1, 1) * fx
    return upper * (1 - fy) + lower * fy


def texture_of(image):
    """A texture that reads a device array with linear interpolation, and 0 outside."""
    from gpunp.cuda import runtime, texture

    channels = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    memory = texture.CUDAarray(channels, image.shape[1], image.shape[0])
    memory.copy_from(image)
    outside = runtime.cudaAddressModeBorder
    return texture.TextureObject(
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=memory),
        texture.TextureDescriptor((outside, outside), runtime.cudaFilterModeLinear),
    )


def turned_by_texture(texture, size):
    """The image turned by the kernel."""
    out = gpunp.empty((size, size), np.float32)
    blocks = -(-size // 16)
    c, s = np.float32(np.cos(ANGLE)), np.float32(np.sin(ANGLE))
    kernel((blocks, blocks), (16, 16), (texture, out, np.int32(size), c, s))
    return out


def main():
    arguments = options(__doc__, 256, "pixels on a side", "the image before and after")
    if gpunp.get_device().is_cpu:
        raise SystemExit("textures need a CUDA device")
    image = scene(np.random.default_rng(4), arguments.size)
    expected, numpys = measure(turned_by_numpy, image, repeats=arguments.repeats)
    ours = gpunp.asarray(image)
    _, gathers = measure(turned_by_numpy, ours, repeats=arguments.repeats)
    found, textures = measure(turned_by_texture, texture_of(ours), arguments.size, repeats=arguments.repeats)
    report(
        f"{arguments.size} x {arguments.size} pixels turned by 23 degrees",
        {"NumPy": numpys, "gpunp, indexing": gathers, "gpunp, texture": textures},
        # The hardware interpolates with positions of 8 fractional bits.
        difference_from_NumPy=check(found, expected, 0.02),
    )
    if arguments.picture:
        save_panels(arguments.picture, {"image": image, "turned": gpunp.asnumpy(found)})


if __name__ == "__main__":
    main()
