// The walk through all boxes that libavif reads, with a sum for each thing that they list.
#include "image/avif_counts.h"

#include <algorithm>

#include "image/avif_boxes.h"

namespace telltale {
namespace {

class BoxWalk {
 public:
  explicit BoxWalk(uint64_t file_bytes) : file_bytes_(file_bytes) {}

  // False once a limit is passed.
  bool Walk(Bytes bytes) {
    uint64_t at = 0;
    while (const std::optional<Box> box = ReadBox(bytes, at)) {
      const Bytes body = bytes.subspan(box->body, box->end - box->body);
      if (!Grow(&boxes_, 1, AvifCounts::kMaxBoxes) || !Enter(ReadU32Be(bytes, box->type_at), body))
        return false;
      at = box->end;
    }
    return true;
  }

 private:
  static bool Grow(uint64_t* sum, uint64_t count, uint64_t limit) {
    *sum += std::min(count, limit + 1);
    return *sum <= limit;
  }

  // The big-endian integer at `at`; 0 where there is none, which libavif refuses.
  static uint64_t Read(Bytes body, uint64_t at, int size) {
    return size > 0 && Holds(body, at, size) ? ReadUint(body, at, size, ByteOrder::kBig) : 0;
  }

  static Bytes From(Bytes body, uint64_t at) { return body.subspan(std::min<uint64_t>(at, body.size())); }

  static constexpr uint32_t Type(const char (&name)[5]) {
    uint32_t type = 0;
    for (int i = 0; i < 4; ++i) type = type << 8 | static_cast<uint8_t>(name[i]);
    return type;
  }

  bool Enter(uint32_t type, Bytes body) {
    const bool is_first_version = Read(body, 0, 1) == 0;
    switch (type) {
      case Type("moov"):
      case Type("trak"):
      case Type("mdia"):
      case Type("minf"):
      case Type("stbl"):
      case Type("iprp"):
      case Type("ipco"):
        return Walk(body);
      case Type("meta"):
        return Walk(From(body, 4));
      case Type("stsd"):
        return Walk(From(body, 8));
      case Type("av01"):
        return Walk(From(body, 78));  // VisualSampleEntry
      case Type("iinf"):
        return Grow(&items_, Read(body, 4, is_first_version ? 2 : 4), AvifCounts::kMaxItems) &&
               Walk(From(body, is_first_version ? 6 : 8));
      case Type("iloc"):
        return CountLocations(body);
      case Type("iref"):
        return CountReferences(From(body, 4), is_first_version ? 2 : 4);
      case Type("ipma"):
        return Grow(&associations_, Read(body, 4, 4), AvifCounts::kMaxListed);
      case Type("stsc"):  // gone through for each chunk
        return Grow(&chunk_runs_, Read(body, 4, 4), AvifCounts::kMaxListed) && HasFewRunSteps();
      case Type("stsz"):
        return Grow(&sample_entries_, Read(body, 8, 4), AvifCounts::kMaxSampleEntries);
      case Type("stco"):
      case Type("co64"):
        return Grow(&chunks_, Read(body, 4, 4), AvifCounts::kMaxSampleEntries) && HasFewRunSteps();
      case Type("stts"):
      case Type("stss"):
        return Grow(&sample_entries_, Read(body, 4, 4), AvifCounts::kMaxSampleEntries);
      default:
        return true;
    }
  }

  bool HasFewRunSteps() const { return chunks_ * chunk_runs_ <= AvifCounts::kMaxRunSteps; }

  // Items and the extents of their data. An item of several extents is joined in memory, so that such items
  // together have no more bytes than the file: extents may overlap.
  bool CountLocations(Bytes body) {
    const uint64_t version = Read(body, 0, 1);
    const int offset_size = static_cast<int>(Read(body, 4, 1) >> 4);
    const int length_size = static_cast<int>(Read(body, 4, 1) & 15);
    const int base_size = static_cast<int>(Read(body, 5, 1) >> 4);
    const int index_size = version == 0 ? 0 : static_cast<int>(Read(body, 5, 1) & 15);
    if (std::max({offset_size, length_size, base_size, index_size}) > 8) return false;
    const int id_size = version < 2 ? 2 : 4;
    const uint64_t count = Read(body, 6, id_size);
    if (!Grow(&located_, count, AvifCounts::kMaxItems)) return false;
    uint64_t at = 6 + id_size;
    for (uint64_t i = 0; i < count; ++i) {
      at += id_size + (version == 0 ? 0 : 2) + 2 + base_size;
      const uint64_t extents = Read(body, at, 2);
      if (!Grow(&extents_, extents, AvifCounts::kMaxListed)) return false;
      at += 2;
      for (uint64_t extent = 0; extent < extents; ++extent) {
        at += index_size + offset_size;
        if (extents > 1 && !Grow(&joined_bytes_, Read(body, at, length_size), file_bytes_)) return false;
        at += length_size;
      }
    }
    return true;
  }

  bool CountReferences(Bytes lists, int id_size) {
    uint64_t at = 0;
    while (const std::optional<Box> box = ReadBox(lists, at)) {
      const uint64_t count = Read(lists.first(box->end), box->body + id_size, 2);
      if (!Grow(&boxes_, 1, AvifCounts::kMaxBoxes) || count > AvifCounts::kMaxItems ||
          !Grow(&references_, count, AvifCounts::kMaxListed)) {
        return false;
      }
      at = box->end;
    }
    return true;
  }

  const uint64_t file_bytes_;
  uint64_t boxes_ = 0;
  uint64_t items_ = 0;
  uint64_t located_ = 0;
  uint64_t extents_ = 0;
  uint64_t joined_bytes_ = 0;
  uint64_t references_ = 0;
  uint64_t associations_ = 0;
  uint64_t chunks_ = 0;
  uint64_t chunk_runs_ = 0;
  uint64_t sample_entries_ = 0;
};

}  // namespace

bool AvifCounts::AreBearable(Bytes file) { return BoxWalk(file.size()).Walk(file); }

}  // namespace telltale
