// Tests of truncated, damaged and malicious files: each must return an error code, within limited memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "image/decode.h"
#include "metadata/metadata.h"
#include "tests/fixtures.h"
#include "tests/hostile_files.h"

namespace telltale {
namespace {

StatusCode CodeOf(Bytes bytes) { return Decode(bytes).status().code(); }

// Returns true if the error is due to the file, not to the service.
bool IsRefusal(StatusCode code) {
  return code == StatusCode::kImageCorrupt || code == StatusCode::kUnsupportedFormat ||
         code == StatusCode::kImageTooManyPixels;
}

class HostileFixture : public testing::TestWithParam<Fixture> {};

// Decodes a file cut at 16 places. Cuts behind the image's pixels do no harm, for example in a second page.
TEST_P(HostileFixture, IsCorruptWhereverACutTakesPixels) {
  const FileBytes file = ReadFixture("images/" + GetParam().file);
  const Image whole = Decode(file).value();
  for (size_t sixteenth = 0; sixteenth < 16; ++sixteenth) {
    const size_t size = file.size() * sixteenth / 16;
    const Result<Image> image = Decode(Bytes(file).first(size));
    const StatusCode code = image.status().code();
    if (image.ok()) {
      EXPECT_EQ(image.value().pixels, whole.pixels) << sixteenth << "/16";
      continue;
    }
    // A very short rest may be too short to recognise the format.
    const bool is_too_short = size < 40 && code == StatusCode::kUnsupportedFormat;
    EXPECT_TRUE(code == StatusCode::kImageCorrupt || is_too_short)
        << sixteenth << "/16: " << StatusCodeName(code);
  }
}

TEST_P(HostileFixture, SurvivesChangedBytes) {
  const FileBytes file = ReadFixture("images/" + GetParam().file);
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    FileBytes damaged = file;
    // Every second round changes only the first 256 bytes, because headers are short and matter most.
    const size_t range = round % 2 == 0 ? std::min<size_t>(file.size(), 256) : file.size();
    for (int change = 0; change < 1 + round % 8; ++change)
      damaged[random() % range] = static_cast<uint8_t>(random());
    const Result<SniffedImage> sniffed = Sniff(damaged);
    // Skips files that have become large, because they would be slow and other tests cover them.
    if (sniffed.ok() && int64_t{sniffed.value().width} * sniffed.value().height > 1'000'000) continue;
    const Result<Image> image = Decode(damaged);
    if (image.ok()) {
      ASSERT_TRUE(sniffed.ok());
      EXPECT_EQ(image.value().width, sniffed.value().width);
      EXPECT_EQ(image.value().height, sniffed.value().height);
    } else {
      EXPECT_TRUE(IsRefusal(image.status().code())) << StatusCodeName(image.status().code());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostileFixture, testing::ValuesIn(AllFixtures()),
                         [](const auto& info) { return TestName(info.param); });

// A hostile file, and the result that it must have within 1 GB of memory.
struct Bomb {
  const char* name;
  FileBytes (*make)();
  StatusCode code;
};

FileBytes HugePng() { return MakePng(100'000, 100'000, {}, 1000); }
FileBytes ShortPng() { return MakePng(10'000, 10'000, {}, 1'000'000); }
FileBytes OverfullPng() { return MakePng(64, 64, {}, 10'000'000'000); }
FileBytes PngTextBomb() {
  return MakePng(64, 64, PngChunk("zTXt", DeflatedText("Comment", 4'000'000'000)), 64 * (64 * 3 + 1));
}
FileBytes PngProfileBomb() {
  return MakePng(64, 64, PngChunk("iCCP", DeflatedText("profile", 4'000'000'000)), 64 * (64 * 3 + 1));
}
FileBytes BadChecksumPng() {
  FileBytes file = MakePng(64, 64, {}, 64 * (64 * 3 + 1));
  file[file.size() - 14] ^= 1;  // in the last bytes of IDAT's checksum
  return file;
}

// Returns an RGB TIFF whose pixels are one compressed strip, which may claim to hold more rows than it does.
FileBytes DeflatedTiff(uint32_t side, uint32_t rows_per_strip, uint32_t strip_bytes, size_t zeros) {
  return MakeTiff({{256, 4, 1, side},
                   {257, 4, 1, side},
                   {258, 3, 1, 8},
                   {259, 3, 1, 8},
                   {262, 3, 1, 1},
                   {273, 4, 1, kTiffDataOffset},
                   {277, 3, 1, 1},
                   {278, 4, 1, rows_per_strip},
                   {279, 4, 1, strip_bytes}},
                  Deflate(zeros));
}
FileBytes TiffBomb() { return DeflatedTiff(100, 100, 3'000'000, 4'000'000'000); }
FileBytes ShortTiff() { return DeflatedTiff(10'000, 10'000, 1'000, 1'000'000); }
FileBytes LyingStripTiff() { return DeflatedTiff(100, 0xFFFFFFFF, 0xFFFFFFF0, 1'000); }
FileBytes GiantTileTiff() {
  return MakeTiff({{256, 4, 1, 100},
                   {257, 4, 1, 100},
                   {258, 3, 1, 8},
                   {259, 3, 1, 8},
                   {262, 3, 1, 1},
                   {277, 3, 1, 1},
                   {322, 4, 1, 1 << 20},
                   {323, 4, 1, 1 << 20},
                   {324, 4, 1, kTiffDataOffset},
                   {325, 4, 1, 1000}},
                  Deflate(1'000'000));
}
FileBytes ManySamplesTiff() {
  return MakeTiff({{256, 4, 1, 10'000},
                   {257, 4, 1, 10'000},
                   {258, 3, 1, 16},
                   {259, 3, 1, 1},
                   {262, 3, 1, 2},
                   {273, 4, 1, kTiffDataOffset},
                   {277, 3, 1, 65'535},
                   {278, 4, 1, 10'000},
                   {279, 4, 1, 1000}},
                  FileBytes(1000));
}
FileBytes ManyStripsTiff() {
  return MakeTiff({{256, 4, 1, 10},
                   {257, 4, 1, 32'768},
                   {258, 3, 1, 8},
                   {259, 3, 1, 1},
                   {262, 3, 1, 1},
                   {273, 4, 0x40000000, kTiffDataOffset},
                   {277, 3, 1, 1},
                   {278, 4, 1, 1},
                   {279, 4, 0x40000000, kTiffDataOffset}},
                  FileBytes(1000));
}
constexpr uint32_t kSharedBytes = 20'000'000;
// Returns `page` with 100 unknown tags, all of which refer to the same 20 MB.
std::vector<TiffEntry> WithSharedValues(std::vector<TiffEntry> page) {
  for (uint16_t tag = 50'000; tag < 50'100; ++tag) page.push_back({tag, 7, kSharedBytes, kTiffDataOffset});
  return page;
}
// Returns the directory of a grey page in one strip.
std::vector<TiffEntry> GreyPage(uint32_t side) {
  return {{256, 3, 1, side},
          {257, 3, 1, side},
          {258, 3, 1, 8},
          {262, 3, 1, 1},
          {273, 4, 1, kTiffDataOffset},
          {277, 3, 1, 1},
          {278, 3, 1, side},
          {279, 4, 1, side * side}};
}
// Returns the directory of a thumbnail with `strips` strips of one pixel. libtiff keeps 16 bytes per strip.
std::vector<TiffEntry> Thumbnail(uint32_t strips) {
  return {{254, 4, 1, 1}, {256, 3, 1, 1}, {257, 4, 1, strips},
          {258, 3, 1, 8}, {262, 3, 1, 1}, {273, 1, strips, kTiffDataOffset},
          {277, 3, 1, 1}, {278, 3, 1, 1}, {279, 1, strips, kTiffDataOffset}};
}
FileBytes SharedValuesTiff() { return MakeTiff(WithSharedValues(GreyPage(16)), FileBytes(kSharedBytes)); }
// If libtiff read this thumbnail's values, no memory would be left for the list of its strips.
FileBytes SharedValuesThumbnailTiff() {
  return MakeTiffPages({WithSharedValues(Thumbnail(3'000'000)), GreyPage(2'000)}, FileBytes(kSharedBytes));
}
FileBytes SharedValuesSecondThumbnailTiff() {
  return MakeTiffPages({Thumbnail(1), WithSharedValues(Thumbnail(3'000'000)), GreyPage(2'000)},
                       FileBytes(kSharedBytes));
}
// Returns a TIFF with 25,000 compressed tiles of 16 x 16 px, all of which refer to the same 1 MB. Their bit
// order is reversed, so the decoder copies each.
FileBytes SharedTilesTiff() {
  constexpr uint32_t kTiles = 25'000, kShared = 1'000'000;
  FileBytes data;
  const auto append = [&](const FileBytes& part) { data.insert(data.end(), part.begin(), part.end()); };
  const FileBytes packed = {0x81, 0, 0x81, 0};  // 256 zeros by PackBits; 129 reads the same in both orders
  const auto repeat = [&](uint32_t value) {
    for (uint32_t i = 0; i < kTiles; ++i) {
      append({static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8),
              static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 24)});
    }
  };
  repeat(kTiffDataOffset + kTiles * 8);
  repeat(kShared);
  append(packed);
  data.resize(data.size() + kShared);
  return MakeTiff({{256, 3, 1, 1600},
                   {257, 3, 1, 4000},
                   {258, 3, 1, 8},
                   {259, 3, 1, 32'773},
                   {262, 3, 1, 1},
                   {266, 3, 1, 2},
                   {277, 3, 1, 1},
                   {322, 3, 1, 16},
                   {323, 3, 1, 16},
                   {324, 4, kTiles, kTiffDataOffset},
                   {325, 4, kTiles, kTiffDataOffset + kTiles * 4}},
                  data);
}
FileBytes CircularTiff() {
  FileBytes file = DeflatedTiff(100, 100, static_cast<uint32_t>(Deflate(10'000).size()), 10'000);
  const uint32_t directory = file[4] | file[5] << 8 | file[6] << 16 | static_cast<uint32_t>(file[7]) << 24;
  for (int i = 0; i < 4; ++i) file[file.size() - 4 + i] = static_cast<uint8_t>(directory >> (8 * i));
  return file;
}

FileBytes ManyScansJpeg() { return RepeatLastScan(ReadFixture("images/jpeg/progressive.jpg"), 10'000); }
// Repeating a scan is valid in a sequential JPEG, so only a limit on the number of scans rejects this file.
FileBytes ManySequentialScansJpeg() {
  return RepeatLastScan(ReadFixture("images/jpeg/separate_scans.jpg"), 10'000);
}
FileBytes LargeManyScansJpeg() {
  const FileBytes jpeg = RepeatLastScan(ReadFixture("images/jpeg/progressive.jpg"), 10'000);
  return WithJpegSize(jpeg, 10'000, 10'000);
}
FileBytes LyingJpeg() { return WithJpegSize(ReadFixture("images/jpeg/420.jpg"), 9'999, 9'999); }
FileBytes LargeGif() {
  FileBytes gif = ReadFixture("images/gif/plain.gif");
  // Canvas and first frame claim 9999 x 9999 px, for which the data is far too short.
  const size_t frame =
      static_cast<size_t>(std::find(gif.begin() + 13 + 128 * 3, gif.end(), 0x2C) - gif.begin());
  for (size_t at : {size_t{6}, size_t{8}, frame + 5, frame + 7}) {
    gif[at] = 0x0F;
    gif[at + 1] = 0x27;
  }
  return gif;
}
FileBytes LargeBmp() {
  FileBytes bmp = ReadFixture("images/bmp/rle_8.bmp");
  for (size_t at : {size_t{18}, size_t{22}}) {
    bmp[at] = 0x0F;
    bmp[at + 1] = 0x27;
  }
  return bmp;
}

const Bomb kBombs[] = {
    {"huge_png", HugePng, StatusCode::kImageTooManyPixels},
    {"short_png", ShortPng, StatusCode::kImageCorrupt},
    {"overfull_png", OverfullPng, StatusCode::kOk},
    {"png_text_bomb", PngTextBomb, StatusCode::kOk},
    {"png_profile_bomb", PngProfileBomb, StatusCode::kOk},
    {"bad_checksum_png", BadChecksumPng, StatusCode::kImageCorrupt},
    {"tiff_bomb", TiffBomb, StatusCode::kOk},
    {"short_tiff", ShortTiff, StatusCode::kImageCorrupt},
    {"lying_strip_tiff", LyingStripTiff, StatusCode::kImageCorrupt},
    {"giant_tile_tiff", GiantTileTiff, StatusCode::kImageCorrupt},
    {"many_samples_tiff", ManySamplesTiff, StatusCode::kImageCorrupt},
    {"many_strips_tiff", ManyStripsTiff, StatusCode::kImageCorrupt},
    {"shared_values_tiff", SharedValuesTiff, StatusCode::kImageCorrupt},
    {"shared_values_thumbnail_tiff", SharedValuesThumbnailTiff, StatusCode::kOk},
    {"shared_values_second_thumbnail_tiff", SharedValuesSecondThumbnailTiff, StatusCode::kOk},
    {"shared_tiles_tiff", SharedTilesTiff, StatusCode::kImageCorrupt},
    {"circular_tiff", CircularTiff, StatusCode::kOk},
    {"many_scans_jpeg", ManyScansJpeg, StatusCode::kImageCorrupt},
    {"many_sequential_scans_jpeg", ManySequentialScansJpeg, StatusCode::kImageCorrupt},
    {"large_many_scans_jpeg", LargeManyScansJpeg, StatusCode::kImageCorrupt},
    {"lying_jpeg", LyingJpeg, StatusCode::kImageCorrupt},
    {"large_gif", LargeGif, StatusCode::kImageCorrupt},
    {"large_bmp", LargeBmp, StatusCode::kOk},
};

// GoogleTest runs tests with names ending in DeathTest first. That is necessary because a fork would lose the
// threads that other tests start.
class HostileBombDeathTest : public testing::TestWithParam<Bomb> {};

TEST_P(HostileBombDeathTest, EndsInAStatusWithinItsMeans) {
  const FileBytes file = GetParam().make();
  EXPECT_EXIT(
      {
        LimitResources();
        _exit(static_cast<int>(CodeOf(file)));  // skips exit handlers, which belong to the parent's libraries
      },
      testing::ExitedWithCode(static_cast<int>(GetParam().code)), "^$");  // with nothing on stderr
}

INSTANTIATE_TEST_SUITE_P(All, HostileBombDeathTest, testing::ValuesIn(kBombs),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(HostileMetadata, EndsWithItsBudgetWhereGifPacketsHaveNoEnd) {
  FileBytes gif = {'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0, 0, 0, 0};
  const auto append = [&](std::string_view text) { gif.insert(gif.end(), text.begin(), text.end()); };
  for (size_t i = 0; i < 2 * kMaxMetadataBytes / kMaxXmpBytes; ++i) append({"\x21\xFF\x0BXMP DataXMP\0", 15});
  append({"\x21\xFE\5after\0", 9});
  gif.resize(gif.size() + kMaxXmpBytes);
  std::vector<std::string> places;
  for (const MetadataText& text : ReadMetadata(gif)) places.push_back(text.where);
  EXPECT_EQ(places, std::vector<std::string>(kMaxKeptBytes / kMaxXmpBytes, "xmp"));  // and no comment
}

}  // namespace
}  // namespace telltale
