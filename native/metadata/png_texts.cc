// Reading the text chunks of PNG files (third edition, section 11.3.3).
#include "metadata/png_texts.h"

#include "image/byte_reader.h"
#include "image/inflate.h"
#include "image/png_chunk.h"
#include "metadata/blocks.h"
#include "metadata/text_encoding.h"

namespace telltale {
namespace {

constexpr std::string_view kXmpKeyword = "XML:com.adobe.xmp";
// Start of the keyword by which ImageMagick and GraphicsMagick store other metadata, such as EXIF.
constexpr std::string_view kRawProfile = "Raw profile type ";

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// Adds metadata that is written as hexadecimal text. Layout: "\n", the kind, "\n", the number of bytes in
// decimal, "\n", the bytes in hexadecimal, in lines.
void AddRawProfile(std::string_view kind, std::string_view text, MetadataCollector* collector) {
  size_t at = 0;
  for (int line = 0; line < 3; ++line) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return;
    ++at;
  }
  std::string bytes;
  int high = -1;
  for (; at < text.size(); ++at) {
    const int digit = HexDigit(text[at]);
    if (digit < 0) continue;
    if (high >= 0) bytes.push_back(static_cast<char>(high << 4 | digit));
    high = high < 0 ? digit : -1;
  }
  const Bytes block(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (kind == "xmp" || HasText(block, 0, kXmpPrefix)) {
    AddXmp(block.subspan(HasText(block, 0, kXmpPrefix) ? kXmpPrefix.size() : 0), collector);
  } else if (kind == "exif" || kind == "APP1") {
    ReadExifTexts(block, collector);
  } else if (kind == "iptc" || kind == "8bim") {
    ReadPhotoshopResources(block, collector);
  }
}

void AddText(std::string_view keyword, std::string_view text, MetadataCollector* collector) {
  if (keyword == kXmpKeyword) {
    AddXmp({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, collector);
  } else if (keyword.starts_with(kRawProfile)) {
    AddRawProfile(keyword.substr(kRawProfile.size()), text, collector);
  } else {
    collector->Add("png", keyword, text);
  }
}

// Reads one text chunk. Layout: keyword, NUL, then by chunk type: the text; method and compressed text; or
// flag, method, language, NUL, translated keyword, NUL, text.
void ReadText(std::string_view type, Bytes body, MetadataCollector* collector) {
  const std::string_view whole = AsText(body);
  const size_t end = whole.find('\0');
  if (end == 0 || end > 79) return;
  const std::string_view keyword = whole.substr(0, end);
  // Each byte of a profile is written as two hex digits.
  const size_t limit = keyword == kXmpKeyword             ? kMaxXmpBytes
                       : keyword.starts_with(kRawProfile) ? 2 * kMaxXmpBytes
                                                          : kMaxTextBytes;
  Bytes rest = body.subspan(end + 1);
  if (type == "tEXt") {
    return AddText(keyword, Latin1ToUtf8(rest.first(std::min(rest.size(), limit))), collector);
  }
  if (type == "zTXt") {
    if (rest.empty() || !collector->Walk(limit)) return;
    const std::string text = Inflate(rest.subspan(1), limit);
    return AddText(keyword, Latin1ToUtf8({reinterpret_cast<const uint8_t*>(text.data()), text.size()}),
                   collector);
  }
  if (rest.size() < 2) return;
  const bool is_compressed = rest[0] != 0;
  rest = rest.subspan(2);
  for (int skipped = 0; skipped < 2; ++skipped) {
    const size_t nul = AsText(rest).find('\0');
    if (nul == std::string_view::npos) return;
    rest = rest.subspan(nul + 1);
  }
  if (!is_compressed) return AddText(keyword, AsText(rest), collector);
  if (collector->Walk(limit)) AddText(keyword, Inflate(rest, limit), collector);
}

}  // namespace

void ReadPngTexts(Bytes file, MetadataCollector* collector) {
  uint64_t at = 8;
  while (Holds(file, at, 12)) {
    const uint32_t length = ReadU32Be(file, at);
    if (!Holds(file, at, 12 + uint64_t{length})) return;
    const std::string_view type = AsText(file.subspan(at + 4, 4));
    const Bytes body = file.subspan(at + 8, length);
    const bool is_text = type == "tEXt" || type == "zTXt" || type == "iTXt";
    const bool is_told = is_text || type == "eXIf";
    if (is_told && !collector->Walk(length)) return;
    if (is_told && HasRightChecksum(file, at, length)) {
      if (is_text) ReadText(type, body, collector);
      if (!is_text) ReadExifTexts(body, collector);
    }
    if (type == "IEND") return;
    at += 12 + uint64_t{length};
  }
}

}  // namespace telltale
