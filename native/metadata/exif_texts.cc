// Reading the texts of an EXIF block (CIPA DC-008, TIFF 6.0).
#include <optional>

#include "image/tiff_directory.h"
#include "metadata/blocks.h"
#include "metadata/text_encoding.h"

namespace telltale {
namespace {

enum class Encoding { kAscii, kUserComment, kUtf16Le, kPresence };

struct Tag {
  uint16_t number;
  const char* name;
  Encoding encoding;
};

constexpr Tag kMainTags[] = {
    {0x010E, "ImageDescription", Encoding::kAscii},
    {0x010F, "Make", Encoding::kAscii},
    {0x0110, "Model", Encoding::kAscii},
    {0x0131, "Software", Encoding::kAscii},
    {0x013B, "Artist", Encoding::kAscii},
    {0x8298, "Copyright", Encoding::kAscii},
    {0x9C9C, "XPComment", Encoding::kUtf16Le},
    {0x9C9E, "XPKeywords", Encoding::kUtf16Le},
};

constexpr Tag kExifTags[] = {
    {0x9286, "UserComment", Encoding::kUserComment}, {0x829A, "ExposureTime", Encoding::kPresence},
    {0x829D, "FNumber", Encoding::kPresence},        {0x8827, "ISO", Encoding::kPresence},
    {0x920A, "FocalLength", Encoding::kPresence},
};

constexpr uint16_t kExifIfd = 0x8769;
constexpr uint16_t kXmpTag = 0x02BC;
constexpr uint16_t kIptcTag = 0x83BB;

std::string_view UntilNul(Bytes bytes) {
  const std::string_view text = AsText(bytes);
  return text.substr(0, text.find('\0'));
}

// Returns an EXIF comment. Its first eight bytes name the encoding, but many writers leave them out.
std::string DecodeUserComment(Bytes bytes) {
  if (HasText(bytes, 0, std::string_view("UNICODE\0", 8))) {
    const Bytes text = bytes.subspan(8);
    return Utf16ToUtf8(text, GuessUtf16Order(text));
  }
  const bool has_code = HasText(bytes, 0, std::string_view("ASCII\0\0\0", 8)) ||
                        HasText(bytes, 0, std::string_view("\0\0\0\0\0\0\0\0", 8));
  return std::string(UntilNul(has_code ? bytes.subspan(8) : bytes));
}

void AddTag(const Tag& tag, Bytes bytes, MetadataCollector* collector) {
  switch (tag.encoding) {
    case Encoding::kAscii:
      return collector->Add("exif", tag.name, UntilNul(bytes));
    case Encoding::kUserComment:
      return collector->Add("exif", tag.name, DecodeUserComment(bytes));
    case Encoding::kUtf16Le:
      return collector->Add("exif", tag.name, Utf16ToUtf8(bytes, ByteOrder::kLittle));
    case Encoding::kPresence:
      return collector->Add("exif", tag.name, "");
  }
}

template <size_t kCount>
void ReadTags(const TiffDirectory& directory, const Tag (&tags)[kCount], MetadataCollector* collector) {
  for (const Tag& tag : tags) {
    const std::optional<Bytes> data = directory.Data(tag.number);
    if (data && collector->Walk(data->size())) AddTag(tag, *data, collector);
  }
}

}  // namespace

void ReadExifTexts(Bytes exif, MetadataCollector* collector) {
  constexpr std::string_view kJpegPrefix{"Exif\0\0", 6};
  if (HasText(exif, 0, kJpegPrefix)) exif = exif.subspan(kJpegPrefix.size());
  const auto main = TiffDirectory::First(exif);
  if (!main) return;
  ReadTags(*main, kMainTags, collector);
  const auto xmp = main->Data(kXmpTag);
  if (xmp && collector->Walk(xmp->size())) AddXmp(*xmp, collector);
  const auto iptc = main->Data(kIptcTag);
  if (iptc && collector->Walk(iptc->size())) ReadIptcTexts(*iptc, collector);
  const auto offset = main->Value(kExifIfd);
  const auto inner = offset ? main->At(*offset) : std::nullopt;
  if (inner) ReadTags(*inner, kExifTags, collector);
}

}  // namespace telltale
