// Reading the boxes of an AVIF file (ISO/IEC 14496-12) for checks that libavif lacks: limits on sizes,
// truncated files, and a C2PA manifest.
#include "image/avif_boxes.h"
#include "image/avif_reader.h"
#include "image/headers.h"

namespace telltale {
namespace {

constexpr std::string_view kManifestUuid{"\xD8\xFE\xC3\xD6\x1B\x0E\x48\x3C\x92\x97\x58\x28\x87\x7E\xC4\x81",
                                         16};

// Returns the content of the first box with this type. Returns empty bytes if there is no such box.
Bytes FindBox(Bytes bytes, std::string_view type) {
  uint64_t at = 0;
  while (std::optional<BmffBox> box = ReadBox(bytes, at)) {
    if (box->Is(bytes, type)) return bytes.subspan(box->body, box->end - box->body);
    at = box->end;
  }
  return {};
}

// Returns true if the box at `at` is of a type that an image needs. The box may be cut off.
bool IsImageBox(Bytes bytes, uint64_t at) {
  for (const std::string_view type : {"mdat", "meta", "moov", "moof", "idat"}) {
    if (HasText(bytes, at + 4, type)) return true;
  }
  return false;
}

// Checks that all image sizes that the file declares are within the limits.
Status CheckItemSizes(Bytes bytes) {
  const Bytes meta = FindBox(bytes, "meta");
  if (meta.size() < 4) return Status();
  const Bytes properties = FindBox(FindBox(meta.subspan(4), "iprp"), "ipco");
  uint64_t at = 0;
  while (std::optional<BmffBox> box = ReadBox(properties, at)) {
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
  bool has_description = false;
  for (uint64_t at = 0; at < bytes.size();) {
    const std::optional<BmffBox> box = ReadBox(bytes, at);
    // Bytes after the last box, such as a newline, are harmless. A truncated box of the image is an error.
    if (!box && has_description && !IsImageBox(bytes, at)) break;
    if (!box) return EndsEarly(ImageFormat::kAvif);
    has_description |= box->Is(bytes, "meta") || box->Is(bytes, "moov");
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
