// Reading BMP headers of Windows and OS/2.
#include "image/bmp_header.h"

#include <algorithm>
#include <limits>

#include "image/byte_reader.h"
#include "image/headers.h"

namespace telltale {
namespace {

constexpr uint64_t kFileHeaderSize = 14;
constexpr uint32_t kCoreSize = 12;
constexpr uint32_t kInfoSize = 40;
constexpr uint32_t kMinOs2Size = 16;
constexpr uint32_t kOs2Size = 64;

bool IsWindowsSize(uint32_t size) {
  constexpr uint32_t kSizes[] = {kInfoSize, 52, 56, 108, 124};
  return std::find(std::begin(kSizes), std::end(kSizes), size) != std::end(kSizes);
}

// Returns true for OS/2 2.x, whose header may end anywhere after the bit depth. Missing fields are 0.
bool IsOs2Size(uint32_t size) { return size >= kMinOs2Size && size <= kOs2Size && !IsWindowsSize(size); }

Status UnsupportedBmp(const char* name) { return {StatusCode::kUnsupportedFormat, name}; }

// Returns kUnsupportedFormat for kinds of BMP that Windows and OS/2 define but hardly any program writes.
Status CheckBmpKind(uint32_t compression, int bits, bool is_os2) {
  switch (compression) {
    case 3:
      return is_os2 ? UnsupportedBmp("bmp_huffman") : Status();
    case 4:
      return UnsupportedBmp(is_os2 ? "bmp_rle_24" : "bmp_jpeg");
    case 5:
      return UnsupportedBmp("bmp_png");
    case 11:
    case 12:
    case 13:
      return UnsupportedBmp("bmp_cmyk");
    case 0:
      return bits == 64 ? UnsupportedBmp("bmp_64_bit") : Status();
  }
  return Status();
}

bool IsKnownDepth(const BmpHeader& header) {
  switch (header.compression) {
    case BmpCompression::kNone:
      return header.bits == 1 || header.bits == 2 || header.bits == 4 || header.bits == 8 ||
             header.bits == 16 || header.bits == 24 || header.bits == 32;
    case BmpCompression::kRle8:
      return header.bits == 8;
    case BmpCompression::kRle4:
      return header.bits == 4;
    case BmpCompression::kBitFields:
    case BmpCompression::kAlphaBitFields:
      return header.bits == 16 || header.bits == 32;
  }
  return false;
}

// Reads the masks, which say in which bits of a pixel each colour is stored. Returns the number of bytes that
// the masks take between the header and the palette.
Result<uint64_t> ReadMasks(Bytes bytes, uint32_t header_size, BmpHeader* header) {
  if (header->compression != BmpCompression::kBitFields &&
      header->compression != BmpCompression::kAlphaBitFields) {
    header->masks = header->bits == 16 ? std::array<uint32_t, 4>{0x7C00, 0x03E0, 0x001F, 0}
                                       : std::array<uint32_t, 4>{0xFF0000, 0x00FF00, 0x0000FF, 0};
    return uint64_t{0};
  }
  const bool after_header = header_size == kInfoSize;
  const bool has_alpha =
      after_header ? header->compression == BmpCompression::kAlphaBitFields : header_size >= 56;
  const int count = has_alpha ? 4 : 3;
  constexpr uint64_t kMasks = kFileHeaderSize + kInfoSize;
  if (!Holds(bytes, kMasks, 4 * count)) return EndsEarly(ImageFormat::kBmp);
  for (int i = 0; i < count; ++i) header->masks[i] = ReadU32Le(bytes, kMasks + 4 * i);
  return static_cast<uint64_t>(after_header ? 4 * count : 0);
}

}  // namespace

bool IsBmp(Bytes bytes) {
  if (!HasText(bytes, 0, "BM") || !Holds(bytes, kFileHeaderSize, 4)) return false;
  const uint32_t size = ReadU32Le(bytes, kFileHeaderSize);
  // Common header sizes identify a BMP. Rare sizes also need a plane count of one, the only valid value.
  return size == kCoreSize || size == kOs2Size || IsWindowsSize(size) ||
         (IsOs2Size(size) && HasText(bytes, 26, std::string_view("\1\0", 2)));
}

Result<BmpHeader> ParseBmpHeader(Bytes bytes) {
  BmpHeader header;
  const uint32_t header_size = ReadU32Le(bytes, kFileHeaderSize);
  if (!Holds(bytes, kFileHeaderSize, header_size)) return EndsEarly(ImageFormat::kBmp);
  header.pixel_offset = ReadU32Le(bytes, 10);
  uint32_t colours_used = 0;
  if (header_size == kCoreSize) {
    header.width = ReadU16Le(bytes, 18);
    header.height = ReadU16Le(bytes, 20);
    header.bits = ReadU16Le(bytes, 24);
    header.palette_entry_size = 3;
  } else {
    const auto width = static_cast<int32_t>(ReadU32Le(bytes, 18));
    const auto height = static_cast<int32_t>(ReadU32Le(bytes, 22));
    if (width < 0 || height == std::numeric_limits<int32_t>::min()) {
      return Contradiction(ImageFormat::kBmp, "negative_size");
    }
    header.width = width;
    header.height = height < 0 ? -height : height;
    header.top_down = height < 0;
    header.bits = ReadU16Le(bytes, 28);
    const uint32_t compression = header_size >= 20 ? ReadU32Le(bytes, 30) : 0;
    if (Status kind = CheckBmpKind(compression, header.bits, IsOs2Size(header_size)); !kind.ok()) return kind;
    header.compression = static_cast<BmpCompression>(compression);
    colours_used = header_size >= 36 ? ReadU32Le(bytes, 46) : 0;
  }
  if (!IsKnownDepth(header)) return Contradiction(ImageFormat::kBmp, "unknown_depth");

  Result<uint64_t> mask_size = ReadMasks(bytes, header_size, &header);
  if (!mask_size.ok()) return mask_size.status();
  header.palette_offset = kFileHeaderSize + header_size + mask_size.value();
  const uint32_t most = header.bits <= 8 ? 1u << header.bits : 0;
  const uint32_t wanted = colours_used == 0 ? most : std::min(colours_used, most);
  // Some writers leave the offset of the pixels 0. The pixels then follow the palette.
  if (header.pixel_offset < header.palette_offset)
    header.pixel_offset = header.palette_offset + uint64_t{wanted} * header.palette_entry_size;
  if (header.bits <= 8) {
    const uint64_t end = std::min<uint64_t>(header.pixel_offset, bytes.size());
    const uint64_t room =
        end > header.palette_offset ? (end - header.palette_offset) / header.palette_entry_size : 0;
    header.palette_count = static_cast<int>(std::min<uint64_t>(wanted, room));
  }
  return header;
}

Result<SniffedImage> ReadBmpHeader(Bytes bytes) {
  Result<BmpHeader> header = ParseBmpHeader(bytes);
  if (!header.ok()) return header.status();
  SniffedImage sniffed;
  sniffed.width = header.value().width;
  sniffed.height = header.value().height;
  return sniffed;
}

}  // namespace telltale
