// Images with colour descriptions, by the codecs' encoders or built around their output.
#include "tests/profiled_files.h"

#include <avif/avif.h>
#include <gtest/gtest.h>
#include <webp/encode.h>
#include <zlib.h>

#include <iterator>
#include <string>

#include "image/encode.h"

namespace telltale {
namespace {

constexpr uint32_t kSide = kProfiledSide;
constexpr uint32_t kPixelBytes = kSide * kSide * 3;

Image RedImage() {
  Image image;
  image.width = image.height = kSide;
  for (uint32_t i = 0; i < kSide * kSide; ++i)
    image.pixels.insert(image.pixels.end(), std::begin(kProfiledColour), std::end(kProfiledColour));
  return image;
}

void AppendLittleEndian(uint32_t value, int bytes, FileBytes* to) {
  for (int i = 0; i < bytes; ++i) to->push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// Appends in a loop, because GCC 12 falsely reports an overflow for vector::insert.
void AppendText(std::string_view text, FileBytes* to) {
  for (const char letter : text) to->push_back(static_cast<uint8_t>(letter));
}

FileBytes EncodeRedAvif(const FileBytes& profile, int primaries, int transfer) {
  const Image red = RedImage();
  avifImage* image = avifImageCreate(kSide, kSide, 8, AVIF_PIXEL_FORMAT_YUV444);
  image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_IDENTITY;
  image->colorPrimaries = static_cast<avifColorPrimaries>(primaries);
  image->transferCharacteristics = static_cast<avifTransferCharacteristics>(transfer);
  if (!profile.empty()) avifImageSetProfileICC(image, profile.data(), profile.size());
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, image);
  rgb.format = AVIF_RGB_FORMAT_RGB;
  rgb.pixels = const_cast<uint8_t*>(red.pixels.data());
  rgb.rowBytes = kSide * 3;
  EXPECT_EQ(avifImageRGBToYUV(image, &rgb), AVIF_RESULT_OK);
  avifEncoder* encoder = avifEncoderCreate();
  encoder->speed = AVIF_SPEED_FASTEST;
  encoder->minQuantizer = encoder->maxQuantizer = AVIF_QUANTIZER_LOSSLESS;
  avifRWData data = AVIF_DATA_EMPTY;
  EXPECT_EQ(avifEncoderWrite(encoder, image, &data), AVIF_RESULT_OK);
  FileBytes file(data.data, data.data + data.size);
  avifRWDataFree(&data);
  avifEncoderDestroy(encoder);
  avifImageDestroy(image);
  return file;
}

}  // namespace

FileBytes JpegWith(const FileBytes& profile) {
  FileBytes jpeg = EncodeJpeg(RedImage(), 95).value();
  FileBytes segments;
  const auto half = static_cast<ptrdiff_t>(profile.size() / 2);
  for (const int part : {2, 1}) {
    const FileBytes data(part == 1 ? profile.begin() : profile.begin() + half,
                         part == 1 ? profile.begin() + half : profile.end());
    const size_t length = 2 + 12 + 2 + data.size();
    segments.insert(segments.end(),
                    {0xFF, 0xE2, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length)});
    AppendText({"ICC_PROFILE\0", 12}, &segments);
    segments.insert(segments.end(), {static_cast<uint8_t>(part), 2});
    segments.insert(segments.end(), data.begin(), data.end());
  }
  jpeg.insert(jpeg.begin() + 2, segments.begin(), segments.end());
  return jpeg;
}

FileBytes PngWithChunks(const std::vector<FileBytes>& chunks) {
  constexpr int kAfterHeader = 8 + 25;
  FileBytes png = EncodePng(RedImage()).value();
  FileBytes joined;
  for (const FileBytes& chunk : chunks) joined.insert(joined.end(), chunk.begin(), chunk.end());
  png.insert(png.begin() + kAfterHeader, joined.begin(), joined.end());
  return png;
}

FileBytes PngWith(const FileBytes& profile) {
  uLongf packed_size = compressBound(profile.size());
  FileBytes data{'x', 0, 0}, packed(packed_size);
  compress(packed.data(), &packed_size, profile.data(), profile.size());
  data.insert(data.end(), packed.begin(), packed.begin() + static_cast<ptrdiff_t>(packed_size));
  return PngWithChunks({PngChunk("iCCP", data)});
}

FileBytes WebpWith(const FileBytes& profile) {
  const Image red = RedImage();
  uint8_t* encoded = nullptr;
  const size_t size = WebPEncodeLosslessRGB(red.pixels.data(), kSide, kSide, kSide * 3, &encoded);
  constexpr size_t kRiffHeader = 12;
  FileBytes chunks;
  AppendText("WEBPVP8X", &chunks);
  AppendLittleEndian(10, 4, &chunks);
  AppendLittleEndian(0x20, 4, &chunks);  // has a profile
  AppendLittleEndian(kSide - 1, 3, &chunks);
  AppendLittleEndian(kSide - 1, 3, &chunks);
  AppendText("ICCP", &chunks);
  AppendLittleEndian(static_cast<uint32_t>(profile.size()), 4, &chunks);
  chunks.insert(chunks.end(), profile.begin(), profile.end());
  if (profile.size() % 2 == 1) chunks.push_back(0);
  chunks.insert(chunks.end(), encoded + kRiffHeader, encoded + size);
  WebPFree(encoded);
  FileBytes file;
  AppendText("RIFF", &file);
  AppendLittleEndian(static_cast<uint32_t>(chunks.size()), 4, &file);
  file.insert(file.end(), chunks.begin(), chunks.end());
  return file;
}

FileBytes TiffWith(const FileBytes& profile) {
  const Image red = RedImage();
  FileBytes data(red.pixels.begin(), red.pixels.end());
  for (int i = 0; i < 3; ++i) data.insert(data.end(), {8, 0});  // bits of each sample
  const auto profile_offset = static_cast<uint32_t>(kTiffDataOffset + data.size());
  data.insert(data.end(), profile.begin(), profile.end());
  return MakeTiff({{256, 3, 1, kSide},
                   {257, 3, 1, kSide},
                   {258, 3, 3, kTiffDataOffset + kPixelBytes},
                   {262, 3, 1, 2},
                   {273, 4, 1, kTiffDataOffset},
                   {277, 3, 1, 3},
                   {278, 3, 1, kSide},
                   {279, 4, 1, kPixelBytes},
                   {34675, 7, static_cast<uint32_t>(profile.size()), profile_offset}},
                  data);
}

FileBytes BmpWith(const FileBytes& profile) {
  constexpr uint32_t kFileHeader = 14, kV5Header = 124;
  FileBytes file{'B', 'M'};
  const auto append = [&](std::initializer_list<uint32_t> values) {
    for (const uint32_t value : values) AppendLittleEndian(value, 4, &file);
  };
  append({0, 0, kFileHeader + kV5Header, kV5Header, kSide, kSide, 1 | 24 << 16, 0, kPixelBytes, 0, 0, 0, 0});
  append({0, 0, 0, 0});  // masks
  AppendText("DEBM", &file);
  file.resize(kFileHeader + 112);  // end points, gamma and intent
  append({kV5Header + kPixelBytes, static_cast<uint32_t>(profile.size()), 0});
  for (uint32_t i = 0; i < kSide * kSide; ++i)
    file.insert(file.end(), {kProfiledColour[2], kProfiledColour[1], kProfiledColour[0]});
  file.insert(file.end(), profile.begin(), profile.end());
  return file;
}

FileBytes AvifWith(const FileBytes& profile) { return EncodeRedAvif(profile, 1, 13); }

FileBytes AvifWithCodePoints(int primaries, int transfer) { return EncodeRedAvif({}, primaries, transfer); }

}  // namespace telltale
