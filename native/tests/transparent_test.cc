// Tests of images that are transparent everywhere. Viewers show nothing, so the hidden colours are judged.
#include <avif/avif.h>
#include <gtest/gtest.h>
#include <png.h>
#include <webp/encode.h>

#include "image/decode.h"
#include "image/orientation.h"
#include "tests/fixtures.h"
#include "tests/hostile_files.h"

namespace telltale {
namespace {

constexpr int kSide = 40;

// Returns RGBA pixels without white, all with the same `alpha`.
FileBytes Pixels(uint8_t alpha) {
  FileBytes pixels;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      for (const int sample : {x * 5, y * 5, (x / 4 + y / 4) % 2 * 100}) {
        pixels.push_back(static_cast<uint8_t>(sample));
      }
      pixels.push_back(alpha);
    }
  }
  return pixels;
}

FileBytes EncodePng(const FileBytes& rgba) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = kSide;
  image.format = PNG_FORMAT_RGBA;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  FileBytes file(size);
  EXPECT_TRUE(png_image_write_to_memory(&image, file.data(), &size, 0, rgba.data(), 0, nullptr));
  file.resize(size);
  return file;
}

FileBytes EncodeWebp(const FileBytes& rgba) {
  WebPConfig config;
  WebPPicture image;
  WebPMemoryWriter writer;
  EXPECT_TRUE(WebPConfigInit(&config) && WebPPictureInit(&image));
  WebPMemoryWriterInit(&writer);
  config.lossless = config.exact = 1;
  image.use_argb = 1;
  image.width = image.height = kSide;
  image.writer = WebPMemoryWrite;
  image.custom_ptr = &writer;
  EXPECT_TRUE(WebPPictureImportRGBA(&image, rgba.data(), kSide * 4) && WebPEncode(&config, &image));
  FileBytes file(writer.mem, writer.mem + writer.size);
  WebPPictureFree(&image);
  WebPMemoryWriterClear(&writer);
  return file;
}

FileBytes EncodeAvif(FileBytes rgba) {
  avifImage* image = avifImageCreate(kSide, kSide, 8, AVIF_PIXEL_FORMAT_YUV444);
  image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_IDENTITY;
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, image);
  rgb.pixels = rgba.data();
  rgb.rowBytes = kSide * 4;
  EXPECT_EQ(avifImageRGBToYUV(image, &rgb), AVIF_RESULT_OK);
  avifEncoder* encoder = avifEncoderCreate();
  encoder->speed = AVIF_SPEED_FASTEST;
  encoder->minQuantizer = encoder->maxQuantizer = AVIF_QUANTIZER_LOSSLESS;
  encoder->minQuantizerAlpha = encoder->maxQuantizerAlpha = AVIF_QUANTIZER_LOSSLESS;
  avifRWData data = AVIF_DATA_EMPTY;
  EXPECT_EQ(avifEncoderWrite(encoder, image, &data), AVIF_RESULT_OK);
  FileBytes file(data.data, data.data + data.size);
  avifRWDataFree(&data);
  avifEncoderDestroy(encoder);
  avifImageDestroy(image);
  return file;
}

template <int kExtraSample>
FileBytes EncodeTiff(const FileBytes& rgba) {
  constexpr uint32_t kBytes = kSide * kSide * 4;
  FileBytes data = rgba;
  for (int i = 0; i < 4; ++i) data.insert(data.end(), {8, 0});  // bits of each sample
  return MakeTiff({{256, 3, 1, kSide},
                   {257, 3, 1, kSide},
                   {258, 3, 4, kTiffDataOffset + kBytes},
                   {262, 3, 1, 2},
                   {273, 4, 1, kTiffDataOffset},
                   {277, 3, 1, 4},
                   {278, 3, 1, kSide},
                   {279, 4, 1, kBytes},
                   {338, 3, 1, kExtraSample}},
                  data);
}

struct Encoder {
  const char* name;
  FileBytes (*encode)(FileBytes);
};

class TransparentImage : public testing::TestWithParam<Encoder> {};

TEST_P(TransparentImage, IsJudgedByItsColoursWhereAlphaIsZeroEverywhere) {
  const FileBytes pixels = Pixels(0);
  const Result<Image> image = Decode(GetParam().encode(pixels));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_TRUE(image.value().is_transparent);
  for (size_t i = 0; i < size_t{kSide} * kSide; ++i) {
    for (size_t channel = 0; channel < 3; ++channel) {
      ASSERT_EQ(image.value().pixels[3 * i + channel], pixels[4 * i + channel]) << i;
    }
  }
}

TEST_P(TransparentImage, IsLaidOverWhiteWhereOnePixelIsThere) {
  FileBytes pixels = Pixels(0);
  pixels.back() = 255;
  const Result<Image> image = Decode(GetParam().encode(pixels));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_FALSE(image.value().is_transparent);
  EXPECT_EQ(image.value().pixels.front(), 255);
  EXPECT_EQ(image.value().pixels.back(), pixels[pixels.size() - 2]);
}

TEST_P(TransparentImage, IsOpaqueWhereAlphaIsFull) {
  const Result<Image> image = Decode(GetParam().encode(Pixels(255)));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_FALSE(image.value().is_transparent);
  EXPECT_EQ(image.value().pixels.front(), 0);
}

TEST(TransparentImage, IsStillTransparentWhenItIsUpright) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    Image image = Decode(EncodePng(Pixels(0))).value();
    MakeUpright(&image, orientation);
    EXPECT_TRUE(image.is_transparent) << orientation;
  }
}

// The last pixel is visible and white, so viewers show white. The hidden colours must not be judged.
TEST_P(TransparentImage, StaysWhiteWhereAWhitePixelIsThere) {
  FileBytes pixels = Pixels(0);
  for (size_t i = pixels.size() - 4; i < pixels.size(); ++i) pixels[i] = 255;
  const Result<Image> image = Decode(GetParam().encode(pixels));
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_FALSE(image.value().is_transparent);
  EXPECT_EQ(image.value().pixels, PixelBuffer(image.value().pixels.size(), 255));
}

const Encoder kEncoders[] = {
    {"png", [](FileBytes pixels) { return EncodePng(pixels); }},
    {"webp", [](FileBytes pixels) { return EncodeWebp(pixels); }},
    {"avif", EncodeAvif},
    {"tiff_straight", [](FileBytes pixels) { return EncodeTiff<2>(pixels); }},
    {"tiff_premultiplied", [](FileBytes pixels) { return EncodeTiff<1>(pixels); }},
};

INSTANTIATE_TEST_SUITE_P(All, TransparentImage, testing::ValuesIn(kEncoders),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(TransparentImage, OfAPaletteIsJudgedByItsColours) {
  // Writes a PNG of two pixels, in two greens with alpha 0.
  FileBytes file = MakePng(2, 1, {}, 1);
  file.resize(8);
  const auto append = [&](const FileBytes& part) { file.insert(file.end(), part.begin(), part.end()); };
  append(PngChunk("IHDR", {0, 0, 0, 2, 0, 0, 0, 1, 8, 3, 0, 0, 0}));
  append(PngChunk("PLTE", {0, 100, 0, 0, 200, 0}));
  append(PngChunk("tRNS", {0, 0}));
  // The compressed pixels are one stored block: filter 0, colour 0, colour 1, and the checksum.
  append(PngChunk("IDAT", {0x78, 1, 1, 3, 0, 0xFC, 0xFF, 0, 0, 1, 0, 4, 0, 2}));
  append(PngChunk("IEND", {}));
  const Result<Image> image = Decode(file);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_TRUE(image.value().is_transparent);
  EXPECT_EQ(image.value().pixels, (PixelBuffer{0, 100, 0, 0, 200, 0}));
}

TEST(TransparentImage, OfTheTransparentColourAloneIsThatColour) {
  const FileBytes gif = {'G', 'I', 'F', '8', '9',  'a',  1, 0, 1, 0,    0x80, 0, 0,    200, 100,
                         50,  0,   0,   0,   0x21, 0xF9, 4, 1, 0, 0,    0,    0, 0x2C, 0,   0,
                         0,   0,   1,   0,   1,    0,    0, 2, 2, 0x44, 1,    0, 0x3B};
  const Result<Image> image = Decode(gif);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_TRUE(image.value().is_transparent);
  EXPECT_EQ(image.value().pixels, (PixelBuffer{200, 100, 50}));
}

// Some programs write alpha 0 by mistake in every pixel, and Windows shows these images as opaque.
class TransparentBmp : public testing::TestWithParam<const char*> {};

TEST_P(TransparentBmp, IsOpaqueWhereAlphaIsZeroEverywhere) {
  FileBytes bmp = ReadFixture(std::string("images/bmp/") + GetParam());
  const uint32_t start = bmp[10] | bmp[11] << 8;
  const size_t step = bmp[28] / 8;
  constexpr size_t kAlphaMask = 14 + 52;
  for (size_t at = start; at + step <= bmp.size(); at += step) {
    for (size_t i = 0; i < step; ++i) bmp[at + i] &= static_cast<uint8_t>(~bmp[kAlphaMask + i]);
  }
  FileBytes without_alpha = bmp;
  for (size_t i = 0; i < 4; ++i) without_alpha[kAlphaMask + i] = 0;
  const Result<Image> image = Decode(bmp);
  ASSERT_TRUE(image.ok()) << image.status().message();
  EXPECT_EQ(image.value().pixels, Decode(without_alpha).value().pixels);
  EXPECT_FALSE(image.value().is_transparent);

  bmp[start + step - 1] |= bmp[kAlphaMask + step - 1];  // one opaque pixel makes the others transparent
  EXPECT_EQ(Decode(bmp).value().row(0)[0], 255);
}

INSTANTIATE_TEST_SUITE_P(All, TransparentBmp, testing::Values("rgba_v4.bmp", "argb4444.bmp", "argb1555.bmp"),
                         [](const auto& info) {
                           const std::string file = info.param;
                           return file.substr(0, file.find('.'));
                         });

}  // namespace
}  // namespace telltale
