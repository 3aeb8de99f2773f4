// Boxes of an AVIF file (ISO/IEC 14496-12) where libavif would not tell what is needed: limits
// before parsing, truncation, and the manifest box.
#include <optional>

#include "image/avif_reader.h"
#include "image/byte_reader.h"
#include "image/headers.h"

namespace telltale {
namespace {

constexpr ImageFormat kFormat = ImageFormat::kAvif;
constexpr std::string_view kManifestUuid{"\xD8\xFE\xC3\xD6\x1B\x0E\x48\x3C\x92\x97\x58\x28\x87\x7E\xC4\x81",
                                         16};

struct Box {
  uint64_t body = 0;  // bytes from the start of the enclosing bytes
  uint64_t end = 0;
  bool Is(Bytes bytes, std::string_view type) const { return HasText(bytes, type_at, type); }
  uint64_t type_at = 0;
};

// The box at `at`; nothing where it is not wholly inside `bytes`.
std::optional<Box> ReadBox(Bytes bytes, uint64_t at) {
  if (!Holds(bytes, at, 8)) return std::nullopt;
  Box box{.body = at + 8, .end = bytes.size(), .type_at = at + 4};
  uint64_t size = ReadU32Be(bytes, at);
  if (size == 1) {
    if (!Holds(bytes, at, 16)) return std::nullopt;
    size = ReadUint(bytes, at + 8, 8, ByteOrder::kBig);
    box.body = at + 16;
  }
  if (size != 0) {  // 0: to the end of the file
    if (size < box.body - at || !Holds(bytes, at, size)) return std::nullopt;
    box.end = at + size;
  }
  return box;
}

// The content of the first box called `type`; empty where there is none.
Bytes FindBox(Bytes bytes, std::string_view type) {
  uint64_t at = 0;
  while (std::optional<Box> box = ReadBox(bytes, at)) {
    if (box->Is(bytes, type)) return bytes.subspan(box->body, box->end - box->body);
    at = box->end;
  }
  return {};
}

// Every image size that the file's item properties name is within the limits.
Status CheckItemSizes(Bytes bytes) {
  const Bytes meta = FindBox(bytes, "meta");
  if (meta.size() < 4) return Status();
  const Bytes properties = FindBox(FindBox(meta.subspan(4), "iprp"), "ipco");
  uint64_t at = 0;
  while (std::optional<Box> box = ReadBox(properties, at)) {
    if (box->Is(properties, "ispe") && Holds(properties, box->body, 12)) {
      const Status limits =
          CheckPixelLimits(ReadU32Be(properties, box->body + 4), ReadU32Be(properties, box->body + 8));
      if (!limits.ok()) return limits;
    }
    at = box->end;
  }
  return Status();
}

}  // namespace

bool IsAvif(Bytes bytes) {
  if (!HasText(bytes, 4, "ftyp")) return false;
  const avifROData data{bytes.data(), bytes.size()};
  return avifPeekCompatibleFileType(&data) == AVIF_TRUE;
}

Result<SniffedImage> ReadAvifHeader(Bytes bytes) {
  SniffedImage sniffed;
  for (uint64_t at = 0; at < bytes.size();) {
    const std::optional<Box> box = ReadBox(bytes, at);
    if (!box) return EndsEarly(kFormat);
    if (box->Is(bytes, "uuid") && HasText(bytes, box->body, kManifestUuid)) sniffed.has_manifest = true;
    at = box->end;
  }
  if (Status limits = CheckItemSizes(bytes); !limits.ok()) return limits;

  Result<AvifReader> reader = OpenAvif(bytes);
  if (!reader.ok()) return reader.status();
  sniffed.width = static_cast<int>(reader.value().crop.width);
  sniffed.height = static_cast<int>(reader.value().crop.height);
  sniffed.orientation = reader.value().orientation;
  sniffed.frame_count = reader.value().decoder->imageCount;
  return sniffed;
}

}  // namespace telltale
