// Decoding BMP: palettes, colours in bit fields, and run-length encoding.
#include <algorithm>
#include <bit>

#include "image/bmp_header.h"
#include "image/byte_reader.h"
#include "image/decoders.h"
#include "image/headers.h"

namespace telltale {
namespace {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
};

// The 256 colours of a palette. Colours that the file does not define are black.
using Palette = std::array<Colour, 256>;

Palette ReadPalette(Bytes bytes, const BmpHeader& header) {
  Palette palette{};
  for (int i = 0; i < header.palette_count; ++i) {
    const uint8_t* entry = bytes.data() + header.palette_offset + i * header.palette_entry_size;
    palette[i] = {entry[2], entry[1], entry[0]};
  }
  return palette;
}

void Paint(const Colour& colour, uint8_t* to) {
  to[0] = colour.red;
  to[1] = colour.green;
  to[2] = colour.blue;
}

// One colour, stored in some bits of a pixel. Scales the value to 0..255, rounded down as in Pillow.
struct Channel {
  explicit Channel(uint32_t mask)
      : mask(mask), shift(mask == 0 ? 0 : std::countr_zero(mask)), most(mask >> shift) {}
  uint32_t Of(uint32_t pixel) const {
    return most == 0 ? 0 : static_cast<uint32_t>(uint64_t{(pixel & mask) >> shift} * 255 / most);
  }
  uint32_t mask;
  int shift;
  uint32_t most;
};

uint8_t OverWhite(uint32_t colour, uint32_t alpha) {
  return static_cast<uint8_t>((colour * alpha + 255 * (255 - alpha) + 127) / 255);
}

class RowReader {
 public:
  RowReader(Bytes bytes, const BmpHeader& header)
      : header_(header),
        palette_(ReadPalette(bytes, header)),
        red_(header.masks[0]),
        green_(header.masks[1]),
        blue_(header.masks[2]),
        alpha_(header.masks[3]),
        plain_(header.bits == 32 && header.masks == std::array<uint32_t, 4>{0xFF0000, 0xFF00, 0xFF, 0}) {}

  // HasAlpha returns true if pixels have alpha. IsTransparent returns true if alpha is 0 in the whole row.
  bool HasAlpha() const { return alpha_.mask != 0; }
  bool IsTransparent(const uint8_t* from) const {
    const int step = header_.bits / 8;
    for (int x = 0; x < header_.width; ++x, from += step) {
      if ((ReadUint({from, 4}, 0, step, ByteOrder::kLittle) & alpha_.mask) != 0) return false;
    }
    return true;
  }

  void Read(const uint8_t* from, uint8_t* to) const {
    if (header_.bits <= 8) {
      ReadIndices(from, to);
    } else if (header_.bits == 24 || plain_) {
      ReadBgr(from, header_.bits / 8, to);
    } else {
      ReadBitFields(from, to);
    }
  }

 private:
  void ReadIndices(const uint8_t* from, uint8_t* to) const {
    const int bits = header_.bits;
    const int last = 8 - bits;
    const int mask = (1 << bits) - 1;
    for (int x = 0; x < header_.width; ++x, to += 3) {
      const int bit = x * bits;
      Paint(palette_[from[bit >> 3] >> (last - (bit & 7)) & mask], to);
    }
  }

  void ReadBgr(const uint8_t* from, int step, uint8_t* to) const {
    for (int x = 0; x < header_.width; ++x, from += step, to += 3) Paint({from[2], from[1], from[0]}, to);
  }

  void ReadBitFields(const uint8_t* from, uint8_t* to) const {
    const int step = header_.bits / 8;
    for (int x = 0; x < header_.width; ++x, from += step, to += 3) {
      const auto pixel = static_cast<uint32_t>(ReadUint({from, 4}, 0, step, ByteOrder::kLittle));
      const uint32_t alpha = alpha_.mask == 0 ? 255 : alpha_.Of(pixel);
      to[0] = OverWhite(red_.Of(pixel), alpha);
      to[1] = OverWhite(green_.Of(pixel), alpha);
      to[2] = OverWhite(blue_.Of(pixel), alpha);
    }
  }

  const BmpHeader& header_;
  const Palette palette_;
  const Channel red_, green_, blue_, alpha_;
  const bool plain_;
};

// Returns the row of the image in which stored row y belongs. BMP files usually store the last row first.
int UprightRow(const BmpHeader& header, int y) { return header.top_down ? y : header.height - 1 - y; }

Status DecodeRows(Bytes bytes, const BmpHeader& header, const Cancellation& cancellation, Image* image) {
  // The padding of the last row is not required, because some writers omit it.
  const uint64_t last_row = (static_cast<uint64_t>(header.width) * header.bits + 7) / 8;
  if (!Holds(bytes, header.pixel_offset, header.stride() * (header.height - 1) + last_row))
    return EndsEarly(ImageFormat::kBmp);
  const auto row = [&](int y) { return bytes.data() + header.pixel_offset + y * header.stride(); };
  const RowReader with_alpha(bytes, header);
  // Some programs leave all alpha bits 0. Windows and browsers show such an image as opaque.
  bool is_transparent = with_alpha.HasAlpha();
  for (int y = 0; is_transparent && y < header.height; ++y) is_transparent = with_alpha.IsTransparent(row(y));
  BmpHeader opaque = header;
  opaque.masks[3] = 0;
  const RowReader reader(bytes, is_transparent ? opaque : header);
  for (int y = 0; y < header.height; ++y) {
    if (cancellation.IsOver()) return CannotDecode(ImageFormat::kBmp);
    reader.Read(row(y), image->row(UprightRow(header, y)));
  }
  return Status();
}

// Decodes run lengths, in stored order. Skipped pixels become white. In viewers they are transparent.
class RunPainter {
 public:
  RunPainter(const BmpHeader& header, const Palette& palette, Image* image)
      : header_(header), palette_(palette), image_(image) {
    std::fill(image->pixels.begin(), image->pixels.end(), uint8_t{255});
  }
  // Paints `count` pixels, up to the end of the row. `index_of` returns the i-th pixel's palette index.
  template <typename IndexOf>
  void Put(int count, const IndexOf& index_of) {
    if (y_ >= header_.height) return;
    uint8_t* row = image_->row(UprightRow(header_, y_));
    const int end = std::min(x_ + count, header_.width);
    for (int i = 0; x_ < end; ++i, ++x_) Paint(palette_[index_of(i)], row + static_cast<size_t>(x_) * 3);
  }
  void EndLine() { Move(-x_, 1); }
  void Move(int right, int up) {
    x_ = std::min(x_ + right, header_.width);
    y_ = std::min(y_ + up, header_.height);
  }
  bool AtEnd() const { return y_ >= header_.height || (y_ == header_.height - 1 && x_ >= header_.width); }

 private:
  const BmpHeader& header_;
  const Palette& palette_;
  Image* image_;
  int x_ = 0;
  int y_ = 0;
};

Status DecodeRuns(Bytes bytes, const BmpHeader& header, const Cancellation& cancellation, Image* image) {
  const Palette palette = ReadPalette(bytes, header);
  RunPainter painter(header, palette, image);
  const bool nibbles = header.compression == BmpCompression::kRle4;
  uint64_t at = header.pixel_offset;
  while (Holds(bytes, at, 2)) {
    const int count = bytes[at];
    const int value = bytes[at + 1];
    at += 2;
    if (count > 0) {
      painter.Put(count, [&](int i) { return !nibbles ? value : i % 2 == 0 ? value >> 4 : value & 15; });
    } else if (value == 0) {
      if (cancellation.IsOver()) return CannotDecode(ImageFormat::kBmp);
      painter.EndLine();
    } else if (value == 1) {
      return Status();
    } else if (value == 2) {
      if (!Holds(bytes, at, 2)) break;
      painter.Move(bytes[at], bytes[at + 1]);
      at += 2;
    } else {
      const int size = nibbles ? (value + 1) / 2 : value;
      if (!Holds(bytes, at, size)) break;
      painter.Put(value, [&](int i) {
        const uint8_t byte = bytes[at + (nibbles ? i / 2 : i)];
        return !nibbles ? byte : i % 2 == 0 ? byte >> 4 : byte & 15;
      });
      at += size + (size & 1);
    }
  }
  // The end mark may be missing if all pixels are there.
  return painter.AtEnd() ? Status() : EndsEarly(ImageFormat::kBmp);
}

}  // namespace

Status DecodeBmp(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image) {
  Result<BmpHeader> parsed = ParseBmpHeader(bytes);
  if (!parsed.ok()) return parsed.status();
  const BmpHeader& header = parsed.value();
  Allocate(size, 3, image);
  const bool runs =
      header.compression == BmpCompression::kRle8 || header.compression == BmpCompression::kRle4;
  return runs ? DecodeRuns(bytes, header, cancellation, image)
              : DecodeRows(bytes, header, cancellation, image);
}

}  // namespace telltale
