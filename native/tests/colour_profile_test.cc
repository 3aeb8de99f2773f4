// Embedded profiles: pixels come as viewers show them, and a broken profile changes nothing.
#include <gtest/gtest.h>
#include <lcms2.h>
#include <zlib.h>

#include <algorithm>
#include <string>
#include <vector>

#include "image/decode.h"
#include "image/encode.h"

namespace telltale {
namespace {

using File = std::vector<uint8_t>;

constexpr cmsCIExyY kWhite{0.3127, 0.3290, 1};
constexpr cmsCIExyY kRed{0.64, 0.33, 1};
constexpr cmsCIExyY kGreen{0.30, 0.60, 1};
constexpr cmsCIExyY kBlue{0.15, 0.06, 1};

// A profile with these primaries and a gamma of 2.2.
File MakeProfile(const cmsCIExyY& red, const cmsCIExyY& green, const cmsCIExyY& blue) {
  cmsToneCurve* const curve = cmsBuildGamma(nullptr, 2.2);
  cmsToneCurve* const curves[] = {curve, curve, curve};
  const cmsCIExyYTRIPLE primaries{red, green, blue};
  const cmsHPROFILE profile = cmsCreateRGBProfile(&kWhite, &primaries, curves);
  cmsUInt32Number size = 0;
  cmsSaveProfileToMem(profile, nullptr, &size);
  File bytes(size);
  cmsSaveProfileToMem(profile, bytes.data(), &size);
  cmsCloseProfile(profile);
  cmsFreeToneCurve(curve);
  return bytes;
}

// Red and blue are swapped: viewers show the red pixels blue.
File Swapped() { return MakeProfile(kBlue, kGreen, kRed); }

Image Red() {
  Image image;
  image.width = image.height = 32;
  for (int i = 0; i < 32 * 32; ++i) image.pixels.insert(image.pixels.end(), {220, 30, 30});
  return image;
}

void AppendU32(uint32_t value, File* to) {
  for (int shift = 24; shift >= 0; shift -= 8) to->push_back(static_cast<uint8_t>(value >> shift));
}

File PngWith(const File& profile) {
  File png = EncodePng(Red()).value();
  uLongf packed_size = compressBound(profile.size());
  File data{'x', 0, 0}, packed(packed_size);
  compress(packed.data(), &packed_size, profile.data(), profile.size());
  data.insert(data.end(), packed.begin(), packed.begin() + static_cast<ptrdiff_t>(packed_size));
  File chunk;
  AppendU32(static_cast<uint32_t>(data.size()), &chunk);
  for (const char letter : std::string("iCCP")) chunk.push_back(static_cast<uint8_t>(letter));
  chunk.insert(chunk.end(), data.begin(), data.end());
  AppendU32(static_cast<uint32_t>(crc32(0, chunk.data() + 4, static_cast<uInt>(chunk.size() - 4))), &chunk);
  constexpr int kAfterHeader = 8 + 25;
  png.insert(png.begin() + kAfterHeader, chunk.begin(), chunk.end());
  return png;
}

// The profile in two segments, the second one first.
File JpegWith(const File& profile) {
  File jpeg = EncodeJpeg(Red(), 95).value();
  File segments;
  const auto half = static_cast<ptrdiff_t>(profile.size() / 2);
  for (const int part : {2, 1}) {
    const File data(part == 1 ? profile.begin() : profile.begin() + half,
                    part == 1 ? profile.begin() + half : profile.end());
    const size_t length = 2 + 12 + 2 + data.size();
    segments.insert(segments.end(),
                    {0xFF, 0xE2, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length)});
    for (const char letter : std::string("ICC_PROFILE\0", 12))
      segments.push_back(static_cast<uint8_t>(letter));
    segments.insert(segments.end(), {static_cast<uint8_t>(part), 2});
    segments.insert(segments.end(), data.begin(), data.end());
  }
  jpeg.insert(jpeg.begin() + 2, segments.begin(), segments.end());
  return jpeg;
}

// The first pixel.
std::vector<int> ColourOf(const File& file) {
  const Image image = Decode(file).value();
  return {image.pixels[0], image.pixels[1], image.pixels[2]};
}

TEST(ColourProfileTest, AProfileFarFromSrgbIsApplied) {
  for (const File& file : {PngWith(Swapped()), JpegWith(Swapped())}) {
    const std::vector<int> colour = ColourOf(file);
    EXPECT_LT(colour[0], 60);
    EXPECT_LT(colour[1], 60);
    EXPECT_GT(colour[2], 190);
  }
}

TEST(ColourProfileTest, AProfileThatViewersIgnoreChangesNothing) {
  // The second segment is missing, or both have one number.
  const auto number_at = [](const File& file, int part) {
    const std::string name("ICC_PROFILE\0", 12);
    auto found = std::search(file.begin(), file.end(), name.begin(), name.end());
    if (part == 1) found = std::search(found + 1, file.end(), name.begin(), name.end());
    return found - file.begin() + 12;
  };
  File repeated = JpegWith(Swapped()), missing = repeated;
  repeated[number_at(repeated, 0)] = 1;
  missing[number_at(missing, 1) + 1] = 3;
  for (const File& file : {repeated, missing}) EXPECT_GT(ColourOf(file)[0], 190);
}

TEST(ColourProfileTest, AProfileNearSrgbChangesNothing) {
  const File display_p3 = MakeProfile({0.68, 0.32, 1}, {0.265, 0.69, 1}, kBlue);
  for (const File& profile : {MakeProfile(kRed, kGreen, kBlue), display_p3})
    EXPECT_EQ(ColourOf(PngWith(profile)), (std::vector{220, 30, 30}));
}

TEST(ColourProfileTest, ABrokenOrHugeProfileChangesNothing) {
  File cut = Swapped(), other = Swapped(), huge = Swapped();
  cut.resize(cut.size() / 2);
  other[16] = 'C';  // colour space
  huge.resize((4 << 20) + 1);
  for (const File& profile : {cut, other, huge, File{}, File(200, 0xFF)})
    EXPECT_EQ(ColourOf(PngWith(profile)), (std::vector{220, 30, 30})) << profile.size();
  for (size_t at = 0; at < Swapped().size(); at += 3) {
    File damaged = Swapped();
    damaged[at] = 0xFF;
    EXPECT_EQ(Decode(PngWith(damaged)).value().width, 32);
  }
}

}  // namespace
}  // namespace telltale
