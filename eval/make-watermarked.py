"""
Makes images for testing the search for watermarks: writes known watermarks into images, with the library that
generators use, and saves them in common formats and sizes.
python make-watermarked.py IMAGES OUT [COUNT]: takes the first COUNT images (default 25), sorted by name, with sides
of at least 512 px. Writes each known message into an image in turn, to OUT/<delivery>/<number>-<message>.<ext>.
Requires: pip install --no-deps invisible-watermark==0.2.0 PyWavelets; pillow, numpy, opencv-python-headless, torch.
"""

import sys
from pathlib import Path

import cv2
import numpy as np
from imwatermark import WatermarkEncoder
from PIL import Image

MESSAGES = {
    'sd1': ('bytes', b'StableDiffusionV1'),
    'sd2': ('bytes', b'SDV2'),
    'sdxl': ('bits', [int(bit) for bit in bin(0b101100111110110010010000011110111011000110011110)[2:]]),
    'flux': ('bits', [int(bit) for bit in bin(0b001010101111111010000111100111001111010100101110)[2:]]),
    'invokeai': ('bytes', b'InvokeAI'),
}
SIDE = 1024


def resized(image: Image.Image, share: float) -> Image.Image:
    return image.resize((round(image.width * share), round(image.height * share)), Image.Resampling.LANCZOS)


def save_all(image: Image.Image, out: Path, name: str) -> None:
    def save(delivery: str, extension: str, image: Image.Image, **options: object) -> None:
        (out / delivery).mkdir(parents=True, exist_ok=True)
        image.save(out / delivery / f'{name}.{extension}', **options)

    save('png', 'png', image)
    for quality in (95, 85, 75):
        save(f'jpeg-{quality}', 'jpg', image, quality=quality)
    save('webp-90', 'webp', image, quality=90)
    save('webp-80', 'webp', image, quality=80)
    save('resized-75', 'png', resized(image, 0.75))
    save('resized-75-and-back', 'png', resized(resized(image, 0.75), 4 / 3))
    save('cropped-by-8-rows', 'png', image.crop((0, 8, image.width, image.height)))
    save('cropped-by-5', 'png', image.crop((5, 5, image.width, image.height)))


def main() -> None:
    folder, out, count = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 25
    made = 0
    for path in sorted(folder.iterdir()):
        if made == count:
            break
        try:
            image = Image.open(path).convert('RGB')
        except OSError:
            continue
        if min(image.size) < 512:
            continue
        image.thumbnail((SIDE, SIDE))
        name, (kind, content) = list(MESSAGES.items())[made % len(MESSAGES)]
        encoder = WatermarkEncoder()
        encoder.set_watermark(kind, content)
        bgr = cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR)
        marked = cv2.cvtColor(encoder.encode(bgr, 'dwtDct'), cv2.COLOR_BGR2RGB)
        save_all(Image.fromarray(marked), out, f'{made:04}-{name}')
        made += 1


if __name__ == '__main__':
    main()
