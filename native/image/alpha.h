// Compositing an image with an alpha channel over white.
#pragma once

#include "image/image.h"

namespace telltale {

// Composites over white in place. `pixels` holds RGBA, 4 bytes a pixel, with straight alpha; afterwards RGB,
// as Image requires. Each sample becomes (c * a + 255 * (255 - a)) / 255, rounded to nearest, as Pillow's
// alpha_composite does on opaque white. If alpha is 0 everywhere, compositing would leave plain white, so the
// colours are kept and `is_transparent` is set.
void FlattenOverWhite(Image* image);

// Composites colours that are already multiplied by alpha: c + 255 - a, at most 255.
void FlattenPremultipliedOverWhite(Image* image);

// Drops a fourth sample that is not alpha and keeps the colours.
void DropFourthSample(Image* image);

// Returns true if the fourth sample of every pixel is 0.
bool HasNoAlpha(const Image& rgba);

}  // namespace telltale
