// Names of refusals for files that are not in one of the seven formats.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "image/decode.h"
#include "tests/fixtures.h"
#include "tests/hostile_files.h"

namespace telltale {
namespace {

using namespace std::string_view_literals;

struct Foreign {
  std::string_view file;  // first bytes of the file
  const char* name;
};

class ForeignFormat : public testing::TestWithParam<Foreign> {};

TEST_P(ForeignFormat, IsNamed) {
  const FileBytes file(GetParam().file.begin(), GetParam().file.end());
  const Status status = Sniff(file).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(status.message(), GetParam().name);
}

const Foreign kForeign[] = {
    {"\0\0\0\x18"
     "ftypheic\0\0\0\0mif1heic"sv,
     "heic"},
    {"\0\0\0\x18"
     "ftypmif1\0\0\0\0mif1heic"sv,
     "heic"},
    {"\0\0\0\x18"
     "ftypcrx \0\0\0\1crx isom"sv,
     "camera_raw"},
    {"\0\0\0\x18"
     "ftypisom\0\0\2\0isommp42"sv,
     "mp4"},
    {"\0\0\0\x14"
     "ftypqt  \0\0\2\0qt  "sv,
     "mp4"},
    {"\xFF\x0A\xFA\x1F"sv, "jpeg_xl"},
    {"\0\0\0\x0CJXL \r\n\x87\n"sv, "jpeg_xl"},
    {"%PDF-1.7\n"sv, "pdf"},
    {"8BPS\0\1"sv, "psd"},
    {"\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<SVG xmlns="sv, "svg"},
    {"<!DOCTYPE html><title>"sv, "web_page"},
    {"FUJIFILMCCD-RAW 0201"sv, "camera_raw"},
    {"II*\0\x10\0\0\0CR\2\0"sv, "camera_raw"},
    {"RIFF\0\0\0\0AVI LIST"sv, "avi"},
    {"PK\3\4"sv, "zip"},
};

INSTANTIATE_TEST_SUITE_P(All, ForeignFormat, testing::ValuesIn(kForeign));

TEST(ForeignFormat, IsARawFileWhereTheFirstPageOfATiffIsAPreview) {
  const FileBytes raw = MakeTiff({{254, 4, 1, 1}, {256, 3, 1, 160}, {257, 3, 1, 120}, {330, 4, 1, 8}}, {});
  EXPECT_EQ(Sniff(raw).status().code(), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(Sniff(raw).status().message(), "camera_raw");
}

// Returns a TIFF whose first page is a thumbnail of one pixel. The thumbnail has one child page of 2 x 1 px.
FileBytes TiffWithChild(uint32_t photometric, uint16_t offset_type) {
  const std::vector<TiffEntry> child = {{256, 3, 1, 2}, {257, 3, 1, 1},           {258, 3, 1, 8},
                                        {259, 3, 1, 1}, {262, 3, 1, photometric}, {273, 4, 1, 8},
                                        {277, 3, 1, 1}, {278, 3, 1, 1},           {279, 4, 1, 2}};
  // One pixel of the thumbnail and two pixels of the child, then the child's directory.
  FileBytes data = {50, 200};
  const FileBytes inner = MakeTiff(child, {50, 200});
  data.insert(data.end(), inner.begin() + kTiffDataOffset + 2, inner.end());
  return MakeTiff({{254, 4, 1, 1},
                   {256, 3, 1, 1},
                   {257, 3, 1, 1},
                   {258, 3, 1, 8},
                   {259, 3, 1, 1},
                   {262, 3, 1, 1},
                   {273, 4, 1, 8},
                   {277, 3, 1, 1},
                   {278, 3, 1, 1},
                   {279, 4, 1, 1},
                   {330, offset_type, 1, kTiffDataOffset + 2}},
                  data);
}

TEST(ForeignFormat, IsNoRawFileIfThePreviewsChildIsAnImage) {
  for (const uint16_t offset_type : {4, 13}) {
    const Result<Image> image = Decode(TiffWithChild(1, offset_type));
    ASSERT_TRUE(image.ok()) << image.status().message();
    EXPECT_EQ(image.value().pixels.size(), 6u);
    EXPECT_EQ(image.value().pixels.data()[0], 50);
    EXPECT_EQ(image.value().pixels.data()[3], 200);
  }
  const Status raw = Sniff(TiffWithChild(32803, 4)).status();
  EXPECT_EQ(raw.message(), "camera_raw");
}

TEST(ForeignFormat, IsARawFileWhereTheFirstPageIsWhatTheSensorSaw) {
  for (const uint32_t photometric : {32803U, 34892U}) {
    const FileBytes raw =
        MakeTiff({{256, 3, 1, 4000}, {257, 3, 1, 3000}, {258, 3, 1, 14}, {262, 3, 1, photometric}}, {});
    EXPECT_EQ(Sniff(raw).status().message(), "camera_raw");
  }
}

TEST(ForeignFormat, IsNotGuessed) {
  for (const std::string_view text : {"no image at all"sv, "<note>plain XML</note>"sv, "\0"sv}) {
    EXPECT_EQ(Sniff(FileBytes(text.begin(), text.end())).status().message(), "unknown_format");
  }
}

TEST(ForeignFormat, IsMissingInAnEmptyFile) {
  EXPECT_EQ(Sniff({}).status().code(), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(Sniff({}).status().message(), "empty");
}

}  // namespace
}  // namespace telltale
