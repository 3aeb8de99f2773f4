// Tests of BMP, TIFF and WebP files that break a rule of their format but open in viewers.
#include "tests/fixtures.h"
#include "tests/viewer_files.h"

namespace telltale {
namespace {

// Returns a grey TIFF of one row. Its last four bytes are the directory's link to the next directory.
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

// Returns `tiff` with another link to the next directory.
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

// Returns a grey TIFF of two strips, one per row, which claim `more` bytes each. The second is at `second`.
FileBytes StripsTiff(uint32_t more, uint32_t second, uint16_t compression, const FileBytes& rows) {
  FileBytes data = rows;
  const auto tables = static_cast<uint32_t>(kTiffDataOffset + rows.size());
  for (const uint32_t value : {kTiffDataOffset, second, 4 + more, 4 + more}) {
    for (int shift = 0; shift < 32; shift += 8) data.push_back(static_cast<uint8_t>(value >> shift));
  }
  return MakeTiff({{256, 3, 1, 4},
                   {257, 3, 1, 2},
                   {258, 3, 1, 8},
                   {259, 3, 1, compression},
                   {262, 3, 1, 1},
                   {273, 4, 2, tables},
                   {277, 3, 1, 1},
                   {278, 3, 1, 1},
                   {279, 4, 2, tables + 8}},
                  data);
}

TEST(ViewerTiff, WithTooLargeSizesOfItsStripsShowsTheSame) {
  const FileBytes rows = {10, 20, 30, 40, 50, 60, 70, 80};
  const FileBytes tiff = StripsTiff(0, kTiffDataOffset + 4, 1, rows);
  for (const uint32_t more : {1u, 50u, 1'000u, 0xFFFFFFF0u})
    EXPECT_TRUE(ShowsTheSame(StripsTiff(more, kTiffDataOffset + 4, 1, rows), tiff)) << more;
}

TEST(ViewerTiff, WithoutPixelsOfItsFirstPageIsCorrupt) {
  const FileBytes rows = {10, 20, 30, 40, 50, 60, 70, 80};
  const auto end = static_cast<uint32_t>(StripsTiff(0, 0, 1, rows).size());
  for (const uint32_t second : {end - 3, end, end + 1'000})
    EXPECT_EQ(Decode(StripsTiff(1'000, second, 1, rows)).status().code(), StatusCode::kImageCorrupt)
        << second;
  const FileBytes packed = {3, 10, 20, 30, 40, 3, 50, 60};  // PackBits: four literal bytes
  EXPECT_EQ(Decode(StripsTiff(1'000, end - 3, 32773, packed)).status().code(), StatusCode::kImageCorrupt);
}

TEST(ViewerTiff, WithAThumbnailBeforeItsPageIsJudgedByThePage) {
  const FileBytes page = RowTiff();
  const FileBytes thumbnail = MakeTiff({{254, 4, 1, 1},
                                        {256, 3, 1, 2},
                                        {257, 3, 1, 1},
                                        {258, 3, 1, 8},
                                        {262, 3, 1, 1},
                                        {273, 4, 1, kTiffDataOffset},
                                        {277, 3, 1, 1},
                                        {278, 3, 1, 1},
                                        {279, 4, 1, 2}},
                                       {10, 20, 30, 40});
  FileBytes both = WithLink(thumbnail, static_cast<uint32_t>(thumbnail.size()));
  both.insert(both.end(), page.begin() + kTiffDataOffset + 4, page.end());
  EXPECT_TRUE(ShowsTheSame(both, page));
  EXPECT_EQ(Sniff(both).value().width, 4);
  EXPECT_EQ(Sniff(both).value().frame_count, 1);
  EXPECT_EQ(Sniff(thumbnail).value().width, 2) << "nothing else is there";
}

// Returns a BMP of `width` x 1 px, with a header of `header_size` bytes.
FileBytes MakeBmp(uint8_t header_size, uint8_t width, uint8_t bits, const FileBytes& palette,
                  const FileBytes& row, uint8_t compression = 0, bool has_offset = true) {
  FileBytes file = {'B', 'M', 0,     0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, header_size, 0,
                    0,   0,   width, 0, 0, 0, 1, 0, 0, 0, 1, 0, bits, 0, compression};
  file.resize(14 + header_size);
  if (has_offset) file[10] = static_cast<uint8_t>(file.size() + palette.size());
  for (const FileBytes& part : {palette, row}) file.insert(file.end(), part.begin(), part.end());
  return file;
}

const FileBytes kBlackAndWhite = {0, 0, 0, 0, 255, 255, 255, 0};
const FileBytes kFourColours = {0, 0, 0, 0, 255, 255, 255, 0, 10, 20, 30, 0, 40, 50, 60, 0};

TEST(ViewerBmp, WithAShortHeaderOfOs2ShowsTheSame) {
  const FileBytes row = {0b01100000, 0, 0, 0};
  const FileBytes usual = MakeBmp(40, 4, 1, kBlackAndWhite, row);
  for (const uint8_t size : {16, 18, 20, 24, 36, 42, 46, 48, 60, 64})
    EXPECT_TRUE(ShowsTheSame(MakeBmp(size, 4, 1, kBlackAndWhite, row), usual)) << int{size};
}

TEST(ViewerBmp, WithTwoBitsAPixelShowsTheSame) {
  EXPECT_TRUE(ShowsTheSame(MakeBmp(40, 4, 2, kFourColours, {0b00011011, 0, 0, 0}),
                           MakeBmp(40, 4, 4, kFourColours, {0x01, 0x23, 0, 0})));
}

TEST(ViewerBmp, WithoutAnOffsetOfItsPixelsShowsTheSame) {
  const FileBytes row = {0x01, 0x23, 0, 0};
  const FileBytes bmp = MakeBmp(40, 4, 4, FileBytes(64, 77), row);
  EXPECT_TRUE(ShowsTheSame(MakeBmp(40, 4, 4, FileBytes(64, 77), row, 0, false), bmp));
  const FileBytes true_colour = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_TRUE(
      ShowsTheSame(MakeBmp(40, 4, 24, {}, true_colour, 0, false), MakeBmp(40, 4, 24, {}, true_colour)));
}

TEST(ViewerBmp, IsWhiteWhereRunsSkipPixels) {
  // The data skips two pixels and then paints two black pixels.
  const Result<Image> image = Decode(MakeBmp(40, 4, 8, kBlackAndWhite, {0, 2, 2, 0, 2, 0, 0, 1}, 1));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image.value().pixels, (PixelBuffer{255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0}));
}

TEST(ViewerBmp, OfAKindThatIsNotReadIsNamed) {
  const auto named = [](uint8_t header_size, uint8_t bits, uint8_t compression, const char* name) {
    const Status status = Sniff(MakeBmp(header_size, 4, bits, {}, {}, compression)).status();
    return status.code() == StatusCode::kUnsupportedFormat && status.message() == name;
  };
  EXPECT_TRUE(named(40, 0, 4, "bmp_jpeg"));
  EXPECT_TRUE(named(40, 0, 5, "bmp_png"));
  EXPECT_TRUE(named(124, 32, 11, "bmp_cmyk"));
  EXPECT_TRUE(named(40, 64, 0, "bmp_64_bit"));
  EXPECT_TRUE(named(64, 1, 3, "bmp_huffman"));
  EXPECT_TRUE(named(24, 24, 4, "bmp_rle_24"));
  EXPECT_EQ(Sniff(MakeBmp(40, 4, 3, {}, {})).status().code(), StatusCode::kImageCorrupt);
}

// Returns `webp` with another file size in its header.
FileBytes WithRiffSize(FileBytes webp, size_t size) {
  for (int i = 0; i < 4; ++i) webp[4 + i] = static_cast<uint8_t>(size >> (8 * i));
  return webp;
}

TEST(ViewerWebp, WithAWrongSizeOfTheFileShowsTheSame) {
  for (const char* name : {"lossy", "lossless", "lossy_alpha", "animated_offset"}) {
    const FileBytes webp = ReadFixture(std::string("images/webp/") + name + ".webp");
    EXPECT_TRUE(ShowsTheSame(WithRiffSize(webp, webp.size()), webp)) << name;
    const FileBytes padded = WithRiffSize(Joined(webp, {"EXIF\1\0\0\0x\0", 10}), webp.size() + 2);
    EXPECT_TRUE(ShowsTheSame(Without(padded, 1), webp)) << name << " without its last byte";
    EXPECT_TRUE(ShowsTheSame(Without(padded, 4), webp)) << name << " with a cut chunk behind the pixels";
    if (std::string_view(name) != "animated_offset") {
      EXPECT_EQ(Decode(Without(webp, 40)).status().code(), StatusCode::kImageCorrupt) << name;
    }
  }
}

}  // namespace
}  // namespace telltale
