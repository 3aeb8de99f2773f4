// The text chunks of PNG (third edition, section 11.3.3).
#include "metadata/png_texts.h"

#include "image/byte_reader.h"
#include "image/png_chunk.h"
#include "metadata/blocks.h"
#include "metadata/inflate.h"
#include "metadata/text_encoding.h"

namespace telltale {
namespace {

constexpr std::string_view kXmpKeyword = "XML:com.adobe.xmp";

void Add(std::string_view keyword, std::string_view text, MetadataCollector* collector) {
  if (keyword == kXmpKeyword) {
    collector->Add("xmp", "", text);
  } else {
    collector->Add("png", keyword, text);
  }
}

// Keyword, NUL, and then by kind: the text; method and compressed text; or flag, method, language, NUL,
// translated keyword, NUL, text.
void ReadText(std::string_view type, Bytes body, MetadataCollector* collector) {
  const std::string_view whole = AsText(body);
  const size_t end = whole.find('\0');
  if (end == 0 || end > 79) return;
  const std::string_view keyword = whole.substr(0, end);
  const size_t limit = keyword == kXmpKeyword ? kMaxXmpBytes : kMaxTextBytes;
  Bytes rest = body.subspan(end + 1);
  if (type == "tEXt") {
    return Add(keyword, Latin1ToUtf8(rest.first(std::min(rest.size(), limit))), collector);
  }
  if (type == "zTXt") {
    if (rest.empty() || !collector->Walk(limit)) return;
    const std::string text = Inflate(rest.subspan(1), limit);
    return Add(keyword, Latin1ToUtf8({reinterpret_cast<const uint8_t*>(text.data()), text.size()}),
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
  if (!is_compressed) return Add(keyword, AsText(rest), collector);
  if (collector->Walk(limit)) Add(keyword, Inflate(rest, limit), collector);
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
