// Reading metadata in JPEG files: Photoshop's resources with IPTC-IIM, and Samsung's appended block.
#include "image/byte_reader.h"
#include "metadata/blocks.h"
#include "metadata/text_encoding.h"

namespace telltale {
namespace {

constexpr uint16_t kIptcResource = 0x0404;

// Returns the name of an IPTC field about an image's origin, else null. Source: IPTC-IIM 4.2, record 2.
const char* DatasetName(uint8_t number) {
  switch (number) {
    case 40:
      return "SpecialInstructions";
    case 65:
      return "OriginatingProgram";
    case 110:
      return "Credit";
    case 115:
      return "Source";
    case 120:
      return "Caption";
    default:
      return nullptr;
  }
}

}  // namespace

void ReadPhotoshopResources(Bytes resources, MetadataCollector* collector) {
  // Layout: "8BIM", number (2 bytes), name (padded to even), size (4), data (padded to even).
  uint64_t at = 0;
  while (HasText(resources, at, "8BIM") && Holds(resources, at, 7)) {
    const uint16_t number = ReadU16Be(resources, at + 4);
    const uint64_t name_size = (uint64_t{resources[at + 6]} + 2) & ~uint64_t{1};
    const uint64_t data = at + 6 + name_size + 4;
    if (!Holds(resources, data, 0)) return;
    const uint32_t size = ReadU32Be(resources, data - 4);
    if (!Holds(resources, data, size)) return;
    if (number == kIptcResource) ReadIptcTexts(resources.subspan(data, size), collector);
    at = data + size + (size & 1);
  }
}

void ReadIptcTexts(Bytes records, MetadataCollector* collector) {
  // Layout of a record: marker (1 byte), record (1), dataset (1), size (2), data. Sizes over 32,767 have
  // another layout, but no text is that long.
  uint64_t at = 0;
  while (Holds(records, at, 5) && records[at] == 0x1C) {
    const uint16_t size = ReadU16Be(records, at + 3);
    if ((size & 0x8000) != 0 || !Holds(records, at + 5, size)) return;
    const char* name = records[at + 1] == 2 ? DatasetName(records[at + 2]) : nullptr;
    if (name != nullptr) collector->Add("iptc", name, Latin1ToUtf8(records.subspan(at + 5, size)));
    at += 5 + size;
  }
}

void ReadSamsungTrailer(Bytes file, MetadataCollector* collector) {
  // Layout of the file's end: entries, directory ("SEFH", version, count, 12 bytes per entry), size of the
  // directory (4), "SEFT". In the directory: zero (2), type (2), distance of the entry before the directory
  // (4), size (4). An entry: zero (2), type (2), length of its name (4), name, data.
  constexpr uint64_t kTail = 8;
  if (file.size() < kTail || !HasText(file, file.size() - 4, "SEFT")) return;
  const uint64_t size = ReadU32Le(file, file.size() - kTail);
  if (size < 12 || size > file.size() - kTail) return;
  const uint64_t directory = file.size() - kTail - size;
  if (!HasText(file, directory, "SEFH")) return;
  const uint64_t count = ReadU32Le(file, directory + 8);
  for (uint64_t i = 0; i < count && 12 * (i + 2) <= size; ++i) {
    const uint64_t entry = directory + 12 * (i + 1);
    const uint64_t distance = ReadU32Le(file, entry + 4);
    const uint64_t block_size = ReadU32Le(file, entry + 8);
    if (distance > directory || block_size < 8 || block_size > distance) continue;
    if (!collector->Walk(block_size)) return;
    const Bytes block = file.subspan(directory - distance, block_size);
    const uint64_t name_size = ReadU32Le(block, 4);
    if (!Holds(block, 8, name_size) || name_size > 64) continue;
    collector->Add("sef", AsText(block.subspan(8, name_size)), AsText(block.subspan(8 + name_size)));
  }
}

}  // namespace telltale
