// Writing AVIF files bit by bit, by the specifications of the AV1 bitstream, ISO/IEC 23008-12 and AVIF.
#include "tests/avif_files.h"

#include <algorithm>

namespace telltale {
namespace {

class BitWriter {
 public:
  // Appends the lowest `count` bits of `value`, highest bit first.
  void Put(uint32_t value, int count) {
    for (int i = count - 1; i >= 0; --i) {
      if (used_++ % 8 == 0) bytes_.push_back(0);
      bytes_.back() |= static_cast<uint8_t>((value >> i & 1) << (7 - (used_ - 1) % 8));
    }
  }
  FileBytes bytes() const { return bytes_; }

 private:
  FileBytes bytes_;
  size_t used_ = 0;
};

FileBytes Join(const std::vector<FileBytes>& parts) {
  FileBytes whole;
  for (const FileBytes& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

// Returns an OBU, the unit of AV1 streams, with its size written in three bytes.
FileBytes Obu(int type, const FileBytes& content) {
  FileBytes header = {static_cast<uint8_t>(type << 3 | 2)};
  for (int i = 0; i < 3; ++i) {
    header.push_back(static_cast<uint8_t>((content.size() >> (7 * i) & 0x7F) | (i < 2 ? 0x80 : 0)));
  }
  return Join({header, content});
}

FileBytes SequenceHeader(uint16_t width, uint16_t height) {
  BitWriter bits;
  bits.Put(0, 3 + 1 + 1);   // main profile, no still image, no reduced header
  bits.Put(0, 1 + 1);       // no timing information, no delays
  bits.Put(0, 5 + 12 + 5);  // one operating point
  bits.Put(15, 4);
  bits.Put(15, 4);
  bits.Put(width - 1, 16);
  bits.Put(height - 1, 16);
  bits.Put(0, 1 + 3);      // no frame numbers; three tools
  bits.Put(0, 4 + 1 + 2);  // four tools, no order hints, no screen content tools
  bits.Put(0, 3);          // three tools
  bits.Put(1, 2);          // 8 bits, grey
  bits.Put(0, 2 + 1);      // no colour description; no film grain
  bits.Put(1, 1);
  return Obu(1, bits.bytes());
}

FileBytes KeyFrame(uint16_t width, uint16_t height, bool is_shown) {
  BitWriter bits;
  bits.Put(0, 1 + 2);  // a key frame
  bits.Put(is_shown, 1);
  if (!is_shown) bits.Put(1, 2);  // cannot be shown later; error resilient
  bits.Put(1, 1);                 // does not update its probabilities
  bits.Put(0, 1);                 // the sequence's size
  if (!is_shown) bits.Put(0xFF, 8);
  bits.Put(0, 1);  // rendered at the same size
  bits.Put(1, 1);  // one tile
  if (width > 64) bits.Put(0, 1);
  if (height > 64) bits.Put(0, 1);
  bits.Put(100, 8);         // quantiser
  bits.Put(0, 2 + 1 + 1);   // no quantiser variants
  bits.Put(0, 12 + 3 + 1);  // no loop filter
  bits.Put(0, 2);           // the largest transforms, of the full set
  // Zeros encode large plain blocks, in about two bytes each. There must be enough of them, because a decoder
  // rejects a tile that ends early.
  const size_t blocks = size_t{(width + 63u) / 64} * ((height + 63u) / 64);
  return Obu(6, Join({bits.bytes(), FileBytes(2 * blocks + 2)}));
}

FileBytes ItemEntry(uint16_t id, std::string_view type) {
  return FullBmff("infe", 2, {BigEndian(id, 2), BigEndian(0, 2), FileBytes(type.begin(), type.end()), {0}});
}

FileBytes ItemSize(uint32_t width, uint32_t height) {
  return FullBmff("ispe", 0, {BigEndian(width, 4), BigEndian(height, 4)});
}

FileBytes FileType() {
  const std::string_view brands{"avif\0\0\0\0avifmif1", 16};
  return Bmff("ftyp", {FileBytes(brands.begin(), brands.end())});
}

FileBytes Handler() {
  const std::string_view kind{"\0\0\0\0pict", 8};
  return FullBmff("hdlr", 0, {FileBytes(kind.begin(), kind.end()), FileBytes(13)});
}

FileBytes Configuration() { return Bmff("av1C", {{0x81, 0, 0x1C, 0}}); }

}  // namespace

FileBytes Av1Stream(uint16_t width, uint16_t height, int hidden) {
  FileBytes stream = SequenceHeader(width, height);
  const FileBytes frame = KeyFrame(width, height, false);
  for (int i = 0; i < hidden; ++i) stream.insert(stream.end(), frame.begin(), frame.end());
  return Join({stream, KeyFrame(width, height, true)});
}

FileBytes MakeAvif(const AvifImage& image) {
  const FileBytes type = FileType();
  const auto size = static_cast<uint32_t>(image.stream.size());
  const auto boxes = [&](uint32_t data_at) {
    FileBytes extents = BigEndian(image.extents, 2);
    for (uint32_t i = 0; i < image.extents; ++i) {
      const uint32_t from = size * i / image.extents, to = size * (i + 1) / image.extents;
      extents = Join({extents, BigEndian(data_at + from, 4), BigEndian(to - from, 4)});
    }
    return FullBmff("meta", 0,
                    {Handler(), FullBmff("pitm", 0, {BigEndian(1, 2)}),
                     FullBmff("iloc", 0, {{0x44, 0, 0, 1, 0, 1, 0, 0}, extents}),
                     FullBmff("iinf", 0, {BigEndian(1, 2), ItemEntry(1, "av01")}),
                     Bmff("iprp", {Bmff("ipco", {ItemSize(image.width, image.height), Configuration()}),
                                   FullBmff("ipma", 0, {{0, 0, 0, 1, 0, 1, 2, 1, 0x82}})})});
  };
  const auto data_at = static_cast<uint32_t>(type.size() + boxes(0).size() + 8);
  return Join({type, boxes(data_at), Bmff("mdat", {image.stream})});
}

FileBytes MakeAvifGrid(uint32_t width, uint32_t height, uint8_t rows, uint8_t columns, const AvifImage& tile,
                       bool is_reversed) {
  const FileBytes grid = Join({{0, 1, static_cast<uint8_t>(rows - 1), static_cast<uint8_t>(columns - 1)},
                               BigEndian(width, 4),
                               BigEndian(height, 4)});
  const auto tiles = static_cast<uint16_t>(rows * columns);
  FileBytes locations, entries, references, properties;
  for (uint16_t id = 1; id <= tiles + 1; ++id) {
    const bool is_grid = id == 1;
    const uint64_t at = is_grid ? 0 : grid.size(), size = is_grid ? grid.size() : tile.stream.size();
    // Each item's data lies in the box `idat`, in one piece.
    locations = Join({locations, BigEndian(id, 2), {0, 1, 0, 0, 0, 1}, BigEndian(at, 4), BigEndian(size, 4)});
    entries = Join({entries, ItemEntry(id, is_grid ? "grid" : "av01")});
    properties = Join({properties, BigEndian(id, 2), is_grid ? FileBytes{1, 1} : FileBytes{2, 2, 0x83}});
    if (is_grid) continue;
    const FileBytes reference = BigEndian(id, 2);
    references = is_reversed ? Join({reference, references}) : Join({references, reference});
  }
  const FileBytes count = BigEndian(tiles + 1, 2);
  return Join(
      {FileType(),
       FullBmff("meta", 0,
                {Handler(), FullBmff("pitm", 0, {BigEndian(1, 2)}),
                 FullBmff("iloc", 1, {{0x44, 0}, count, locations}), FullBmff("iinf", 0, {count, entries}),
                 FullBmff("iref", 0, {Bmff("dimg", {BigEndian(1, 2), BigEndian(tiles, 2), references})}),
                 Bmff("iprp", {Bmff("ipco", {ItemSize(width, height), ItemSize(tile.width, tile.height),
                                             Configuration()}),
                               FullBmff("ipma", 0, {BigEndian(tiles + 1, 4), properties})}),
                 Bmff("idat", {grid, tile.stream})})});
}

}  // namespace telltale
