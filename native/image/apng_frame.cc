// Copying the first frame of an animated PNG into a still PNG, chunk by chunk.
#include "image/apng_frame.h"

#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "image/byte_reader.h"

namespace telltale {
namespace {

constexpr uint64_t kSignatureSize = 8;
constexpr uint64_t kHeaderEnd = kSignatureSize + 12 + 13;  // offset after IHDR, the first chunk

struct Chunk {
  Bytes type;
  Bytes data;
  uint32_t checksum = 0;
  bool Is(std::string_view name) const { return HasText(type, 0, name); }
};

// Returns the chunk at `at` and moves `at` behind it. Returns nullopt if the file ends within the chunk.
std::optional<Chunk> NextChunk(Bytes bytes, uint64_t* at) {
  if (!Holds(bytes, *at, 12)) return std::nullopt;
  const uint32_t length = ReadU32Be(bytes, *at);
  if (!Holds(bytes, *at + 12, length)) return std::nullopt;
  const uint64_t data = *at + 8;
  *at = data + length + 4;
  return Chunk{bytes.subspan(data - 4, 4), bytes.subspan(data, length), ReadU32Be(bytes, data + length)};
}

uint32_t Crc(Bytes type, Bytes data) {
  const uLong sum = crc32(crc32(0, type.data(), 4), data.data(), static_cast<uInt>(data.size()));
  return static_cast<uint32_t>(sum);
}

void AppendU32(uint32_t value, std::vector<uint8_t>* png) {
  for (int shift = 24; shift >= 0; shift -= 8) png->push_back(static_cast<uint8_t>(value >> shift));
}

// Appends a copy of `chunk` with the given name and data. Its checksum is wrong if the checksum of `chunk` is
// wrong, so that the decoder notices the damage.
void Append(const Chunk& chunk, std::string_view name, Bytes data, std::vector<uint8_t>* png) {
  const Bytes type(reinterpret_cast<const uint8_t*>(name.data()), 4);
  AppendU32(static_cast<uint32_t>(data.size()), png);
  png->insert(png->end(), type.begin(), type.end());
  png->insert(png->end(), data.begin(), data.end());
  AppendU32(Crc(type, data) ^ Crc(chunk.type, chunk.data) ^ chunk.checksum, png);
}

// Searches for the control chunk of the first frame. Moves `at` behind it and sets `before_pixels` to the end
// of the chunks that all frames share. Returns false if the default image is the first frame.
bool FindControl(Bytes bytes, uint64_t* at, uint64_t* before_pixels, Chunk* control) {
  bool is_animated = false;
  *before_pixels = 0;
  for (uint64_t start = *at; const auto chunk = NextChunk(bytes, at); start = *at) {
    if (chunk->Is("acTL") && *before_pixels == 0) is_animated = true;
    if (chunk->Is("IDAT") && *before_pixels == 0) *before_pixels = start;
    if (*before_pixels != 0 && !is_animated) return false;
    if (!chunk->Is("fcTL")) continue;
    *control = *chunk;
    return *before_pixels != 0 && chunk->data.size() == 26;
  }
  return false;
}

}  // namespace

std::optional<ApngFrame> ReadFirstApngFrame(Bytes bytes) {
  uint64_t at = kSignatureSize, before_pixels = 0;
  const std::optional<Chunk> header = NextChunk(bytes, &at);
  Chunk control;
  if (!header || !FindControl(bytes, &at, &before_pixels, &control)) return std::nullopt;
  const uint64_t width = ReadU32Be(control.data, 4), height = ReadU32Be(control.data, 8);
  const uint64_t x = ReadU32Be(control.data, 12), y = ReadU32Be(control.data, 16);
  const bool inside = width > 0 && height > 0 && x + width <= ReadU32Be(header->data, 0) &&
                      y + height <= ReadU32Be(header->data, 4);
  if (!inside) return std::nullopt;  // viewers do not animate such a file

  ApngFrame frame{{bytes.begin(), bytes.begin() + kSignatureSize},
                  static_cast<int>(x),
                  static_cast<int>(y),
                  static_cast<int>(width),
                  static_cast<int>(height)};
  std::vector<uint8_t> own_header(header->data.begin(), header->data.end());
  std::copy_n(control.data.begin() + 4, 8, own_header.begin());
  Append(*header, "IHDR", own_header, &frame.png);
  frame.png.insert(frame.png.end(), bytes.begin() + kHeaderEnd,
                   bytes.begin() + static_cast<std::ptrdiff_t>(before_pixels));
  // In these chunks, the pixels follow a sequence number of four bytes.
  for (auto chunk = NextChunk(bytes, &at); chunk && !chunk->Is("fcTL"); chunk = NextChunk(bytes, &at)) {
    if (chunk->Is("fdAT") && chunk->data.size() >= 4)
      Append(*chunk, "IDAT", chunk->data.subspan(4), &frame.png);
  }
  return frame;
}

}  // namespace telltale
