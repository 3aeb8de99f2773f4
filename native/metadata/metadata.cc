// Finding the metadata in the files of each format.
#include "metadata/metadata.h"

#include "image/avif_reader.h"
#include "image/byte_reader.h"
#include "image/headers.h"
#include "metadata/blocks.h"
#include "metadata/collector.h"
#include "metadata/png_texts.h"
#include "metadata/text_encoding.h"

namespace telltale {
namespace {

constexpr std::string_view kPhotoshopPrefix{"Photoshop 3.0\0", 14};

// Reads the segments before the first scan. All writers put their metadata there.
void ReadJpeg(Bytes file, MetadataCollector* collector) {
  ExtendedXmp extended;
  uint64_t at = 2;
  while (Holds(file, at, 4)) {
    if (file[at] != 0xFF || file[at + 1] == 0xFF || file[at + 1] == 0 ||
        (file[at + 1] >= 0xD0 && file[at + 1] <= 0xD8)) {
      ++at;
      continue;
    }
    const uint8_t marker = file[at + 1];
    const uint16_t length = ReadU16Be(file, at + 2);
    if (marker == 0xDA || marker == 0xD9 || length < 2 || !Holds(file, at + 2, length)) break;
    const Bytes body = file.subspan(at + 4, length - 2);
    if (!collector->Walk(body.size())) break;
    if (marker == 0xFE) {
      collector->Add("comment", "", Latin1ToUtf8(body));
    } else if (marker == 0xE1 && HasText(body, 0, kXmpPrefix)) {
      AddXmp(body.subspan(kXmpPrefix.size()), collector);
    } else if (marker == 0xE1 && HasText(body, 0, kExtendedXmpPrefix)) {
      extended.Add(body.subspan(kExtendedXmpPrefix.size()));
    } else if (marker == 0xE1) {
      ReadExifTexts(body, collector);
    } else if (marker == 0xED && HasText(body, 0, kPhotoshopPrefix)) {
      ReadPhotoshopResources(body.subspan(kPhotoshopPrefix.size()), collector);
    }
    at += 2 + length;
  }
  extended.AddTo(collector);
  ReadSamsungTrailer(file, collector);
}

void ReadWebp(Bytes file, MetadataCollector* collector) {
  uint64_t at = 12;
  while (Holds(file, at, 8)) {
    const uint64_t length = ReadU32Le(file, at + 4);
    if (!Holds(file, at + 8, length)) return;
    const Bytes body = file.subspan(at + 8, length);
    const bool is_exif = HasText(file, at, "EXIF");
    const bool is_xmp = HasText(file, at, "XMP ");
    if ((is_exif || is_xmp) && !collector->Walk(length)) return;
    if (is_exif) ReadExifTexts(body, collector);
    if (is_xmp) AddXmp(body, collector);
    at += 8 + length + (length & 1);
  }
}

void ReadAvif(Bytes file, MetadataCollector* collector) {
  const auto reader = OpenAvif(file, /*with_metadata=*/true);
  if (!reader.ok()) return;
  const avifImage& image = *reader.value().decoder->image;
  const Bytes xmp(image.xmp.data, image.xmp.size);
  Bytes exif(image.exif.data, image.exif.size);
  if (!collector->Walk(xmp.size()) || !collector->Walk(exif.size())) return;
  if (!xmp.empty()) AddXmp(xmp, collector);
  // Some writers put JPEG's "Exif" before the TIFF header. Some versions of libavif leave an offset of four
  // bytes in front, which is skipped here.
  const bool has_header = HasText(exif, 0, "II") || HasText(exif, 0, "MM") || HasText(exif, 0, "Exif");
  if (!has_header && exif.size() > 4) exif = exif.subspan(4);
  ReadExifTexts(exif, collector);
}

// Joins a sequence of data blocks, and moves `at` behind it.
std::string JoinSubBlocks(Bytes file, uint64_t* at, MetadataCollector* collector) {
  std::string joined;
  while (Holds(file, *at, 1)) {
    const uint8_t length = file[*at];
    if (!Holds(file, *at + 1, length)) break;
    if (length > 0 && joined.size() < kMaxXmpBytes && collector->Walk(length)) {
      joined += AsText(file.subspan(*at + 1, length));
    }
    *at += 1 + length;
    if (length == 0) return joined;
  }
  *at = file.size();
  return joined;
}

void SkipSubBlocks(Bytes file, uint64_t* at) {
  while (Holds(file, *at, 1)) {
    const uint8_t length = file[*at];
    *at += 1 + length;
    if (length == 0) return;
  }
}

// Reads all blocks except frames.
void ReadGif(Bytes file, MetadataCollector* collector) {
  if (!Holds(file, 0, 13)) return;
  const auto table_size = [](uint8_t flags) { return flags & 0x80 ? uint64_t{3} << ((flags & 7) + 1) : 0; };
  uint64_t at = 13 + table_size(file[10]);
  while (Holds(file, at, 3)) {
    if (file[at] == 0x2C && Holds(file, at, 11)) {
      at += 11 + table_size(file[at + 9]);
      SkipSubBlocks(file, &at);
      continue;
    }
    if (file[at] != 0x21) return;
    const uint8_t label = file[at + 1];
    at += 2;
    if (label == 0xFF && HasText(file, at, "\x0BXMP DataXMP")) {
      // XMP in GIF is not divided into blocks. After it come 258 descending bytes, by which other readers
      // find the next block. The data is cut before the search, because otherwise every block without an end
      // would make the reader search the rest of the file.
      const std::string_view window = AsText(file.subspan(at + 12)).substr(0, kMaxXmpBytes);
      const std::string_view packet = window.substr(0, window.find("<?xpacket end"));
      if (!collector->Walk(packet.size())) return;
      collector->Add("xmp", "", packet);
      at += 12;
    }
    const std::string text = JoinSubBlocks(file, &at, collector);
    if (label == 0xFE) collector->Add("comment", "", text);
  }
}

}  // namespace

std::vector<MetadataText> ReadMetadata(Bytes bytes) {
  MetadataCollector collector;
  const std::optional<ImageFormat> format = FindFormat(bytes);
  if (!format) return {};
  switch (*format) {
    case ImageFormat::kJpeg:
      ReadJpeg(bytes, &collector);
      break;
    case ImageFormat::kPng:
      ReadPngTexts(bytes, &collector);
      break;
    case ImageFormat::kWebp:
      ReadWebp(bytes, &collector);
      break;
    case ImageFormat::kAvif:
      ReadAvif(bytes, &collector);
      break;
    case ImageFormat::kGif:
      ReadGif(bytes, &collector);
      break;
    case ImageFormat::kTiff:
      ReadExifTexts(bytes, &collector);
      break;
    case ImageFormat::kBmp:
      break;
  }
  return collector.Release();
}

}  // namespace telltale
