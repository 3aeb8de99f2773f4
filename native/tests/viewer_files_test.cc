// Files that break a rule of their format and that every viewer opens: what they show is what is judged.
#include <gtest/gtest.h>

#include <string_view>

#include "image/decode.h"
#include "metadata/metadata.h"
#include "tests/fixtures.h"
#include "tests/hostile_files.h"

namespace telltale {
namespace {

// Whether `file` shows what `whole` shows, to the last sample.
testing::AssertionResult ShowsTheSame(const FileBytes& file, const FileBytes& whole) {
  const Result<Image> image = Decode(file);
  if (!image.ok()) return testing::AssertionFailure() << image.status().message();
  const Image expected = Decode(whole).value();
  if (image.value().pixels != expected.pixels) return testing::AssertionFailure() << "other pixels";
  return testing::AssertionSuccess();
}

FileBytes Without(FileBytes file, size_t last_bytes) {
  file.resize(file.size() - last_bytes);
  return file;
}

FileBytes Joined(FileBytes file, std::string_view more) {
  file.insert(file.end(), more.begin(), more.end());
  return file;
}

// Where the first `text` lies in `file`.
size_t Find(const FileBytes& file, std::string_view text) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  return all.find(text);
}

// `jpeg` with the three bytes that end its start of scan: first and last coefficient, and their bits.
FileBytes WithScanEnd(FileBytes jpeg, uint8_t first, uint8_t last, uint8_t bits) {
  const size_t scan = Find(jpeg, "\xFF\xDA");
  const size_t end = scan + 2 + jpeg[scan + 3];
  jpeg[end - 3] = first;
  jpeg[end - 2] = last;
  jpeg[end - 1] = bits;
  return jpeg;
}

TEST(ViewerJpeg, WithWrongCoefficientsInASequentialScanShowsTheSame) {
  const FileBytes jpeg = ReadFixture("images/jpeg/420.jpg");
  EXPECT_TRUE(ShowsTheSame(WithScanEnd(jpeg, 0, 0, 0), jpeg));
  EXPECT_TRUE(ShowsTheSame(WithScanEnd(jpeg, 1, 63, 0), jpeg));
  EXPECT_TRUE(ShowsTheSame(WithScanEnd(jpeg, 0, 63, 1), jpeg));
}

TEST(ViewerJpeg, WithoutItsEndShowsTheSame) {
  for (const char* name : {"420", "progressive", "restart", "grey", "separate_scans", "cmyk"}) {
    const FileBytes jpeg = ReadFixture(std::string("images/jpeg/") + name + ".jpg");
    EXPECT_TRUE(ShowsTheSame(Without(jpeg, 2), jpeg)) << name;
    EXPECT_TRUE(ShowsTheSame(Without(jpeg, 1), jpeg)) << name;
  }
}

TEST(ViewerJpeg, WithAnotherFileInPlaceOfItsEndShowsTheSame) {
  const FileBytes jpeg = ReadFixture("images/jpeg/420.jpg");
  EXPECT_TRUE(ShowsTheSame(Joined(Without(jpeg, 2), "\xFF\xD8\xFF\xE0"), jpeg));
  EXPECT_TRUE(ShowsTheSame(Joined(Without(jpeg, 2), "\xFF\xC4"), jpeg));
}

TEST(ViewerJpeg, WithoutAScanIsCorrupt) {
  for (const char* name : {"progressive", "separate_scans"}) {
    FileBytes jpeg = ReadFixture(std::string("images/jpeg/") + name + ".jpg");
    jpeg.resize(std::string_view(reinterpret_cast<const char*>(jpeg.data()), jpeg.size()).rfind("\xFF\xDA"));
    EXPECT_EQ(Decode(jpeg).status().code(), StatusCode::kImageCorrupt) << name;
  }
}

TEST(ViewerGif, WithoutItsTrailerShowsTheSame) {
  const FileBytes gif = ReadFixture("images/gif/plain.gif");
  EXPECT_TRUE(ShowsTheSame(Without(gif, 1), gif));
  EXPECT_TRUE(ShowsTheSame(Without(gif, 2), gif));  // nor the end of the frame's blocks
  EXPECT_TRUE(ShowsTheSame(Joined(Without(gif, 1), {"\0;", 2}), gif));
  EXPECT_TRUE(ShowsTheSame(Joined(Without(gif, 1), "no block at all"), gif));
  EXPECT_EQ(Decode(Without(gif, 3)).status().code(), StatusCode::kImageCorrupt);
}

TEST(ViewerGif, IsJudgedByItsFirstFrameWhereALaterOneIsCutOff) {
  const FileBytes gif = ReadFixture("images/gif/animated.gif");
  const Result<SniffedImage> sniffed = Sniff(Without(gif, 200));
  ASSERT_TRUE(sniffed.ok()) << sniffed.status().message();
  EXPECT_GE(sniffed.value().frame_count, 1);
  EXPECT_TRUE(ShowsTheSame(Without(gif, 200), gif));
}

// A PNG of one colour with `chunk` before its pixels.
FileBytes PngWith(const FileBytes& chunk) { return MakePng(64, 32, chunk, 32 * (64 * 3 + 1)); }

FileBytes WithWrongChecksum(FileBytes chunk) {
  chunk.back() ^= 1;
  return chunk;
}

TEST(ViewerPng, WithAWrongChecksumOfWhatNoPixelNeedsShowsTheSame) {
  const FileBytes plain = PngWith({});
  for (const char* type : {"tEXt", "pHYs", "gAMA", "caNv", "tIME"}) {
    EXPECT_TRUE(ShowsTheSame(PngWith(WithWrongChecksum(PngChunk(type, FileBytes(9, 'x')))), plain)) << type;
  }
}

TEST(ViewerPng, WithAWrongChecksumLeavesOutWhatTheChunkSays) {
  const FileBytes text = PngChunk("tEXt", {'a', 0, 'b'});
  EXPECT_EQ(ReadMetadata(PngWith(text)).size(), 1u);
  EXPECT_TRUE(ReadMetadata(PngWith(WithWrongChecksum(text))).empty());

  const FileBytes exif = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                          3,   0,   0, 0,  1, 0, 6, 0, 0, 0, 0, 0,    0};
  const FileBytes turned = PngChunk("eXIf", exif);
  EXPECT_EQ(Sniff(PngWith(turned)).value().orientation, 6);
  EXPECT_EQ(Sniff(PngWith(WithWrongChecksum(turned))).value().orientation, 1);
  EXPECT_TRUE(ShowsTheSame(PngWith(WithWrongChecksum(turned)), PngWith({})));
  // Transparency, too, is what the chunk says.
  const FileBytes black = PngChunk("tRNS", FileBytes(6));
  EXPECT_TRUE(Decode(PngWith(black)).value().is_transparent);
  EXPECT_FALSE(Decode(PngWith(WithWrongChecksum(black))).value().is_transparent);
}

TEST(ViewerPng, WithAWrongChecksumOfItsPixelsIsCorrupt) {
  const FileBytes png = PngWith({});
  for (const char* type : {"IHDR", "IDAT", "IEND"}) {
    FileBytes damaged = png;
    const size_t at = Find(png, type);
    const size_t length = png[at - 2] << 8 | png[at - 1];
    damaged[at + 4 + length] ^= 1;
    EXPECT_EQ(Decode(damaged).status().code(), StatusCode::kImageCorrupt) << type;
  }
}

// A grey TIFF of one row, whose directory is its end: the last four bytes point to the next one.
FileBytes RowTiff() {
  return MakeTiff({{256, 3, 1, 4},
                   {257, 3, 1, 1},
                   {258, 3, 1, 8},
                   {262, 3, 1, 1},
                   {273, 4, 1, kTiffDataOffset},
                   {277, 3, 1, 1},
                   {278, 3, 1, 1},
                   {279, 4, 1, 4}},
                  {10, 20, 30, 40});
}

// RowTiff with a link to the next directory.
FileBytes WithLink(const FileBytes& tiff, uint32_t link) {
  FileBytes linked(tiff.begin(), tiff.end() - 4);
  for (int shift = 0; shift < 32; shift += 8) linked.push_back(static_cast<uint8_t>(link >> shift));
  return linked;
}

TEST(ViewerTiff, IsJudgedByItsFirstPageWhateverFollowsIt) {
  const FileBytes tiff = RowTiff();
  EXPECT_TRUE(ShowsTheSame(Without(tiff, 4), tiff)) << "no link";
  EXPECT_TRUE(ShowsTheSame(Without(tiff, 2), tiff)) << "half a link";
  EXPECT_TRUE(ShowsTheSame(WithLink(tiff, 1'000'000), tiff)) << "a link to outside";
  const FileBytes empty = WithLink(tiff, static_cast<uint32_t>(tiff.size()));
  EXPECT_TRUE(ShowsTheSame(Joined(empty, {"\0\0\0\0\0\0", 6}), tiff)) << "an empty directory";
  EXPECT_TRUE(ShowsTheSame(empty, tiff)) << "a link to the end";
}

TEST(ViewerTiff, IsJudgedByItsFirstPageWhereALaterOneIsCutOff) {
  const FileBytes tiff = ReadFixture("images/tiff/pages.tif");
  EXPECT_TRUE(ShowsTheSame(Without(tiff, 1'000), tiff));
}

TEST(ViewerTiff, WithoutPixelsOfItsFirstPageIsCorrupt) {
  FileBytes tiff = RowTiff();
  tiff[tiff.size() - 8] = 5 + static_cast<uint8_t>(tiff.size());  // the bytes of its only strip
  EXPECT_EQ(Decode(tiff).status().code(), StatusCode::kImageCorrupt);
}

}  // namespace
}  // namespace telltale
