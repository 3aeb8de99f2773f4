// Conversion with Little CMS. Each conversion has a context of its own, so that threads share nothing.
#include "image/colour_profile.h"

#include <lcms2.h>
#include <lcms2_plugin.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "image/embedded_colours.h"

namespace telltale {
namespace {

// Minimum mean difference, in levels, of colours that count as far from sRGB. Measured on the grid of
// IsFarFromSrgb: Display P3 8, Adobe RGB 9, profiles of old displays up to 23, XYB of jpegli 48.
constexpr double kFarLevels = 30;
constexpr int kRowsAtOnce = 16;

// Maximum memory of Little CMS for one image, in bytes. A profile may declare a table of 500 MB. This limit
// and the profile together are less than the spare memory of MeasureDecode.
constexpr size_t kMaxWorkBytes = 11'000'000;

// Each block begins with its size, in as many bytes as malloc aligns to.
constexpr size_t kSizeBytes = alignof(std::max_align_t);

// Returns the counter of used bytes. Returns null while Little CMS allocates the context itself.
size_t* UsedBytes(cmsContext context) { return static_cast<size_t*>(cmsGetContextUserData(context)); }

size_t SizeOf(const uint8_t* block) {
  size_t size = 0;
  std::memcpy(&size, block, sizeof(size));
  return size;
}

void* ReallocateBlock(cmsContext context, void* pointer, cmsUInt32Number size) {
  uint8_t* const block = pointer == nullptr ? nullptr : static_cast<uint8_t*>(pointer) - kSizeBytes;
  const size_t old_size = block == nullptr ? 0 : SizeOf(block);
  size_t* const used = UsedBytes(context);
  if (used != nullptr && *used - old_size + size > kMaxWorkBytes) return nullptr;
  auto* const moved = static_cast<uint8_t*>(std::realloc(block, kSizeBytes + size));
  if (moved == nullptr) return nullptr;
  const size_t new_size = size;
  std::memcpy(moved, &new_size, sizeof(new_size));
  if (used != nullptr) *used += new_size - old_size;
  return moved + kSizeBytes;
}

void* AllocateBlock(cmsContext context, cmsUInt32Number size) {
  return ReallocateBlock(context, nullptr, size);
}

void FreeBlock(cmsContext context, void* pointer) {
  if (pointer == nullptr) return;
  uint8_t* const block = static_cast<uint8_t*>(pointer) - kSizeBytes;
  if (size_t* const used = UsedBytes(context); used != nullptr) *used -= SizeOf(block);
  std::free(block);
}

struct ContextDeleter {
  void operator()(cmsContext context) const { cmsDeleteContext(context); }
};
using Context = std::unique_ptr<std::remove_pointer_t<cmsContext>, ContextDeleter>;
struct ProfileCloser {
  void operator()(cmsHPROFILE profile) const { cmsCloseProfile(profile); }
};
using Profile = std::unique_ptr<void, ProfileCloser>;
struct TransformDeleter {
  void operator()(cmsHTRANSFORM transform) const { cmsDeleteTransform(transform); }
};
using Transform = std::unique_ptr<void, TransformDeleter>;
struct CurveDeleter {
  void operator()(cmsToneCurve* curve) const { cmsFreeToneCurve(curve); }
};
using Curve = std::unique_ptr<cmsToneCurve, CurveDeleter>;

// Returns a context that counts its memory in `used`. Errors are not reported.
Context MakeContext(size_t* used) {
  cmsPluginMemHandler memory{};
  memory.base = {cmsPluginMagicNumber, LCMS_VERSION, cmsPluginMemHandlerSig, nullptr};
  memory.MallocPtr = AllocateBlock;
  memory.FreePtr = FreeBlock;
  memory.ReallocPtr = ReallocateBlock;
  return Context(cmsCreateContext(&memory, used));
}

// Returns the light of a sample, both from 0 to 1.
double LightOf(const RgbSpace& space, double sample) {
  if (space.exponent > 0) return std::pow(sample, space.exponent);
  return sample <= 0.04045 ? sample / 12.92 : std::pow((sample + 0.055) / 1.055, 2.4);
}

Profile MakeProfile(cmsContext context, const RgbSpace& space) {
  constexpr cmsUInt32Number kLevels = 256;
  std::vector<float> light(kLevels);
  for (cmsUInt32Number i = 0; i < kLevels; ++i)
    light[i] = static_cast<float>(LightOf(space, static_cast<double>(i) / (kLevels - 1)));
  const Curve curve(cmsBuildTabulatedToneCurveFloat(context, kLevels, light.data()));
  const Chromaticities& xy = space.chromaticities;
  if (xy[1] <= 0) return nullptr;  // Little CMS divides by it
  const cmsCIExyY white{xy[0], xy[1], 1};
  const cmsCIExyYTRIPLE primaries{{xy[2], xy[3], 1}, {xy[4], xy[5], 1}, {xy[6], xy[7], 1}};
  cmsToneCurve* const curves[] = {curve.get(), curve.get(), curve.get()};
  return Profile(curve ? cmsCreateRGBProfileTHR(context, &white, &primaries, curves) : nullptr);
}

// A profile to convert from, and the rendering intent of the conversion.
struct Source {
  Profile profile;
  cmsUInt32Number intent = INTENT_PERCEPTUAL;
};

// Opens an ICC profile so that Little CMS applies the part of it that browsers apply: the table A2B0 or else
// A2B1, whatever rendering intent the header names, and never the floating-point tables D2B.
Source OpenIcc(cmsContext context, const std::string& icc) {
  Profile profile(cmsOpenProfileFromMemTHR(context, icc.data(), static_cast<cmsUInt32Number>(icc.size())));
  if (!profile || cmsGetColorSpace(profile.get()) != cmsSigRgbData) return {};
  for (const cmsTagSignature tag : {cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag})
    cmsWriteTag(profile.get(), tag, nullptr);
  const bool has_only_colorimetric =
      !cmsIsTag(profile.get(), cmsSigAToB0Tag) && cmsIsTag(profile.get(), cmsSigAToB1Tag);
  return {std::move(profile),
          has_only_colorimetric ? cmsUInt32Number{INTENT_RELATIVE_COLORIMETRIC} : INTENT_PERCEPTUAL};
}

// Makes a transform of 8-bit pixels with `flags` of Little CMS.
Transform MakeTransform(cmsContext context, const Source& source, cmsHPROFILE srgb, cmsUInt32Number flags) {
  return Transform(cmsCreateTransformTHR(context, source.profile.get(), TYPE_RGB_8, srgb, TYPE_RGB_8,
                                         source.intent, cmsFLAGS_NOCACHE | flags));
}

// Returns true if the transform changes the colours of a grid by kFarLevels on average.
bool IsFarFromSrgb(cmsHTRANSFORM transform) {
  std::vector<uint8_t> colours;
  for (const uint8_t red : {0, 64, 128, 191, 255}) {
    for (const uint8_t green : {0, 64, 128, 191, 255}) {
      for (const uint8_t blue : {0, 64, 128, 191, 255}) colours.insert(colours.end(), {red, green, blue});
    }
  }
  std::vector<uint8_t> converted(colours.size());
  cmsDoTransform(transform, colours.data(), converted.data(),
                 static_cast<cmsUInt32Number>(colours.size() / kChannels));
  double sum = 0;
  for (size_t i = 0; i < colours.size(); ++i) sum += std::abs(colours[i] - converted[i]);
  return sum / static_cast<double>(colours.size()) >= kFarLevels;
}

}  // namespace

Status ConvertToSrgb(Bytes bytes, ImageFormat format, const Cancellation& cancellation, Image* image) {
  const EmbeddedColours colours = ReadEmbeddedColours(bytes, format);
  if (colours.hdr) return ConvertHdrToSrgb(*colours.hdr, cancellation, image);
  if (colours.icc.empty() && !colours.space) return Status();
  size_t used = 0;
  const Context context = MakeContext(&used);
  if (!context) return Status();
  const Source source = colours.space ? Source{MakeProfile(context.get(), *colours.space)}
                                      : OpenIcc(context.get(), colours.icc);
  const Profile srgb(cmsCreate_sRGBProfileTHR(context.get()));
  if (!source.profile || !srgb) return Status();
  // Optimizing a transform takes longer than converting the grid, and most profiles are near sRGB.
  const Transform exact = MakeTransform(context.get(), source, srgb.get(), cmsFLAGS_NOOPTIMIZE);
  if (!exact || !IsFarFromSrgb(exact.get())) return Status();
  const Transform transform = MakeTransform(context.get(), source, srgb.get(), 0);
  if (!transform) return Status();
  for (int y = 0; y < image->height; y += kRowsAtOnce) {
    if (cancellation.IsOver()) return cancellation.Check(std::chrono::steady_clock::now());
    const int rows = std::min(kRowsAtOnce, image->height - y);
    cmsDoTransform(transform.get(), image->row(y), image->row(y),
                   static_cast<cmsUInt32Number>(rows * image->width));
  }
  return Status();
}

}  // namespace telltale
