// Estimating the maximum memory of decoding a file, from its header only.
#include <algorithm>

#include "image/avif_work.h"
#include "image/byte_reader.h"
#include "image/decode.h"
#include "image/tiff_directory.h"

namespace telltale {
namespace {

// Bytes per pixel of two copies: the engine copies an image to turn it or to cut embedded images out.
constexpr uint64_t kWorkedBytesAPixel = 6;
// Memory in addition to images and codecs, enough for the networks' inputs, for rows and for tables.
constexpr uint64_t kSpareBytes = 16'000'000;

// Returns the maximum memory for the Huffman codes of a lossless WebP image with `bytes` bytes of data. Each
// block of at least 4 x 4 px may have a group of codes of its own, and a file has at most 65,536 groups. A
// group has five codes of at least four bits each. The exact number of groups lies behind compressed data,
// which only a decoder can read.
uint64_t MeasureWebpCodes(uint64_t blocks, uint64_t bytes) {
  constexpr uint64_t kMaxGroups = 65'536, kGroupBits = 5 * 4;
  // libwebp writes a table of 256 entries with four bytes for each code, and 568 other bytes per group.
  constexpr uint64_t kGroupBytes = 5 * 256 * 4 + 568;
  // Codes of more than eight bits have further tables: 2048 codes of eleven bits take 8 kB, and at least 135
  // bytes of data. All tables of a group have at most 5004 entries.
  constexpr uint64_t kTableBytesAByte = 64, kMaxGroupBytes = (3 * 630 + 410 + 2704) * 4 + 568;
  const uint64_t groups = std::min({kMaxGroups, blocks, 8 * bytes / kGroupBits});
  return std::min(groups * kMaxGroupBytes, groups * kGroupBytes + kTableBytesAByte * bytes);
}

// Returns the size of the largest lossless chunk, of an image or of its alpha, among the chunks of a WebP
// file and of the frames in it. Returns 0 without a lossless chunk.
uint64_t LargestLosslessChunk(Bytes chunks, bool in_frame = false) {
  constexpr uint64_t kChunkHeader = 8, kFrameHeader = 16;
  constexpr uint8_t kMethod = 3, kLossless = 1;
  uint64_t largest = 0, at = 0;
  while (Holds(chunks, at, kChunkHeader)) {
    const Bytes rest = chunks.subspan(at + kChunkHeader);
    const uint64_t length = ReadU32Le(chunks, at + 4);
    const Bytes body = rest.first(std::min<uint64_t>(length, rest.size()));
    const bool is_alpha = HasText(chunks, at, "ALPH") && !body.empty() && (body[0] & kMethod) == kLossless;
    if (is_alpha || HasText(chunks, at, "VP8L")) largest = std::max<uint64_t>(largest, body.size());
    if (!in_frame && HasText(chunks, at, "ANMF") && body.size() > kFrameHeader)
      largest = std::max(largest, LargestLosslessChunk(body.subspan(kFrameHeader), true));
    at += kChunkHeader + length + (length & 1);
  }
  return largest;
}

// Returns the maximum memory for decoding a WebP file.
uint64_t MeasureWebp(Bytes bytes, int width, int height) {
  constexpr uint64_t kRiffHeader = 12;
  const uint64_t pixels = static_cast<uint64_t>(width) * height;
  const uint64_t lossless = LargestLosslessChunk(bytes.subspan(kRiffHeader));
  if (lossless == 0) return 8 * pixels;
  // Per pixel: four bytes each for RGBA and for libwebp's ARGB, one for alpha, and less than one for three
  // tables with four bytes per block.
  const uint64_t blocks = static_cast<uint64_t>((width + 3) / 4) * ((height + 3) / 4);
  return 10 * pixels + MeasureWebpCodes(blocks, lossless);
}

// Returns the memory for one strip or tile: libtiff decodes it in one block, whose size is limited. For JPEG
// with several scans, libtiff lets libjpeg keep 100 MiB of coefficients. WebP may be lossless. It needs
// another copy of the block, and ARGB of up to 4/3 of its size.
uint64_t MeasureTiffPiece(Bytes bytes, uint64_t pixels) {
  constexpr uint64_t kLargestPiece = 256 * 1024 * 1024, kCoefficients = 100 * 1024 * 1024;
  constexpr uint16_t kBits = 258, kCompression = 259, kSamples = 277, kTileWidth = 322;
  constexpr uint64_t kJpeg = 7, kWebp = 50'001;
  const std::optional<TiffDirectory> page = TiffDirectory::Main(bytes);
  if (!page) return kLargestPiece;
  const uint64_t bits = std::min<uint64_t>(page->Value(kBits).value_or(1), 64);
  const uint64_t samples = std::min<uint64_t>(page->Value(kSamples).value_or(1), 64);
  const uint64_t strip = std::min(pixels * bits * samples / 8, kLargestPiece);
  const uint64_t piece = page->Has(kTileWidth) ? kLargestPiece : strip;
  const uint64_t compression = page->Value(kCompression).value_or(1);
  if (compression == kJpeg) return piece + kCoefficients;
  if (compression == kWebp) return 4 * piece + MeasureWebpCodes(UINT64_MAX, bytes.size());
  return piece;
}

// Returns the maximum memory of the format's decoder, including the decoded image.
uint64_t MeasureCodec(Bytes bytes, const SniffedImage& sniffed, uint64_t pixels) {
  switch (sniffed.format) {
    case ImageFormat::kJpeg:
      // RGB and, if the image is progressive, 16-bit coefficients of each component at full size. libjpeg
      // converts at most four components.
      return (3 + 2 * static_cast<uint64_t>(std::min(sniffed.jpeg_components, 4))) * pixels;
    case ImageFormat::kPng:
      return 4 * pixels;
    case ImageFormat::kWebp:
      return MeasureWebp(bytes, sniffed.width, sniffed.height);
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
  const uint64_t codec = MeasureCodec(bytes, sniffed.value(), pixels);
  return std::max(pixels * kWorkedBytesAPixel, codec) + kSpareBytes;
}

}  // namespace telltale
