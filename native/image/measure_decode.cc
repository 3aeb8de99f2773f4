// Estimating the maximum memory of decoding a file, from its header only.
#include <algorithm>

#include "image/avif_work.h"
#include "image/decode.h"
#include "image/tiff_directory.h"

namespace telltale {
namespace {

// Bytes per pixel of two copies: the engine copies an image to turn it or to cut embedded images out.
constexpr uint64_t kWorkedBytesAPixel = 6;
// Memory in addition to images and codecs, enough for the networks' inputs, for rows and for tables.
constexpr uint64_t kSpareBytes = 16'000'000;

// Returns the memory for one strip or tile: libtiff decodes it in one block, whose size is limited. For JPEG
// with several scans, libtiff lets libjpeg keep 100 MiB of coefficients.
uint64_t MeasureTiffPiece(Bytes bytes, uint64_t pixels) {
  constexpr uint64_t kLargestPiece = 256 * 1024 * 1024, kCoefficients = 100 * 1024 * 1024;
  constexpr uint16_t kBits = 258, kCompression = 259, kSamples = 277, kTileWidth = 322, kJpeg = 7;
  const std::optional<TiffDirectory> page = TiffDirectory::Main(bytes);
  if (!page) return kLargestPiece;
  const uint64_t bits = std::min<uint64_t>(page->Value(kBits).value_or(1), 64);
  const uint64_t samples = std::min<uint64_t>(page->Value(kSamples).value_or(1), 64);
  const uint64_t piece = page->Has(kTileWidth) ? kLargestPiece : pixels * bits * samples / 8;
  const bool is_jpeg = page->Value(kCompression).value_or(1) == kJpeg;
  return std::min(piece, kLargestPiece) + (is_jpeg ? kCoefficients : 0);
}

// Returns the maximum memory of the format's decoder, including the decoded image.
uint64_t MeasureCodec(Bytes bytes, ImageFormat format, uint64_t pixels) {
  switch (format) {
    case ImageFormat::kJpeg:
      return 9 * pixels;  // progressive: 16-bit coefficients in three full components
    case ImageFormat::kPng:
      return 4 * pixels;
    case ImageFormat::kWebp:
      return 8 * pixels;  // lossless: libwebp's ARGB buffer in addition to RGBA
    case ImageFormat::kAvif:
      return MeasureAvifWork(bytes).bytes + 4 * pixels;
    case ImageFormat::kGif:
    case ImageFormat::kBmp:
      return 3 * pixels;
    case ImageFormat::kTiff:
      return 4 * pixels + MeasureTiffPiece(bytes, pixels);
  }
  return 0;
}

}  // namespace

uint64_t MeasureDecode(Bytes bytes) {
  const Result<SniffedImage> sniffed = Sniff(bytes);
  if (!sniffed.ok()) return 0;
  const uint64_t pixels = static_cast<uint64_t>(sniffed.value().width) * sniffed.value().height;
  const uint64_t codec = MeasureCodec(bytes, sniffed.value().format, pixels);
  return std::max(pixels * kWorkedBytesAPixel, codec) + kSpareBytes;
}

}  // namespace telltale
