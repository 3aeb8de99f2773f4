// Reading how a file describes its colours: ICC profiles, code points of ITU-T H.273, gamma and primaries.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "image/hdr.h"
#include "image/sniff.h"

namespace telltale {

// Maximum bytes of an ICC profile. Profiles of printers have some 2 MB, other profiles a few kB.
inline constexpr size_t kMaxProfileBytes = 4 << 20;

// CIE x and y of the white point, red, green and blue.
using Chromaticities = std::array<double, 8>;

// A colour space for RGB that needs no ICC profile.
struct RgbSpace {
  Chromaticities chromaticities{};
  double exponent = 0;  // light is the sample to this power; 0: as in sRGB
};

// Description of an image's colours. Has at most one member: none if a file has no description, or one that
// viewers ignore.
struct EmbeddedColours {
  std::string icc;  // ICC profile
  std::optional<RgbSpace> space;
  std::optional<HdrSpace> hdr;
};

// Returns the description that viewers use. Follows their precedence: cICP, iCCP, sRGB, then gAMA with cHRM
// in PNG; the profile before nclx in AVIF. Leaves out profiles of more than kMaxProfileBytes, profiles of
// grey and CMYK images, and code points that mean sRGB. Requires bytes that passed Sniff. May throw only
// std::bad_alloc.
EmbeddedColours ReadEmbeddedColours(Bytes bytes, ImageFormat format);

}  // namespace telltale
