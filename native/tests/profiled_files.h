// One-colour images of each format with an embedded description of their colours.
#pragma once

#include "tests/hostile_files.h"

namespace telltale {

// Side of the images in pixels, and the colour of each pixel as stored: a strong red.
inline constexpr int kProfiledSide = 32;
inline constexpr uint8_t kProfiledColour[] = {220, 30, 30};

// The functions below embed an ICC profile. The JPEG has it in two segments, the second one first.
FileBytes JpegWith(const FileBytes& profile);
FileBytes PngWith(const FileBytes& profile);
FileBytes WebpWith(const FileBytes& profile);
FileBytes TiffWith(const FileBytes& profile);
FileBytes BmpWith(const FileBytes& profile);
FileBytes AvifWith(const FileBytes& profile);

// Returns a PNG with `chunks` after its header.
FileBytes PngWithChunks(const std::vector<FileBytes>& chunks);

// Returns an AVIF file that names `primaries` and `transfer`, code points of ITU-T H.273.
FileBytes AvifWithCodePoints(int primaries, int transfer);

}  // namespace telltale
