// Rejecting kinds of TIFF that libtiff's RGBA interface cannot read, and compressions that no camera, scanner
// or editor writes by default.
#include "image/tiff_kind.h"

#include <tiff.h>

#include <algorithm>
#include <string>
#include <utility>

namespace telltale {
namespace {

struct Compression {
  uint64_t code;
  const char* name;
};

constexpr Compression kUnread[] = {
    {COMPRESSION_OJPEG, "old JPEG (TIFF 6.0)"},
    {COMPRESSION_NEXT, "NeXT"},
    {COMPRESSION_THUNDERSCAN, "ThunderScan"},
    {COMPRESSION_PIXARLOG, "PixarLog"},
    {COMPRESSION_JBIG, "JBIG"},
    {COMPRESSION_SGILOG, "SGI Log"},
    {COMPRESSION_SGILOG24, "SGI Log"},
    {COMPRESSION_JP2000, "JPEG 2000"},
    {COMPRESSION_LERC, "LERC"},
    {COMPRESSION_LZMA, "LZMA"},
    {COMPRESSION_JXL, "JPEG XL"},
};

Status UnsupportedTiff(const char* name, std::string value) {
  return {StatusCode::kUnsupportedFormat, name, {std::move(value)}};
}

Status CheckCompression(uint64_t code) {
  const auto unread = std::find_if(std::begin(kUnread), std::end(kUnread),
                                   [&](const Compression& compression) { return compression.code == code; });
  if (unread == std::end(kUnread)) return Status();
  return UnsupportedTiff("tiff_compression", unread->name);
}

}  // namespace

Status CheckTiffKind(const TiffDirectory& page) {
  const uint64_t bits = page.Value(TIFFTAG_BITSPERSAMPLE).value_or(1);
  uint64_t kind = SAMPLEFORMAT_UINT;  // format of the first sample that is not unsigned integer
  for (uint64_t i = 0;
       kind == SAMPLEFORMAT_UINT && i < std::min<uint64_t>(page.Count(TIFFTAG_SAMPLEFORMAT), 8); ++i) {
    kind = page.Value(TIFFTAG_SAMPLEFORMAT, i).value_or(SAMPLEFORMAT_UINT);
  }
  const std::string width = std::to_string(bits);
  if (kind == SAMPLEFORMAT_IEEEFP) return UnsupportedTiff("tiff_float", width);
  if (kind == SAMPLEFORMAT_INT) return UnsupportedTiff("tiff_signed", width);
  if (kind == SAMPLEFORMAT_COMPLEXINT || kind == SAMPLEFORMAT_COMPLEXIEEEFP)
    return UnsupportedTiff("tiff_complex", width);
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
    return UnsupportedTiff("tiff_bits", width);
  if (page.Value(TIFFTAG_PHOTOMETRIC).value_or(0) == PHOTOMETRIC_SEPARATED && bits != 8)
    return UnsupportedTiff("tiff_cmyk", width);
  return CheckCompression(page.Value(TIFFTAG_COMPRESSION).value_or(COMPRESSION_NONE));
}

}  // namespace telltale
