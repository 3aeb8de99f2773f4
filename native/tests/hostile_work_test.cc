// Tests of small files that could keep a decoder busy for minutes, and of cancelling a check.
#include <gtest/gtest.h>
#include <tiffio.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "image/decode.h"
#include "tests/fixtures.h"
#include "tests/hostile_files.h"

namespace telltale {
namespace {

// A hostile file, and the result that it must have within 10 s of work.
struct Toil {
  const char* name;
  FileBytes (*make)();
  StatusCode code;
};

void AppendLe32(FileBytes* file, uint32_t value) {
  for (int i = 0; i < 4; ++i) file->push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// Returns a TIFF of 32,768 x 256 px in 2,048 tiles of 16 x 15,000,000 px: 8 KB each, but 240 MB in memory.
FileBytes TallTilesTiff() {
  constexpr uint32_t kTiles = 2048, kTileHeight = 15 << 20;
  const FileBytes tile = ZstdZeros(size_t{16} * kTileHeight);
  const auto tile_bytes = static_cast<uint32_t>(tile.size());
  FileBytes data;
  for (uint32_t i = 0; i < kTiles; ++i) AppendLe32(&data, kTiffDataOffset + kTiles * 8 + i * tile_bytes);
  for (uint32_t i = 0; i < kTiles; ++i) AppendLe32(&data, tile_bytes);
  for (uint32_t i = 0; i < kTiles; ++i) std::copy(tile.begin(), tile.end(), std::back_inserter(data));
  return MakeTiff({{256, 4, 1, 32'768},
                   {257, 4, 1, 256},
                   {258, 3, 1, 8},
                   {259, 3, 1, 50'000},
                   {262, 3, 1, 1},
                   {277, 3, 1, 1},
                   {322, 4, 1, 16},
                   {323, 4, 1, kTileHeight},
                   {324, 4, kTiles, kTiffDataOffset},
                   {325, 4, kTiles, kTiffDataOffset + kTiles * 4}},
                  data);
}

// Returns a BMP with one row of pixels, followed by 50 million runs of 255 pixels outside the image.
FileBytes EndlessRunsBmp() {
  const FileBytes whole = ReadFixture("images/bmp/rle_8.bmp");
  const uint32_t pixels = whole[10] | whole[11] << 8;
  FileBytes file(whole.begin(), whole.begin() + pixels);
  file.resize(100'000'000, 0xFF);
  return file;
}

// Returns an RGB TIFF with one strip, a JPEG of 97 x 75 px.
FileBytes JpegTiff(const FileBytes& jpeg) {
  FileBytes data(8 + jpeg.size());
  data[0] = data[2] = data[4] = 8;
  std::copy(jpeg.begin(), jpeg.end(), data.begin() + 8);
  return MakeTiff({{256, 4, 1, 97},
                   {257, 4, 1, 75},
                   {258, 3, 3, kTiffDataOffset},
                   {259, 3, 1, 7},
                   {262, 3, 1, 6},
                   {273, 4, 1, kTiffDataOffset + 8},
                   {277, 3, 1, 3},
                   {278, 4, 1, 75},
                   {279, 4, 1, static_cast<uint32_t>(jpeg.size())},
                   {530, 3, 2, 2 | 2 << 16}},
                  data);
}
FileBytes ProgressiveTiff() { return JpegTiff(ReadFixture("images/jpeg/progressive.jpg")); }
FileBytes SeparateScansTiff() { return JpegTiff(ReadFixture("images/jpeg/separate_scans.jpg")); }
// The number of scans is below libtiff's own limit of 100, so this project's limit must reject the file.
FileBytes ManyScansTiff() {
  return JpegTiff(RepeatLastScan(ReadFixture("images/jpeg/separate_scans.jpg"), 80));
}

constexpr size_t kAnimationBytes = 20'000'000;

// Returns a whole image followed by 1.3 million one-pixel frames.
FileBytes ManyFramesGif() {
  FileBytes file = ReadFixture("images/gif/plain.gif");
  file.pop_back();  // removes the trailer
  const uint8_t frame[] = {0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0};
  while (file.size() < kAnimationBytes) file.insert(file.end(), std::begin(frame), std::end(frame));
  file.push_back(0x3B);
  return file;
}

// Returns a whole animation followed by the headers of 500,000 one-pixel frames.
FileBytes ManyFramesWebp() {
  FileBytes file = ReadFixture("images/webp/animated.webp");
  FileBytes frame(38);
  const std::string_view outer{"ANMF\x1E", 5}, inner{"VP8L\6\0\0\0\x2F", 9};
  std::copy(outer.begin(), outer.end(), frame.begin());
  std::copy(inner.begin(), inner.end(), frame.begin() + 24);
  while (file.size() < kAnimationBytes) file.insert(file.end(), frame.begin(), frame.end());
  for (int i = 0; i < 4; ++i) file[4 + i] = static_cast<uint8_t>((file.size() - 8) >> (8 * i));
  return file;
}

const Toil kToils[] = {
    {"tall_tiles_tiff", TallTilesTiff, StatusCode::kImageCorrupt},
    {"many_frames_gif", ManyFramesGif, StatusCode::kOk},
    {"many_frames_webp", ManyFramesWebp, StatusCode::kOk},
    {"progressive_tiff", ProgressiveTiff, StatusCode::kOk},
    {"separate_scans_tiff", SeparateScansTiff, StatusCode::kOk},
    {"many_scans_tiff", ManyScansTiff, StatusCode::kImageCorrupt},
    {"endless_runs_bmp", EndlessRunsBmp, StatusCode::kImageCorrupt},
};

class HostileWorkDeathTest : public testing::TestWithParam<Toil> {};

TEST_P(HostileWorkDeathTest, EndsInAStatusWithinTenSeconds) {
  const FileBytes file = GetParam().make();
  EXPECT_EXIT(
      {
        LimitResources();
        _exit(static_cast<int>(Decode(file).status().code()));
      },
      testing::ExitedWithCode(static_cast<int>(GetParam().code)), "^$");
}

INSTANTIATE_TEST_SUITE_P(All, HostileWorkDeathTest, testing::ValuesIn(kToils),
                         [](const auto& info) { return std::string(info.param.name); });

class CancellationFixture : public testing::TestWithParam<Fixture> {};

TEST_P(CancellationFixture, EndsTheDecodingWhereTheCodecGivesPieces) {
  const FileBytes file = ReadFixture("images/" + GetParam().file);
  const std::string folder = GetParam().file.substr(0, 4);
  const bool in_one_go = folder == "avif" || folder == "webp";
  Cancellation cancelled;
  cancelled.Cancel();
  EXPECT_EQ(Decode(file, cancelled).status().code(), in_one_go ? StatusCode::kOk : StatusCode::kCancelled);
  const Cancellation expired(std::chrono::steady_clock::now());
  EXPECT_EQ(Decode(file, expired).status().code(),
            in_one_go ? StatusCode::kOk : StatusCode::kDeadlineExceeded);
}

INSTANTIATE_TEST_SUITE_P(All, CancellationFixture, testing::ValuesIn(AllFixtures()),
                         [](const auto& info) { return TestName(info.param); });

// An image that libtiff writes in tiles.
struct TiledImage {
  const char* name;
  uint32_t width, height, tile;
  uint16_t bits, samples, planar;
};

// Writes a TIFF in which each byte of pixel (x, y) is (x + y) % 251.
FileBytes WriteTiled(const TiledImage& image) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / (std::string(image.name) + "_" + std::to_string(getpid()));
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, image.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, image.height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, image.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, image.samples);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, image.samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, image.planar);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(tiff, TIFFTAG_TILEWIDTH, image.tile);
  TIFFSetField(tiff, TIFFTAG_TILELENGTH, image.tile);
  if (image.samples == 2) {
    const uint16_t kind = EXTRASAMPLE_UNSPECIFIED;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
  }
  const int planes = image.planar == PLANARCONFIG_SEPARATE ? image.samples : 1;
  const size_t pixel_bytes = image.bits / 8 * image.samples / planes;
  FileBytes tile(image.tile * image.tile * pixel_bytes);
  for (int plane = 0; plane < planes; ++plane) {
    for (uint32_t top = 0; top < image.height; top += image.tile) {
      for (uint32_t left = 0; left < image.width; left += image.tile) {
        for (size_t i = 0; i < tile.size(); ++i) {
          const size_t pixel = i / pixel_bytes;
          tile[i] = static_cast<uint8_t>((left + pixel % image.tile + top + pixel / image.tile) % 251);
        }
        TIFFWriteTile(tiff, tile.data(), left, top, 0, static_cast<uint16_t>(plane));
      }
    }
  }
  TIFFClose(tiff);
  std::ifstream file(path, std::ios::binary);
  const FileBytes bytes(std::istreambuf_iterator<char>(file), {});
  std::filesystem::remove(path);
  return bytes;
}

class LibtiffTiles : public testing::TestWithParam<TiledImage> {};

TEST_P(LibtiffTiles, DecodeHoweverLittleOfThemTheImageCovers) {
  const Result<Image> image = Decode(WriteTiled(GetParam()));
  ASSERT_TRUE(image.ok()) << image.status().message();
  const auto [name, width, height, tile, bits, samples, planar] = GetParam();
  size_t wrong = 0;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      for (int i = 0; i < 3; ++i) wrong += image.value().row(static_cast<int>(y))[3 * x + i] != (x + y) % 251;
    }
  }
  EXPECT_EQ(wrong, 0u);
}

const TiledImage kTiledImages[] = {
    {"rgb_one_pixel", 1, 1, 512, 8, 3, 1},         {"rgb_small", 64, 65, 256, 8, 3, 1},
    {"rgb_16_strip", 64, 32'768, 512, 16, 3, 1},   {"rgb_16_planes", 100, 70, 512, 16, 3, 2},
    {"rgba_wide", 2000, 64, 256, 8, 4, 1},         {"grey", 300, 70, 256, 8, 1, 1},
    {"grey_16", 300, 270, 256, 16, 1, 1},          {"grey_and_another", 300, 70, 256, 8, 2, 1},
    {"grey_16_and_another", 17, 40, 16, 16, 2, 1},
};

INSTANTIATE_TEST_SUITE_P(All, LibtiffTiles, testing::ValuesIn(kTiledImages),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace telltale
