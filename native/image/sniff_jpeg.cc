// Reading a JPEG file's segments up to the first scan (ITU-T T.81, annex B).
#include <optional>

#include "image/byte_reader.h"
#include "image/exif.h"
#include "image/headers.h"
#include "image/jpeg_quality.h"

namespace telltale {
namespace {

enum Marker : uint8_t {
  kSof0 = 0xC0,
  kLossless = 0xC3,
  kDht = 0xC4,
  kJpg = 0xC8,
  kLosslessArithmetic = 0xCB,
  kDac = 0xCC,
  kSof15 = 0xCF,
  kRst0 = 0xD0,
  kRst7 = 0xD7,
  kSoi = 0xD8,
  kEoi = 0xD9,
  kSos = 0xDA,
  kDqt = 0xDB,
  kApp1 = 0xE1,
  kApp11 = 0xEB,
  kJpegLs = 0xF7,
  kTem = 0x01,
};

// Position in row order of each quantisation step, which files store in zigzag order.
constexpr uint8_t kZigzag[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// Information from all segments before the first scan.
struct Header {
  SniffedImage sniffed;
  bool has_frame = false;
  bool has_exif = false;
  int luma_table = 0;
  int chroma_table = 0;
  std::optional<QuantTable> tables[4];
};

bool IsFrame(uint8_t marker) {
  return marker >= kSof0 && marker <= kSof15 && marker != kDht && marker != kJpg && marker != kDac;
}

bool IsBare(uint8_t marker) { return marker == kTem || (marker >= kRst0 && marker <= kRst7); }

// Returns kUnsupportedFormat for valid kinds of JPEG that libjpeg does not decode. `frame` is the body of the
// frame header. Outside test suites, only lossless JPEG and 12-bit JPEG occur.
Status CheckKind(uint8_t marker, Bytes frame) {
  const int bits = frame.empty() ? 0 : frame[0];
  const char* kind = nullptr;
  if (marker == kJpegLs) {
    kind = "jpeg_ls";
  } else if (marker == kLossless || marker == kLosslessArithmetic) {
    kind = "jpeg_lossless";
  } else if (marker >= kSof0 && ((marker & 7) >= 5)) {
    kind = "jpeg_hierarchical";
  } else if (bits == 12) {
    kind = "jpeg_12_bit";
  } else {
    return Status();
  }
  return {StatusCode::kUnsupportedFormat, kind};
}

bool ReadFrame(Bytes body, Header* header) {
  if (header->has_frame || body.size() < 9) return false;
  const int components = body[5];
  if (components == 0 || body.size() < 6u + 3u * components) return false;
  header->has_frame = true;
  header->sniffed.height = ReadU16Be(body, 1);
  header->sniffed.width = ReadU16Be(body, 3);
  header->sniffed.jpeg_components = components;
  header->luma_table = body[8] & 3;
  header->chroma_table = components >= 3 ? body[11] & 3 : header->luma_table;
  return true;
}

bool ReadTables(Bytes body, Header* header) {
  uint64_t at = 0;
  while (at < body.size()) {
    const int step_size = (body[at] >> 4) == 0 ? 1 : 2;
    const int slot = body[at] & 15;
    ++at;
    if (slot > 3 || !Holds(body, at, 64 * step_size)) return false;
    QuantTable& table = header->tables[slot].emplace();
    for (int k = 0; k < 64; ++k) {
      table[kZigzag[k]] =
          static_cast<uint16_t>(ReadUint(body, at + k * step_size, step_size, ByteOrder::kBig));
    }
    at += 64 * step_size;
  }
  return true;
}

// Returns true if a segment holds a C2PA manifest: a JUMBF box whose description has the UUID that spells
// "c2pa" (C2PA 2.1, A.3.1). The segment's body is: "JP", box instance (2 bytes), sequence number (4), box
// length (4), "jumb", length (4), "jumd", UUID (16).
bool IsManifest(Bytes body) {
  if (!HasText(body, 0, "JP")) return false;
  const uint64_t wide = HasText(body, 8, std::string_view("\0\0\0\1", 4)) ? 8 : 0;
  return HasText(body, 12, "jumb") && HasText(body, 20 + wide, "jumd") && HasText(body, 24 + wide, "c2pa");
}

bool ReadSegment(uint8_t marker, Bytes body, Header* header) {
  if (IsFrame(marker)) return ReadFrame(body, header);
  switch (marker) {
    case kDqt:
      return ReadTables(body, header);
    case kApp1:
      if (!header->has_exif && HasText(body, 0, std::string_view("Exif\0\0", 6))) {
        header->has_exif = true;
        header->sniffed.orientation = ReadExifOrientation(body);
      }
      return true;
    case kApp11:
      header->sniffed.has_manifest |= IsManifest(body);
      return true;
    default:
      return true;
  }
}

Result<SniffedImage> Conclude(Header* header) {
  if (!header->has_frame) return Contradiction(ImageFormat::kJpeg, "no_frame_header");
  const auto& luma = header->tables[header->luma_table];
  if (!luma) return Contradiction(ImageFormat::kJpeg, "no_quantisation_table");
  const auto& chroma = header->tables[header->chroma_table];
  const bool two_tables = chroma && header->chroma_table != header->luma_table;
  header->sniffed.jpeg_quality = EstimateJpegQuality(*luma, two_tables ? &*chroma : nullptr);
  return header->sniffed;
}

}  // namespace

Result<SniffedImage> ReadJpegHeader(Bytes bytes) {
  Header header;
  uint64_t at = 2;
  while (true) {
    // Skips bytes between segments, as libjpeg does.
    while (Holds(bytes, at, 1) && bytes[at] != 0xFF) ++at;
    while (Holds(bytes, at, 1) && bytes[at] == 0xFF) ++at;
    if (!Holds(bytes, at, 1)) return EndsEarly(ImageFormat::kJpeg);
    const uint8_t marker = bytes[at++];
    if (marker == 0 || IsBare(marker)) continue;
    if (marker == kSoi) return Contradiction(ImageFormat::kJpeg, "second_image");
    if (marker == kEoi) return EndsEarly(ImageFormat::kJpeg);
    if (marker == kSos) return Conclude(&header);
    if (!Holds(bytes, at, 2)) return EndsEarly(ImageFormat::kJpeg);
    const uint16_t length = ReadU16Be(bytes, at);
    if (length < 2) return Contradiction(ImageFormat::kJpeg, "segment_without_length");
    if (!Holds(bytes, at, length)) return EndsEarly(ImageFormat::kJpeg);
    if (IsFrame(marker) || marker == kJpegLs) {
      if (Status kind = CheckKind(marker, bytes.subspan(at + 2, length - 2)); !kind.ok()) return kind;
    }
    if (!ReadSegment(marker, bytes.subspan(at + 2, length - 2), &header)) {
      return Contradiction(ImageFormat::kJpeg, "unreadable_segment");
    }
    at += length;
  }
}

}  // namespace telltale
