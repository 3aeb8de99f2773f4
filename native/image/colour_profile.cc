// Profiles of five formats, converted by Little CMS.
#include "image/colour_profile.h"

#include <lcms2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "image/avif_reader.h"
#include "image/byte_reader.h"
#include "image/png_chunk.h"
#include "image/tiff_directory.h"
#include "metadata/inflate.h"

namespace telltale {
namespace {

// Maximum bytes of a profile. Chosen: profiles of printers have some 2 MB, others a few kB.
constexpr size_t kMaxProfileBytes = 4 << 20;
// Mean difference, in levels, from which on a profile is far from sRGB. Measured on a grid of colours:
// Display P3 8, Adobe RGB 9, profiles of old displays up to 23, XYB of jpegli 48.
constexpr double kFarLevels = 30;
constexpr int kRowsAtOnce = 16;

using Profile = std::vector<uint8_t>;

// A file may embed a profile that viewers ignore, to make the detectors see other colours than people do. The
// readers below therefore return a profile only where viewers use it.

// Whether a marker starts a frame (SOF). Markers that share the range are DHT, JPG and DAC.
bool IsFrame(uint8_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// Joins the APP2 segments of a JPEG's profile, which number themselves from 1. Returns nothing if a segment
// is missing or repeated, and for grey and CMYK images.
Profile ReadJpegProfile(Bytes bytes) {
  constexpr std::string_view kName("ICC_PROFILE\0", 12);
  constexpr uint64_t kHeader = 2 + 12 + 2;  // length, name, number and count
  constexpr int kComponents = 3;
  std::array<Bytes, 256> parts{};
  int found = 0, count = 0;
  bool is_colour = false;
  uint64_t at = 2;
  while (Holds(bytes, at, 4)) {
    if (bytes[at] != 0xFF) {
      ++at;
      continue;
    }
    const uint8_t marker = bytes[at + 1];
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    if (marker == 0xDA || marker == 0xD9) break;
    if (marker == 0x00 || marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) {
      at += 2;
      continue;
    }
    const uint16_t length = ReadU16Be(bytes, at + 2);
    if (length < 2 || !Holds(bytes, at + 2, length)) break;
    if (IsFrame(marker)) is_colour = length >= 8 && bytes[at + 9] == kComponents;
    if (marker == 0xE2 && length > kHeader && HasText(bytes, at + 4, kName)) {
      Bytes& part = parts[bytes[at + 16]];
      const int told = bytes[at + 17];
      if (!part.empty() || bytes[at + 16] == 0 || bytes[at + 16] > told || (found > 0 && told != count))
        return {};
      part = bytes.subspan(at + 2 + kHeader, length - kHeader);
      count = told;
      ++found;
    }
    at += 2 + length;
  }
  if (!is_colour || found != count) return {};
  Profile profile;
  for (const Bytes& part : parts) profile.insert(profile.end(), part.begin(), part.end());
  return profile;
}

// Whether a chunk of that name comes before the pixels of a PNG.
bool HasPngChunk(Bytes bytes, std::string_view name) {
  for (uint64_t at = 8; Holds(bytes, at, 12); at += 12 + uint64_t{ReadU32Be(bytes, at)}) {
    if (HasText(bytes, at + 4, name)) return true;
    if (HasText(bytes, at + 4, "IDAT")) return false;
  }
  return false;
}

// Returns nothing for grey images, and with cICP, which has precedence.
Profile ReadPngProfile(Bytes bytes) {
  constexpr uint64_t kMostNameBytes = 80, kColourType = 25;
  constexpr uint8_t kIsColour = 2;
  if (!Holds(bytes, kColourType, 1) || (bytes[kColourType] & kIsColour) == 0 || HasPngChunk(bytes, "cICP"))
    return {};
  for (uint64_t at = 8; Holds(bytes, at, 12);) {
    const uint32_t length = ReadU32Be(bytes, at);
    if (!Holds(bytes, at, 12 + uint64_t{length}) || HasText(bytes, at + 4, "IDAT") ||
        HasText(bytes, at + 4, "PLTE"))
      return {};
    if (HasText(bytes, at + 4, "iCCP") && HasRightChecksum(bytes, at, length)) {
      const Bytes data = bytes.subspan(at + 8, length);
      const Bytes start = data.first(std::min<uint64_t>(kMostNameBytes, length));
      const auto name_end = std::find(start.begin(), start.end(), 0);
      const uint64_t packed = name_end - start.begin() + 2;  // after the method
      if (name_end == start.end() || packed > length) return {};
      const std::string profile = Inflate(data.subspan(packed), kMaxProfileBytes + 1);
      return {profile.begin(), profile.end()};
    }
    at += 12 + uint64_t{length};
  }
  return {};
}

Profile ReadWebpProfile(Bytes bytes) {
  constexpr uint8_t kHasProfile = 0x20;
  if (!HasText(bytes, 12, "VP8X") || !Holds(bytes, 20, 1) || (bytes[20] & kHasProfile) == 0) return {};
  for (uint64_t at = 12; Holds(bytes, at, 8);) {
    const uint32_t length = ReadU32Le(bytes, at + 4);
    if (!Holds(bytes, at + 8, length)) return {};
    if (HasText(bytes, at, "ICCP")) return {bytes.begin() + at + 8, bytes.begin() + at + 8 + length};
    at += 8 + uint64_t{length} + length % 2;
  }
  return {};
}

Profile ReadTiffProfile(Bytes bytes) {
  constexpr uint16_t kProfileTag = 34675, kPhotometricTag = 262;
  constexpr uint64_t kRgb = 2, kPalette = 3, kYcbcr = 6;
  const std::optional<TiffDirectory> page = TiffDirectory::Main(bytes);
  const std::optional<Bytes> data = page ? page->Data(kProfileTag) : std::nullopt;
  const uint64_t photometric = page ? page->Value(kPhotometricTag).value_or(0) : 0;
  const bool is_colour = photometric == kRgb || photometric == kPalette || photometric == kYcbcr;
  return data && is_colour ? Profile(data->begin(), data->end()) : Profile();
}

Profile ReadAvifProfile(Bytes bytes) {
  const Result<AvifReader> reader = OpenAvif(bytes);
  if (!reader.ok()) return {};
  const avifImage& coded = *reader.value().decoder->image;
  if (coded.yuvFormat == AVIF_PIXEL_FORMAT_YUV400) return {};
  const avifRWData& icc = coded.icc;
  return {icc.data, icc.data + icc.size};
}

Profile ReadProfile(Bytes bytes, ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg:
      return ReadJpegProfile(bytes);
    case ImageFormat::kPng:
      return ReadPngProfile(bytes);
    case ImageFormat::kWebp:
      return ReadWebpProfile(bytes);
    case ImageFormat::kTiff:
      return ReadTiffProfile(bytes);
    case ImageFormat::kAvif:
      return ReadAvifProfile(bytes);
    default:
      return {};
  }
}

struct ContextDeleter {
  void operator()(cmsContext context) const { cmsDeleteContext(context); }
};
using Context = std::unique_ptr<std::remove_pointer_t<cmsContext>, ContextDeleter>;
struct ProfileCloser {
  void operator()(cmsHPROFILE profile) const { cmsCloseProfile(profile); }
};
using OpenProfile = std::unique_ptr<void, ProfileCloser>;
struct TransformDeleter {
  void operator()(cmsHTRANSFORM transform) const { cmsDeleteTransform(transform); }
};
using Transform = std::unique_ptr<void, TransformDeleter>;

Transform MakeTransform(cmsContext context, const Profile& bytes) {
  const OpenProfile from(
      cmsOpenProfileFromMemTHR(context, bytes.data(), static_cast<cmsUInt32Number>(bytes.size())));
  const OpenProfile to(cmsCreate_sRGBProfileTHR(context));
  if (!from || !to || cmsGetColorSpace(from.get()) != cmsSigRgbData) return nullptr;
  const cmsUInt32Number intent = std::min<cmsUInt32Number>(cmsGetHeaderRenderingIntent(from.get()), 3);
  return Transform(
      cmsCreateTransformTHR(context, from.get(), TYPE_RGB_8, to.get(), TYPE_RGB_8, intent, cmsFLAGS_NOCACHE));
}

// Whether the transform changes colours of a grid by kFarLevels on average.
bool IsFarFromSrgb(cmsHTRANSFORM transform) {
  constexpr std::array<uint8_t, 5> kLevels{0, 64, 128, 191, 255};
  std::vector<uint8_t> colours;
  for (const uint8_t red : kLevels) {
    for (const uint8_t green : kLevels) {
      for (const uint8_t blue : kLevels) colours.insert(colours.end(), {red, green, blue});
    }
  }
  std::vector<uint8_t> converted(colours.size());
  cmsDoTransform(transform, colours.data(), converted.data(),
                 static_cast<cmsUInt32Number>(colours.size() / 3));
  double sum = 0;
  for (size_t i = 0; i < colours.size(); ++i) sum += std::abs(colours[i] - converted[i]);
  return sum / static_cast<double>(colours.size()) >= kFarLevels;
}

}  // namespace

Status ConvertToSrgb(Bytes bytes, ImageFormat format, const Cancellation& cancellation, Image* image) {
  const Profile profile = ReadProfile(bytes, format);
  if (profile.empty() || profile.size() > kMaxProfileBytes) return Status();
  const Context context(cmsCreateContext(nullptr, nullptr));
  if (!context) return Status();
  const Transform transform = MakeTransform(context.get(), profile);
  if (!transform || !IsFarFromSrgb(transform.get())) return Status();
  for (int y = 0; y < image->height; y += kRowsAtOnce) {
    if (cancellation.IsOver()) return cancellation.Check(std::chrono::steady_clock::now());
    const int rows = std::min(kRowsAtOnce, image->height - y);
    cmsDoTransform(transform.get(), image->row(y), image->row(y),
                   static_cast<cmsUInt32Number>(rows * image->width));
  }
  return Status();
}

}  // namespace telltale
