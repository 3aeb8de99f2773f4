// Embedded colour descriptions: pixels get the colours that viewers show, and a damaged profile changes
// nothing.
#include "image/colour_profile.h"

#include <gtest/gtest.h>
#include <lcms2.h>

#include <algorithm>
#include <random>
#include <string>

#include "image/decode.h"
#include "image/hdr.h"
#include "tests/profiled_files.h"

namespace telltale {
namespace {

constexpr cmsCIExyY kWhite{0.3127, 0.3290, 1};
constexpr cmsCIExyY kRed{0.64, 0.33, 1};
constexpr cmsCIExyY kGreen{0.30, 0.60, 1};
constexpr cmsCIExyY kBlue{0.15, 0.06, 1};
const std::vector<int> kStored{std::begin(kProfiledColour), std::end(kProfiledColour)};

FileBytes Save(cmsHPROFILE profile) {
  cmsUInt32Number size = 0;
  cmsSaveProfileToMem(profile, nullptr, &size);
  FileBytes bytes(size);
  cmsSaveProfileToMem(profile, bytes.data(), &size);
  cmsCloseProfile(profile);
  return bytes;
}

cmsHPROFILE MakeRgbProfile(const cmsCIExyY& red, const cmsCIExyY& green, const cmsCIExyY& blue) {
  cmsToneCurve* const curve = cmsBuildGamma(nullptr, 2.2);
  cmsToneCurve* const curves[] = {curve, curve, curve};
  const cmsCIExyYTRIPLE primaries{red, green, blue};
  const cmsHPROFILE profile = cmsCreateRGBProfile(&kWhite, &primaries, curves);
  cmsFreeToneCurve(curve);
  return profile;
}

// Returns a profile with red and blue swapped, by which viewers show the red pixels blue.
FileBytes Swapped() { return Save(MakeRgbProfile(kBlue, kGreen, kRed)); }

// Returns the profile sRGB with a table in `tag` that turns every colour into blue. The table has `side`
// nodes on each axis.
FileBytes WithTable(cmsTagSignature tag, cmsUInt32Number side = 2) {
  const cmsHPROFILE profile = MakeRgbProfile(kRed, kGreen, kBlue);
  cmsSetPCS(profile, cmsSigLabData);
  cmsPipeline* const table = cmsPipelineAlloc(nullptr, 3, 3);
  // Lab of sRGB's blue: L 30, a 68, b -112, in the encoding of ICC version 4.
  const cmsUInt16Number kBlueLab[] = {19660, 50372, 4112};
  std::vector<cmsUInt16Number> nodes;
  for (cmsUInt32Number i = 0; i < side * side * side; ++i)
    nodes.insert(nodes.end(), std::begin(kBlueLab), std::end(kBlueLab));
  cmsPipelineInsertStage(table, cmsAT_BEGIN, cmsStageAllocToneCurves(nullptr, 3, nullptr));
  cmsPipelineInsertStage(table, cmsAT_END, cmsStageAllocCLut16bit(nullptr, side, 3, 3, nodes.data()));
  cmsPipelineInsertStage(table, cmsAT_END, cmsStageAllocToneCurves(nullptr, 3, nullptr));
  EXPECT_TRUE(cmsWriteTag(profile, tag, table));
  cmsPipelineFree(table);
  return Save(profile);
}

// Returns the first pixel of a decoded file.
std::vector<int> ColourOf(const FileBytes& file) {
  const Result<Image> image = Decode(file);
  EXPECT_TRUE(image.ok()) << image.status().message();
  if (!image.ok()) return {};
  return {image.value().pixels[0], image.value().pixels[1], image.value().pixels[2]};
}

bool IsBlue(const std::vector<int>& colour) { return colour[0] < 60 && colour[1] < 60 && colour[2] > 190; }

struct Embedding {
  const char* name;
  FileBytes (*make)(const FileBytes& profile);
};

class EmbeddedProfile : public testing::TestWithParam<Embedding> {};

TEST_P(EmbeddedProfile, IsAppliedIfItIsFarFromSrgb) {
  EXPECT_TRUE(IsBlue(ColourOf(GetParam().make(Swapped()))));
}

TEST_P(EmbeddedProfile, ChangesNothingIfItIsNearSrgb) {
  const FileBytes srgb = Save(MakeRgbProfile(kRed, kGreen, kBlue));
  const FileBytes display_p3 = Save(MakeRgbProfile({0.68, 0.32, 1}, {0.265, 0.69, 1}, kBlue));
  const std::vector<int> unchanged = ColourOf(GetParam().make(srgb));
  EXPECT_NEAR(unchanged[0], kStored[0], 3);
  EXPECT_EQ(ColourOf(GetParam().make(display_p3)), unchanged);
}

TEST_P(EmbeddedProfile, ChangesNothingIfItIsDamaged) {
  FileBytes cut = Swapped(), cmyk = Swapped();
  cut.resize(cut.size() / 2);
  std::copy_n("CMYK", 4, cmyk.begin() + 16);
  for (const FileBytes& profile : {cut, cmyk, FileBytes(200, 0xFF)})
    EXPECT_NEAR(ColourOf(GetParam().make(profile))[0], kStored[0], 3) << profile.size();
}

INSTANTIATE_TEST_SUITE_P(Formats, EmbeddedProfile,
                         testing::Values(Embedding{"jpeg", JpegWith}, Embedding{"png", PngWith},
                                         Embedding{"webp", WebpWith}, Embedding{"tiff", TiffWith},
                                         Embedding{"bmp", BmpWith}, Embedding{"avif", AvifWith}),
                         [](const auto& info) { return info.param.name; });

TEST(ColourProfileTest, AJpegWithMissingOrRepeatedPartsKeepsItsPixels) {
  const std::string name("ICC_PROFILE\0", 12);
  FileBytes repeated = JpegWith(Swapped()), missing = repeated;
  const auto first = std::search(missing.begin(), missing.end(), name.begin(), name.end());
  const auto second = std::search(first + 1, missing.end(), name.begin(), name.end());
  *(repeated.begin() + (first - missing.begin()) + 12) = 1;
  *(second + 13) = 3;
  for (const FileBytes& file : {repeated, missing}) EXPECT_GT(ColourOf(file)[0], 190);
}

TEST(ColourProfileTest, TheTableIsAppliedThatBrowsersApply) {
  EXPECT_TRUE(IsBlue(ColourOf(PngWith(WithTable(cmsSigAToB0Tag)))));
  EXPECT_TRUE(IsBlue(ColourOf(PngWith(WithTable(cmsSigAToB1Tag)))));
  FileBytes absolute = WithTable(cmsSigAToB0Tag);
  absolute[67] = INTENT_ABSOLUTE_COLORIMETRIC;
  EXPECT_TRUE(IsBlue(ColourOf(PngWith(absolute))));
}

TEST(ColourProfileTest, AProfileThatNeedsTooMuchMemoryChangesNothing) {
  EXPECT_TRUE(IsBlue(ColourOf(PngWith(WithTable(cmsSigAToB0Tag, 65)))));  // 1.6 MB
  EXPECT_EQ(ColourOf(PngWith(WithTable(cmsSigAToB0Tag, 85))), kStored);   // 3.7 MB
}

TEST(ColourProfileTest, AHugeProfileChangesNothing) {
  FileBytes huge = Swapped();
  huge.resize((4 << 20) + 1);
  EXPECT_EQ(ColourOf(PngWith(huge)), kStored);
}

// The expected colours were shown by Chromium 156.
TEST(ColourProfileTest, PqAndHlgAreToneMappedAsByChromium) {
  const std::vector<int> stored{100, 100, 100, 140, 130, 120, 150, 140, 160, 128, 191, 128};
  const std::pair<int, std::vector<int>> spaces[] = {
      {HdrSpace::kPq, {76, 76, 76, 179, 134, 110, 193, 148, 219, 0, 255, 16}},
      {HdrSpace::kHlg, {75, 75, 75, 115, 101, 93, 126, 110, 134, 0, 190, 97}}};
  for (const auto& [transfer, shown] : spaces) {
    Image image;
    image.width = static_cast<int>(stored.size()) / kChannels;
    image.height = 1;
    image.pixels.assign(stored.begin(), stored.end());
    ASSERT_TRUE(ConvertHdrToSrgb({transfer, 9}, Cancellation(), &image).ok());
    for (size_t i = 0; i < shown.size(); ++i)
      EXPECT_NEAR(image.pixels[i], shown[i], 1) << transfer << "," << i;
  }
}

TEST(ColourProfileTest, PqAndHlgAreReadFromPngAndAvif) {
  for (const uint8_t transfer : {HdrSpace::kPq, HdrSpace::kHlg}) {
    const std::vector<int> shown{255, 0, 0};
    EXPECT_EQ(ColourOf(PngWithChunks({PngChunk("cICP", {9, transfer, 0, 1})})), shown);
    EXPECT_EQ(ColourOf(AvifWithCodePoints(9, transfer)), shown);
  }
}

TEST(ColourProfileTest, CancellationStopsAConversion) {
  for (const bool is_hdr : {false, true}) {
    Image image = Decode(PngWith(Swapped())).value();
    Cancellation cancellation;
    cancellation.Cancel();
    const FileBytes file = is_hdr ? PngWithChunks({PngChunk("cICP", {9, 16, 0, 1})}) : PngWith(Swapped());
    EXPECT_EQ(ConvertToSrgb(file, ImageFormat::kPng, cancellation, &image).code(), StatusCode::kCancelled);
  }
}

TEST(ColourProfileTest, CodePointsOfSdrChangeNothing) {
  const std::pair<int, int> spaces[] = {{1, 13}, {1, 1}, {12, 13}, {9, 14}, {2, 2}};
  for (const auto& [primaries, transfer] : spaces) {
    const FileBytes chunk =
        PngChunk("cICP", {static_cast<uint8_t>(primaries), static_cast<uint8_t>(transfer), 0, 1});
    EXPECT_EQ(ColourOf(PngWithChunks({chunk})), kStored) << primaries << "/" << transfer;
  }
}

FileBytes GammaChunk(uint32_t gamma) { return PngChunk("gAMA", BigEndian(gamma, 4)); }

FileBytes ChromaticityChunk(const std::vector<uint32_t>& values) {
  FileBytes data;
  for (const uint32_t value : values) {
    const FileBytes bytes = BigEndian(value, 4);
    data.insert(data.end(), bytes.begin(), bytes.end());
  }
  return PngChunk("cHRM", data);
}

const std::vector<uint32_t> kSwappedPrimaries{31270, 32900, 15000, 6000, 30000, 60000, 64000, 33000};

TEST(ColourProfileTest, GammaAndPrimariesOfAPngAreAppliedIfTheyAreFarFromSrgb) {
  EXPECT_TRUE(IsBlue(ColourOf(PngWithChunks({GammaChunk(45455), ChromaticityChunk(kSwappedPrimaries)}))));
  EXPECT_GT(ColourOf(PngWithChunks({GammaChunk(100'000)}))[1], 80);
  EXPECT_EQ(ColourOf(PngWithChunks({GammaChunk(45455)})), kStored);
}

TEST(ColourProfileTest, GammaAndPrimariesThatViewersIgnoreChangeNothing) {
  const FileBytes swapped = ChromaticityChunk(kSwappedPrimaries);
  const FileBytes srgb = PngChunk("sRGB", {0});
  EXPECT_EQ(ColourOf(PngWithChunks({srgb, GammaChunk(45455), swapped})), kStored);
  EXPECT_EQ(ColourOf(PngWithChunks({swapped})), kStored);
  EXPECT_EQ(ColourOf(PngWithChunks({GammaChunk(0), swapped})), kStored);
  EXPECT_EQ(ColourOf(PngWithChunks({GammaChunk(45455), ChromaticityChunk(std::vector<uint32_t>(8, 0))})),
            kStored);
}

TEST(ColourProfileTest, AnyChangedProfileLeavesTheImageReadable) {
  std::mt19937 random(1);
  for (const FileBytes& profile : {Swapped(), WithTable(cmsSigAToB0Tag)}) {
    for (int round = 0; round < 300; ++round) {
      FileBytes damaged = profile;
      for (int change = 0; change < 1 + round % 4; ++change)
        damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
      EXPECT_EQ(Decode(PngWith(damaged)).value().width, kProfiledSide);
    }
  }
}

}  // namespace
}  // namespace telltale
