// Reading XMP packets as UTF-8, including packets that a JPEG splits over several segments.
#include <algorithm>

#include "image/byte_reader.h"
#include "metadata/blocks.h"
#include "metadata/text_encoding.h"

namespace telltale {
namespace {

// Maximum extended packets per file. Files usually have one. Parts of further packets are ignored.
constexpr size_t kMaxExtendedPackets = 4;

}  // namespace

void AddXmp(Bytes packet, MetadataCollector* collector) {
  packet = packet.first(std::min(packet.size(), kMaxXmpBytes));
  collector->Add("xmp", "", XmlToUtf8(packet));
}

void ExtendedXmp::Add(Bytes part) {
  constexpr uint64_t kGuidSize = 32, kHeaderSize = 40;
  if (!Holds(part, 0, kHeaderSize)) return;
  const std::string_view guid = AsText(part.first(kGuidSize));
  const uint64_t size = std::min<uint64_t>(ReadU32Be(part, kGuidSize), kMaxXmpBytes);
  const uint64_t offset = ReadU32Be(part, kGuidSize + 4);
  auto packet = packets_.find(guid);
  if (packet == packets_.end()) {
    if (packets_.size() >= kMaxExtendedPackets) return;
    // The packet starts as blanks, so missing parts stay blank.
    packet = packets_.emplace(guid, std::string(size, ' ')).first;
  }
  std::string& text = packet->second;
  if (offset >= text.size()) return;
  const std::string_view data = AsText(part.subspan(kHeaderSize)).substr(0, text.size() - offset);
  std::copy(data.begin(), data.end(), text.begin() + static_cast<std::ptrdiff_t>(offset));
}

void ExtendedXmp::AddTo(MetadataCollector* collector) const {
  for (const auto& [guid, text] : packets_)
    AddXmp({reinterpret_cast<const uint8_t*>(text.data()), text.size()}, collector);
}

}  // namespace telltale
