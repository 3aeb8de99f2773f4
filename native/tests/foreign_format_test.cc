// Tests of the messages about files in unsupported formats.
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
  const char* says;
};

class ForeignFormat : public testing::TestWithParam<Foreign> {};

TEST_P(ForeignFormat, IsNamedWithWhatToDo) {
  const FileBytes file(GetParam().file.begin(), GetParam().file.end());
  const Status status = Sniff(file).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(status.message(), std::string("this is ") + GetParam().says +
                                  "; it is none of JPEG, PNG, WebP, AVIF, GIF, BMP and TIFF");
}

const Foreign kForeign[] = {
    {"\0\0\0\x18"
     "ftypheic\0\0\0\0mif1heic"sv,
     "HEIC: convert it to JPEG or PNG, at full size"},
    {"\0\0\0\x18"
     "ftypmif1\0\0\0\0mif1heic"sv,
     "HEIC: convert it to JPEG or PNG, at full size"},
    {"\0\0\0\x18"
     "ftypcrx \0\0\0\1crx isom"sv,
     "a raw file of a camera: develop it to JPEG, or send the camera's own JPEG"},
    {"\0\0\0\x18"
     "ftypisom\0\0\2\0isommp42"sv,
     "a video (MP4 or QuickTime): send a frame of it as PNG or JPEG"},
    {"\0\0\0\x14"
     "ftypqt  \0\0\2\0qt  "sv,
     "a video (MP4 or QuickTime): send a frame of it as PNG or JPEG"},
    {"\xFF\x0A\xFA\x1F"sv, "JPEG XL: convert it to JPEG or PNG, at full size"},
    {"\0\0\0\x0CJXL \r\n\x87\n"sv, "JPEG XL: convert it to JPEG or PNG, at full size"},
    {"%PDF-1.7\n"sv, "a PDF: send the images in it by themselves"},
    {"8BPS\0\1"sv, "a Photoshop document (PSD): convert it to JPEG or PNG, at full size"},
    {"\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<SVG xmlns="sv, "SVG: export it as PNG"},
    {"<!DOCTYPE html><title>"sv, "a web page: send the images in it by themselves"},
    {"FUJIFILMCCD-RAW 0201"sv, "a raw file of a camera: develop it to JPEG, or send the camera's own JPEG"},
    {"II*\0\x10\0\0\0CR\2\0"sv, "a raw file of a camera: develop it to JPEG, or send the camera's own JPEG"},
    {"RIFF\0\0\0\0AVI LIST"sv, "a video (AVI): send a frame of it as PNG or JPEG"},
    {"PK\3\4"sv, "a ZIP archive or an office document: send the images in it by themselves"},
};

INSTANTIATE_TEST_SUITE_P(All, ForeignFormat, testing::ValuesIn(kForeign));

TEST(ForeignFormat, IsARawFileWhereTheFirstPageOfATiffIsAPreview) {
  const FileBytes raw = MakeTiff({{254, 4, 1, 1}, {256, 3, 1, 160}, {257, 3, 1, 120}, {330, 4, 1, 8}}, {});
  EXPECT_EQ(Sniff(raw).status().code(), StatusCode::kUnsupportedFormat);
  EXPECT_NE(Sniff(raw).status().message().find("raw file"), std::string::npos);
}

// Returns a TIFF whose first page is a thumbnail of one pixel. The thumbnail has one child page of 2 x 1 px.
FileBytes TiffWithChild(uint32_t photometric, uint16_t offset_type) {
  const std::vector<TiffEntry> child = {{256, 3, 1, 2}, {257, 3, 1, 1},           {258, 3, 1, 8},
                                        {259, 3, 1, 1}, {262, 3, 1, photometric}, {273, 4, 1, 8},
                                        {277, 3, 1, 1}, {278, 3, 1, 1},           {279, 4, 1, 2}};
  // The child's directory follows the pixels, within the data of the whole file.
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
  EXPECT_NE(raw.message().find("raw file"), std::string::npos) << raw.message();
}

TEST(ForeignFormat, IsARawFileWhereTheFirstPageIsWhatTheSensorSaw) {
  for (const uint32_t photometric : {32803U, 34892U}) {
    const FileBytes raw =
        MakeTiff({{256, 3, 1, 4000}, {257, 3, 1, 3000}, {258, 3, 1, 14}, {262, 3, 1, photometric}}, {});
    EXPECT_NE(Sniff(raw).status().message().find("raw file"), std::string::npos);
  }
}

TEST(ForeignFormat, IsNotGuessed) {
  for (const std::string_view text : {"no image at all"sv, "<note>plain XML</note>"sv, "\0"sv}) {
    EXPECT_EQ(Sniff(FileBytes(text.begin(), text.end())).status().message(),
              "the bytes are none of JPEG, PNG, WebP, AVIF, GIF, BMP and TIFF");
  }
}

TEST(ForeignFormat, IsNoneOfAnEmptyFile) {
  EXPECT_EQ(Sniff({}).status().code(), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(Sniff({}).status().message(), "the file is empty");
}

}  // namespace
}  // namespace telltale
