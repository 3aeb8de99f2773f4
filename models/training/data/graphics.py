"""Draws genuine images without a camera for training: screens, pages, charts, posters and maps.

    python -m data.graphics --out DRAWN [--count 420]

The genuine images in the lists are mostly photographs. A network trained only on photographs takes every screenshot for
AI. The command writes PNG files to DRAWN, and an index.csv with the same columns as for collected images.
"""

import hashlib
import io
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from data.collect import write_csv
from export.command import command_parser

FONTS = sorted((Path(matplotlib.get_data_path()) / "fonts/ttf").glob("DejaVu*.ttf"))
COLUMNS = ("file", "format", "sha256", "label", "repo", "generator", "kind", "content", "width", "height")
SYLLABLES = tuple("ta ri non sel mo ka der in al ve pro lu st em ork ish 42 17".split())


class Sheet:
    """A canvas with a palette of colours, made-up words and fonts."""

    def __init__(self, random: np.random.Generator):
        self.random = random
        self.width, self.height = (int(side) for side in random.integers(480, 1500, 2))
        self.dark = random.random() < 0.3
        ground = random.integers(5, 60, 3) if self.dark else random.integers(225, 256, 3)
        self.ground = tuple(int(level) for level in ground)
        self.ink = (230, 230, 232) if self.dark else (25, 25, 30)
        self.image = Image.new("RGB", (self.width, self.height), self.ground)
        self.pen = ImageDraw.Draw(self.image)
        self.palette = [tuple(int(level) for level in random.integers(20, 245, 3)) for _ in range(6)]

    def colour(self) -> tuple[int, int, int]:
        """Returns a random colour of the palette."""
        return self.palette[int(self.random.integers(len(self.palette)))]

    def words(self, count: int) -> str:
        """Returns random made-up words."""
        word = lambda: "".join(self.random.choice(SYLLABLES, int(self.random.integers(1, 5))))
        return " ".join(word() for _ in range(count))

    def write(
        self, x: float, y: float, text: str, px: int, colour: tuple | None = None, font: Path | None = None
    ) -> None:
        """Writes a line of text, which is cut off at the edge of the canvas."""
        font = font or FONTS[int(self.random.integers(len(FONTS)))]
        self.pen.text((x, y), text[:200], colour or self.ink, ImageFont.truetype(str(font), max(8, px)))

    def paragraph(self, left: int, top: int, right: int, bottom: int, px: int) -> None:
        """Fills a box with lines of text."""
        font = FONTS[int(self.random.integers(len(FONTS)))]
        for y in range(top, bottom - px, int(px * 1.5)):
            self.write(left, y, self.words(20)[: max(4, int((right - left) / px * 1.6))], px, font=font)


def window(sheet: Sheet) -> None:
    """Draws a program's window with title bar, side bar, buttons, fields and text."""
    r, pen = sheet.random, sheet.pen
    bar, side = int(r.integers(28, 70)), int(r.integers(90, 260))
    pen.rectangle((0, 0, sheet.width, bar), sheet.colour())
    pen.rectangle((0, bar, side, sheet.height), sheet.colour())
    sheet.write(12, bar // 4, sheet.words(3), bar // 2, (255, 255, 255))
    for y in range(bar + 20, sheet.height - 40, 44):
        pen.rounded_rectangle((10, y, side - 10, y + 34), int(r.integers(0, 14)), sheet.colour())
        sheet.write(18, y + 8, sheet.words(2), 14, (255, 255, 255))
    sheet.paragraph(side + 30, bar + 90, sheet.width - 30, sheet.height - 20, int(r.integers(12, 22)))
    for x in range(side + 30, sheet.width - 150, 170):
        pen.rounded_rectangle((x, bar + 24, x + 140, bar + 64), int(r.integers(0, 20)), sheet.colour(), sheet.ink)
        sheet.write(x + 16, bar + 34, sheet.words(1), 16, (255, 255, 255))


def document(sheet: Sheet) -> None:
    """Draws a page with headings and paragraphs in one to three columns."""
    columns = int(sheet.random.integers(1, 4))
    width = sheet.width // columns
    px = int(sheet.random.integers(10, 26))
    sheet.write(30, 24, sheet.words(5), px * 2)
    for column in range(columns):
        top = 40 + px * 3
        while top < sheet.height - 60:
            depth = int(sheet.random.integers(80, 320))
            sheet.paragraph(
                column * width + 24, top, (column + 1) * width - 20, min(top + depth, sheet.height - 20), px
            )
            top += depth + px


def table(sheet: Sheet) -> None:
    """Draws a table of numbers, in which some rows are shaded."""
    rows, columns = int(sheet.random.integers(8, 30)), int(sheet.random.integers(3, 9))
    high, wide = sheet.height // rows, sheet.width // columns
    for row in range(rows):
        if row % 2:
            shade = tuple(int(level * 0.93 + 8) for level in sheet.ground)
            sheet.pen.rectangle((0, row * high, sheet.width, (row + 1) * high), sheet.colour() if row == 1 else shade)
        for column in range(columns):
            text = sheet.words(1) if column == 0 else f"{sheet.random.uniform(0, 5000):.2f}"
            sheet.write(column * wide + 8, row * high + high // 4, text, min(24, high // 2))
    for column in range(columns + 1):
        sheet.pen.line((column * wide, 0, column * wide, sheet.height), sheet.ink)


def plot(sheet: Sheet) -> None:
    """Draws a chart with axes and a legend: curves, points or a pie."""
    r, pen = sheet.random, sheet.pen
    left, top, right, bottom = 70, 60, sheet.width - 40, sheet.height - 60
    sheet.write(left, 14, sheet.words(4), 26)
    if r.random() < 0.25:
        side, start = min(right - left, bottom - top), 0.0
        for share in r.dirichlet(np.ones(6)):
            pen.pieslice((left, top, left + side, top + side), start, start + share * 360, sheet.colour(), sheet.ground)
            start += share * 360
        return
    for step in range(8):
        y = top + (bottom - top) * step // 7
        pen.line((left, y, right, y), (128, 128, 128))
        sheet.write(20, y - 8, f"{7 - step}", 14)
    pen.line((left, top, left, bottom, right, bottom), sheet.ink, 2)
    for index in range(int(r.integers(1, 6))):
        colour, values = sheet.colour(), np.cumsum(r.normal(0, 1, 60))
        values = (values - values.min()) / max(np.ptp(values), 1e-6)
        points = [(left + (right - left) * i / 59, bottom - (bottom - top) * v) for i, v in enumerate(values)]
        if r.random() < 0.5:
            pen.line(points, colour, int(r.integers(1, 5)))
        else:
            for x, y in points:
                pen.ellipse((x - 4, y - 4, x + 4, y + 4), colour)
        sheet.write(right - 160, top + 22 * index, sheet.words(1), 15, colour)


def poster(sheet: Sheet) -> None:
    """Draws a poster: large flat shapes, sometimes a gradient, and a few large words."""
    r, pen = sheet.random, sheet.pen
    if r.random() < 0.5:
        share = np.linspace(0, 1, sheet.height)[:, None, None]
        ends = [np.array(sheet.colour()) for _ in range(2)]
        mixed = np.broadcast_to(ends[0] * (1 - share) + ends[1] * share, (sheet.height, sheet.width, 3))
        sheet.image.paste(Image.fromarray(mixed.astype(np.uint8)))
    for _ in range(int(r.integers(3, 25))):
        x, y = int(r.integers(0, sheet.width)), int(r.integers(0, sheet.height))
        size = int(r.integers(20, max(40, sheet.width // 2)))
        match int(r.integers(4)):
            case 0:
                pen.ellipse((x - size, y - size, x + size, y + size), sheet.colour())
            case 1:
                pen.rectangle((x, y, x + size, y + int(size * r.uniform(0.2, 2))), sheet.colour())
            case 2:
                pen.regular_polygon((x, y, size), int(r.integers(3, 9)), float(r.uniform(0, 360)), sheet.colour())
            case _:
                pen.line(
                    (x, y, *(int(v) for v in r.integers(0, sheet.width, 2))), sheet.colour(), int(r.integers(2, 40))
                )
    for _ in range(int(r.integers(1, 5))):
        place = int(r.integers(0, sheet.width // 2)), int(r.integers(0, sheet.height - 60))
        sheet.write(*place, sheet.words(2), int(r.integers(30, 120)), sheet.colour())


def street_map(sheet: Sheet) -> None:
    """Draws a street map: areas, streets and names."""
    r, pen = sheet.random, sheet.pen
    for _ in range(int(r.integers(5, 20))):
        middle = r.uniform(0, 1, 2) * (sheet.width, sheet.height)
        corners = middle + r.normal(0, 120, (int(r.integers(4, 9)), 2))
        order = np.argsort(np.arctan2(*(corners - middle).T))
        pen.polygon([tuple(corner) for corner in corners[order]], sheet.colour())
    for _ in range(int(r.integers(8, 40))):
        ends = r.uniform(0, 1, (3, 2)) * (sheet.width, sheet.height)
        wide = int(r.integers(3, 16))
        for colour, width in (((120, 120, 120), wide + 2), ((250, 248, 235), wide)):
            pen.line([tuple(end) for end in ends], colour, width, "curve")
    for _ in range(int(r.integers(6, 30))):
        sheet.write(*(r.uniform(0, 1, 2) * (sheet.width, sheet.height)), sheet.words(1), int(r.integers(10, 22)))


KINDS: dict[str, Callable[[Sheet], None]] = {
    kind.__name__: kind for kind in (window, document, table, plot, poster, street_map)
}


def draw(kind: str, random: np.random.Generator) -> Image.Image:
    """Draws one image of the given kind. Some are softened a little, like screenshots that were resized."""
    sheet = Sheet(random)
    KINDS[kind](sheet)
    if random.random() < 0.3:
        return sheet.image.filter(ImageFilter.GaussianBlur(float(random.uniform(0.4, 1.2))))
    return sheet.image


def main() -> None:
    parser = command_parser(__doc__, "out")
    parser.add_argument("--count", type=int, default=420)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for seed in range(args.count):
        kind = list(KINDS)[seed % len(KINDS)]
        image, content = draw(kind, np.random.default_rng(seed)), io.BytesIO()
        image.save(content, "PNG")
        sha256 = hashlib.sha256(content.getvalue()).hexdigest()
        (args.out / f"{sha256[:16]}.png").write_bytes(content.getvalue())
        named = (f"{sha256[:16]}.png", "PNG", sha256, "real", "drawn", "", f"drawn {kind}", "drawing")
        rows.append(dict(zip(COLUMNS, (*named, image.width, image.height), strict=True)))
    write_csv(args.out / "index.csv", rows, COLUMNS)


if __name__ == "__main__":
    main()
