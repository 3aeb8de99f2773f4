// Compositing an image with transparency over white.
#pragma once

#include "image/image.h"

namespace telltale {

// Composites an image over white, in place. `pixels` holds RGBA, with colours not multiplied by alpha;
// afterwards it holds RGB, as Image requires. Each sample becomes (c * a + 255 * (255 - a)) / 255, rounded to
// nearest, as in Pillow's alpha_composite on opaque white. An image with alpha 0 everywhere would become
// plain white, so its colours are kept instead and `is_transparent` is set.
void FlattenOverWhite(Image* image);

// Composites over white if the colours are already multiplied by alpha: c + 255 - a, at most 255.
void FlattenPremultipliedOverWhite(Image* image);

// Removes a fourth sample that is not alpha, such as padding. The colours do not change.
void DropFourthSample(Image* image);

// Returns true if the fourth sample of every pixel is 0.
bool HasNoAlpha(const Image& rgba);

}  // namespace telltale
