// Colour descriptions of six formats. A file may embed a description that viewers ignore, so that the
// detectors see other colours than people. The readers therefore return a description only if viewers use it.
#include "image/embedded_colours.h"

#include <algorithm>
#include <string_view>

#include "image/avif_reader.h"
#include "image/byte_reader.h"
#include "image/inflate.h"
#include "image/png_chunk.h"
#include "image/tiff_directory.h"

namespace telltale {
namespace {

constexpr Chromaticities kSrgb{0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06};

std::string TextOf(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

// Returns the primaries of a code point. Code points of ITU-T H.273, table 2, that are not listed here have
// primaries close to sRGB.
Chromaticities PrimariesOf(int code_point) {
  switch (code_point) {
    case 9:  // BT.2020
      return {0.3127, 0.3290, 0.708, 0.292, 0.170, 0.797, 0.131, 0.046};
    case 10:  // CIE XYZ
      return {1.0 / 3, 1.0 / 3, 1, 0, 0, 1, 0, 0};
    case 12:  // P3
      return {0.3127, 0.3290, 0.680, 0.320, 0.265, 0.690, 0.150, 0.060};
    default:
      return kSrgb;
  }
}

// Returns the colours of two code points. The other transfer functions of ITU-T H.273, table 3, are close to
// sRGB, or viewers treat them as sRGB.
EmbeddedColours ColoursOf(int primaries, int transfer) {
  constexpr int kLinear = 8;
  if (transfer == HdrSpace::kPq || transfer == HdrSpace::kHlg)
    return {{}, std::nullopt, HdrSpace{transfer, primaries}};
  const RgbSpace space{PrimariesOf(primaries), transfer == kLinear ? 1.0 : 0.0};
  const bool is_srgb = space.chromaticities == kSrgb && space.exponent == 0;
  return {{}, is_srgb ? std::nullopt : std::optional(space), std::nullopt};
}

// Parts of a JPEG's profile, in APP2 segments that are numbered from 1.
struct JpegParts {
  std::array<Bytes, 256> parts{};
  int found = 0;
  int count = 0;
  bool are_sound = true;

  void Add(Bytes body) {
    constexpr uint64_t kNameBytes = 12, kHeaderBytes = kNameBytes + 2;
    if (!HasText(body, 0, std::string_view("ICC_PROFILE\0", kNameBytes)) || body.size() <= kHeaderBytes)
      return;
    const int number = body[kNameBytes], declared = body[kNameBytes + 1];
    are_sound &=
        number > 0 && number <= declared && parts[number].empty() && (found == 0 || declared == count);
    parts[number] = body.subspan(kHeaderBytes);
    count = declared;
    ++found;
  }
};

// Returns nothing if a part of the profile is missing or repeated, as libjpeg does.
std::string ReadJpegProfile(Bytes bytes) {
  constexpr uint8_t kApp2 = 0xE2, kSos = 0xDA, kEoi = 0xD9;
  constexpr int kComponents = 3;
  JpegParts profile;
  int components = 0;
  uint64_t at = 2;
  while (true) {
    while (Holds(bytes, at, 1) && bytes[at] != 0xFF) ++at;
    while (Holds(bytes, at, 1) && bytes[at] == 0xFF) ++at;
    if (!Holds(bytes, at, 3)) break;
    const uint8_t marker = bytes[at++];
    if (marker == kSos || marker == kEoi) break;
    if (marker <= 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue;  // without a length
    const uint16_t length = ReadU16Be(bytes, at);
    if (length < 2 || !Holds(bytes, at, length)) break;
    const Bytes body = bytes.subspan(at + 2, length - 2);
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) components = body.size() > 5 ? body[5] : 0;
    if (marker == kApp2) profile.Add(body);
    at += length;
  }
  if (!profile.are_sound || profile.found != profile.count || components != kComponents) return {};
  std::string joined;
  for (const Bytes& part : profile.parts) joined.append(part.begin(), part.end());
  return joined;
}

// Returns the profile in the chunk iCCP: a name of at most 79 characters, NUL, method, compressed profile.
std::string InflateProfile(Bytes chunk) {
  constexpr uint64_t kMaxNameBytes = 80;
  const auto name_end = std::find(chunk.begin(), chunk.begin() + std::min(kMaxNameBytes, chunk.size()), 0);
  const uint64_t packed = name_end - chunk.begin() + 2;
  if (packed > chunk.size()) return {};
  return Inflate(chunk.subspan(packed), kMaxProfileBytes + 1);
}

// Returns the space of the chunks gAMA and cHRM. Without cHRM, sRGB's primaries are used. Values are
// stored times 100,000.
std::optional<RgbSpace> ReadPngGamma(Bytes gamma, Bytes chromaticities) {
  constexpr double kUnit = 100'000;
  if (gamma.size() != 4 || ReadU32Be(gamma, 0) == 0) return std::nullopt;
  RgbSpace space{kSrgb, kUnit / ReadU32Be(gamma, 0)};
  if (chromaticities.size() == 4 * space.chromaticities.size()) {
    for (size_t i = 0; i < space.chromaticities.size(); ++i)
      space.chromaticities[i] = ReadU32Be(chromaticities, 4 * i) / kUnit;
  }
  return space;
}

EmbeddedColours ReadPngColours(Bytes bytes) {
  constexpr uint64_t kColourType = 25;
  constexpr uint8_t kIsColour = 2;
  Bytes code_points, icc, srgb, gamma, chromaticities;
  const std::pair<std::string_view, Bytes*> wanted[] = {
      {"cICP", &code_points}, {"iCCP", &icc}, {"sRGB", &srgb}, {"gAMA", &gamma}, {"cHRM", &chromaticities}};
  for (uint64_t at = 8; Holds(bytes, at, 12) && !HasText(bytes, at + 4, "IDAT");) {
    const uint32_t length = ReadU32Be(bytes, at);
    if (!Holds(bytes, at, 12 + uint64_t{length}) || HasText(bytes, at + 4, "PLTE")) break;
    for (const auto& [name, chunk] : wanted) {
      if (chunk->empty() && HasText(bytes, at + 4, name) && HasRightChecksum(bytes, at, length))
        *chunk = bytes.subspan(at + 8, length);
    }
    at += 12 + uint64_t{length};
  }
  if (code_points.size() == 4) return ColoursOf(code_points[0], code_points[1]);
  if (!icc.empty() && (bytes[kColourType] & kIsColour) != 0)
    return {InflateProfile(icc), std::nullopt, std::nullopt};
  if (!icc.empty() || !srgb.empty()) return {};
  return {{}, ReadPngGamma(gamma, chromaticities), std::nullopt};
}

std::string ReadWebpProfile(Bytes bytes) {
  constexpr uint8_t kHasProfile = 0x20;
  if (!HasText(bytes, 12, "VP8X") || !Holds(bytes, 20, 1) || (bytes[20] & kHasProfile) == 0) return {};
  for (uint64_t at = 12; Holds(bytes, at, 8);) {
    const uint32_t length = ReadU32Le(bytes, at + 4);
    if (!Holds(bytes, at + 8, length)) return {};
    if (HasText(bytes, at, "ICCP")) return TextOf(bytes.subspan(at + 8, length));
    at += 8 + uint64_t{length} + length % 2;
  }
  return {};
}

std::string ReadTiffProfile(Bytes bytes) {
  constexpr uint16_t kProfileTag = 34675, kPhotometricTag = 262;
  constexpr uint64_t kRgb = 2, kPalette = 3, kYcbcr = 6;
  const std::optional<TiffDirectory> page = TiffDirectory::Main(bytes);
  const std::optional<Bytes> data = page ? page->Data(kProfileTag) : std::nullopt;
  const uint64_t photometric = page ? page->Value(kPhotometricTag).value_or(0) : 0;
  const bool is_colour = photometric == kRgb || photometric == kPalette || photometric == kYcbcr;
  return data && is_colour ? TextOf(*data) : std::string();
}

// Returns the profile of BITMAPV5HEADER. Its offset counts from the header.
std::string ReadBmpProfile(Bytes bytes) {
  constexpr uint64_t kHeader = 14, kColourSpace = kHeader + 56, kProfile = kHeader + 112;
  constexpr uint32_t kV5Bytes = 124;
  if (!Holds(bytes, kHeader, kV5Bytes) || ReadU32Le(bytes, kHeader) != kV5Bytes ||
      !HasText(bytes, kColourSpace, "DEBM"))
    return {};
  const uint64_t offset = kHeader + uint64_t{ReadU32Le(bytes, kProfile)};
  const uint32_t size = ReadU32Le(bytes, kProfile + 4);
  return Holds(bytes, offset, size) ? TextOf(bytes.subspan(offset, size)) : std::string();
}

EmbeddedColours ReadAvifColours(Bytes bytes) {
  const Result<AvifReader> reader = OpenAvif(bytes);
  if (!reader.ok()) return {};
  const avifImage& coded = *reader.value().decoder->image;
  if (coded.icc.size == 0) return ColoursOf(coded.colorPrimaries, coded.transferCharacteristics);
  if (coded.yuvFormat == AVIF_PIXEL_FORMAT_YUV400) return {};
  return {TextOf({coded.icc.data, coded.icc.size}), std::nullopt, std::nullopt};
}

EmbeddedColours ReadColours(Bytes bytes, ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg:
      return {ReadJpegProfile(bytes), std::nullopt, std::nullopt};
    case ImageFormat::kPng:
      return ReadPngColours(bytes);
    case ImageFormat::kWebp:
      return {ReadWebpProfile(bytes), std::nullopt, std::nullopt};
    case ImageFormat::kAvif:
      return ReadAvifColours(bytes);
    case ImageFormat::kBmp:
      return {ReadBmpProfile(bytes), std::nullopt, std::nullopt};
    case ImageFormat::kTiff:
      return {ReadTiffProfile(bytes), std::nullopt, std::nullopt};
    case ImageFormat::kGif:
      return {};
  }
  return {};
}

}  // namespace

EmbeddedColours ReadEmbeddedColours(Bytes bytes, ImageFormat format) {
  EmbeddedColours colours = ReadColours(bytes, format);
  if (colours.icc.size() > kMaxProfileBytes) colours.icc.clear();
  return colours;
}

}  // namespace telltale
