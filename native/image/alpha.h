// Laying an image with an alpha channel over white.
#pragma once

#include "image/image.h"

namespace telltale {

// `pixels` holds RGBA, 4 bytes a pixel, alpha not multiplied in; afterwards RGB, as Image promises.
// In place. Each sample is (c * a + 255 * (255 - a)) / 255, rounded to the nearest, which is what
// Pillow's alpha_composite gives on opaque white. Where alpha is 0 everywhere nobody would see the image:
// the colours stay, and `is_transparent` says so.
void FlattenOverWhite(Image* image);

// The same for colours that are already multiplied by alpha: c + 255 - a, at most 255.
void FlattenPremultipliedOverWhite(Image* image);

// The same where the fourth sample says nothing of transparency: it is left out, the colours stay.
void DropFourthSample(Image* image);

// Whether the fourth sample of every pixel is 0.
bool HasNoAlpha(const Image& rgba);

}  // namespace telltale
