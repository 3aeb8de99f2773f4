// The codecs' own limit: each library called the shortest way that gives RGB pixels, without our checks.
#pragma once

#include <cstdint>
#include <vector>

#include "image/sniff.h"

namespace telltale::bench {

// Decodes `bytes` to RGB in `pixels`, rows packed; `bytes` is a file of `format` that our decoder took.
// `pixels` is reused from call to call, so that no page is touched for the first time. What it leaves out of
// our decoder: orientation, limits, transparency, judging damage. False if the short way does not lead to
// RGB (tiles, other colour spaces) and for GIF and BMP, which no load holds.
bool DecodeBare(ImageFormat format, Bytes bytes, std::vector<uint8_t>* pixels);

}  // namespace telltale::bench
