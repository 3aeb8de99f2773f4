// Rejecting kinds of TIFF that libtiff's RGBA interface cannot read, and compressions that no camera, scanner
// or editor writes by default.
#include "image/tiff_kind.h"

#include <tiff.h>

#include <algorithm>

namespace telltale {
namespace {

struct Compression {
  uint64_t code;
  const char* name;
};

constexpr Compression kUnread[] = {
    {COMPRESSION_OJPEG, "the JPEG of TIFF 6.0, which was withdrawn"},
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

Status NotRead(const std::string& what, const char* instead) {
  return {StatusCode::kUnsupportedFormat,
          "the tiff file has " + what + ", which is not read: save it " + instead};
}

Status CheckCompression(uint64_t code) {
  const auto unread = std::find_if(std::begin(kUnread), std::end(kUnread),
                                   [&](const Compression& compression) { return compression.code == code; });
  if (unread == std::end(kUnread)) return Status();
  return NotRead(std::string("pixels compressed by ") + unread->name, "with LZW or Deflate");
}

}  // namespace

Status CheckTiffKind(const TiffDirectory& page) {
  const uint64_t bits = page.Value(TIFFTAG_BITSPERSAMPLE).value_or(1);
  uint64_t kind = SAMPLEFORMAT_UINT;  // format of the first sample that is not unsigned integer
  for (uint64_t i = 0;
       kind == SAMPLEFORMAT_UINT && i < std::min<uint64_t>(page.Count(TIFFTAG_SAMPLEFORMAT), 8); ++i) {
    kind = page.Value(TIFFTAG_SAMPLEFORMAT, i).value_or(SAMPLEFORMAT_UINT);
  }
  constexpr const char* kInstead = "with 8 or 16 bits a sample, without floats";
  const std::string width = std::to_string(bits) + "-bit ";
  if (kind == SAMPLEFORMAT_IEEEFP) return NotRead(width + "float samples", kInstead);
  if (kind == SAMPLEFORMAT_INT)
    return NotRead(width + "signed samples", "with unsigned samples of 8 or 16 bits");
  if (kind == SAMPLEFORMAT_COMPLEXINT || kind == SAMPLEFORMAT_COMPLEXIEEEFP)
    return NotRead("complex samples", kInstead);
  if (bits > 16) return NotRead(width + "integer samples", kInstead);
  if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16)
    return NotRead(width + "samples", kInstead);
  if (page.Value(TIFFTAG_PHOTOMETRIC).value_or(0) == PHOTOMETRIC_SEPARATED && bits != 8)
    return NotRead(width + "CMYK", "as RGB, or with 8 bits a sample");
  return CheckCompression(page.Value(TIFFTAG_COMPRESSION).value_or(COMPRESSION_NONE));
}

}  // namespace telltale
