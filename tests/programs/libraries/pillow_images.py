"""Images from arrays and back."""

# needs: PIL
import numpy as np
from PIL import Image, ImageFilter

y, x = np.mgrid[:60, :80]
pixels = np.dstack([x * 3, y * 4, (x + y) % 256]).astype(np.uint8)
image = Image.fromarray(pixels)
image.save("image.png")
again = np.array(Image.open("image.png"))
print(image.size, image.mode, np.array_equal(again, pixels), again.dtype)
blurred = np.asarray(image.filter(ImageFilter.GaussianBlur(2)))
print(blurred.shape, int(blurred.sum()), blurred.flags.writeable)
grey = np.asarray(image.convert("L"), dtype=float) / 255
small = Image.fromarray((grey * 255).astype("uint8")).resize((20, 15))
print(grey.mean().round(6), int(np.array(small).sum()), Image.fromarray(grey > 0.5).mode)
