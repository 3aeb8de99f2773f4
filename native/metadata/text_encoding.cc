// Converting other encodings of metadata to UTF-8.
#include "metadata/text_encoding.h"

namespace telltale {
namespace {

void Append(uint32_t point, std::string* text) {
  const auto push = [&](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (point < 0x80) {
    push(point);
  } else if (point < 0x800) {
    push(0xC0 | point >> 6);
    push(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    push(0xE0 | point >> 12);
    push(0x80 | (point >> 6 & 0x3F));
    push(0x80 | (point & 0x3F));
  } else {
    push(0xF0 | point >> 18);
    push(0x80 | (point >> 12 & 0x3F));
    push(0x80 | (point >> 6 & 0x3F));
    push(0x80 | (point & 0x3F));
  }
}

// Returns true if the bytes have the structure of UTF-8. Invalid characters within that structure are
// harmless, because JavaScript replaces them.
bool LooksLikeUtf8(Bytes bytes) {
  for (size_t i = 0; i < bytes.size();) {
    const uint8_t first = bytes[i++];
    const int more = first < 0x80           ? 0
                     : (first >> 5) == 0x06 ? 1
                     : (first >> 4) == 0x0E ? 2
                     : (first >> 3) == 0x1E ? 3
                                            : -1;
    if (more < 0 || bytes.size() - i < static_cast<size_t>(more)) return false;
    for (int k = 0; k < more; ++k) {
      if ((bytes[i++] & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

}  // namespace

std::string Latin1ToUtf8(Bytes bytes) {
  if (LooksLikeUtf8(bytes)) return {bytes.begin(), bytes.end()};
  std::string text;
  for (const uint8_t byte : bytes) Append(byte, &text);
  return text;
}

std::string Utf16ToUtf8(Bytes bytes, ByteOrder order) {
  std::string text;
  for (uint64_t at = 0; Holds(bytes, at, 2); at += 2) {
    uint32_t point = static_cast<uint32_t>(ReadUint(bytes, at, 2, order));
    if (point == 0) break;
    if (point == 0xFEFF) continue;
    if (point >= 0xD800 && point < 0xE000) {
      const uint32_t low =
          Holds(bytes, at + 2, 2) ? static_cast<uint32_t>(ReadUint(bytes, at + 2, 2, order)) : 0;
      const bool is_pair = point < 0xDC00 && low >= 0xDC00 && low < 0xE000;
      if (is_pair) at += 2;
      point = is_pair ? 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
    }
    Append(point, &text);
  }
  return text;
}

std::string XmlToUtf8(Bytes bytes) {
  const auto starts = [&](std::string_view text) { return HasText(bytes, 0, text); };
  using namespace std::string_view_literals;
  // UTF-32 is checked first, because its little-endian byte order mark begins like UTF-16's.
  const bool is_big_32 = starts("\0\0\xFE\xFF"sv) || starts("\0\0\0<"sv);
  if (is_big_32 || starts("\xFF\xFE\0\0"sv) || starts("<\0\0\0"sv)) {
    std::string text;
    for (uint64_t at = 0; Holds(bytes, at, 4); at += 4) {
      const uint64_t point = ReadUint(bytes, at, 4, is_big_32 ? ByteOrder::kBig : ByteOrder::kLittle);
      if (point != 0xFEFF) Append(point < 0x110000 ? static_cast<uint32_t>(point) : 0xFFFD, &text);
    }
    return text;
  }
  if (starts("\xFE\xFF"sv) || starts("\0<"sv)) return Utf16ToUtf8(bytes, ByteOrder::kBig);
  if (starts("\xFF\xFE"sv) || starts("<\0"sv)) return Utf16ToUtf8(bytes, ByteOrder::kLittle);
  if (starts("\xEF\xBB\xBF"sv)) bytes = bytes.subspan(3);
  return {bytes.begin(), bytes.end()};
}

ByteOrder GuessUtf16Order(Bytes bytes) {
  if (HasText(bytes, 0, "\xFF\xFE")) return ByteOrder::kLittle;
  if (HasText(bytes, 0, "\xFE\xFF")) return ByteOrder::kBig;
  int zeros[2] = {0, 0};
  for (size_t i = 0; i < bytes.size() && i < 4096; ++i) zeros[i & 1] += bytes[i] == 0;
  return zeros[1] > zeros[0] ? ByteOrder::kLittle : ByteOrder::kBig;
}

}  // namespace telltale
