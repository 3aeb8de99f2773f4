// Visiting all boxes of an AVIF file that libavif reads, and counting their entries.
#include "image/avif_counts.h"

#include <algorithm>

#include "image/avif_boxes.h"

namespace telltale {
namespace {

class BoxWalk {
 public:
  explicit BoxWalk(uint64_t file_bytes) : file_bytes_(file_bytes) {}

  // Counts the boxes in `bytes` and their entries. Returns false once a limit is exceeded.
  bool Walk(Bytes bytes) {
    uint64_t at = 0;
    while (const std::optional<BmffBox> box = ReadBox(bytes, at)) {
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

  bool Enter(uint32_t type, Bytes body) {
    const bool is_first_version = ReadField(body, 0, 1) == 0;
    switch (type) {
      case BoxType("moov"):
      case BoxType("trak"):
      case BoxType("mdia"):
      case BoxType("minf"):
      case BoxType("stbl"):
      case BoxType("iprp"):
      case BoxType("ipco"):
        return Walk(body);
      case BoxType("meta"):
        return Walk(From(body, 4));
      case BoxType("stsd"):
        return Walk(From(body, 8));
      case BoxType("av01"):
        return Walk(From(body, 78));  // VisualSampleEntry
      case BoxType("iinf"):
        return Grow(&items_, ReadField(body, 4, is_first_version ? 2 : 4), AvifCounts::kMaxItems) &&
               Walk(From(body, is_first_version ? 6 : 8));
      case BoxType("iloc"):
        return CountLocations(body);
      case BoxType("iref"):
        return CountReferences(From(body, 4), is_first_version ? 2 : 4);
      case BoxType("ipma"):
        return CountAssociations(body);
      case BoxType("stsc"):  // gone through for each chunk
        return Grow(&chunk_runs_, ReadField(body, 4, 4), AvifCounts::kMaxListed) && HasFewRunSteps();
      case BoxType("stsz"):
        return Grow(&sample_entries_, ReadField(body, 8, 4), AvifCounts::kMaxSampleEntries);
      case BoxType("stco"):
      case BoxType("co64"):
        return Grow(&chunks_, ReadField(body, 4, 4), AvifCounts::kMaxSampleEntries) && HasFewRunSteps();
      case BoxType("stts"):
      case BoxType("stss"):
        return Grow(&sample_entries_, ReadField(body, 4, 4), AvifCounts::kMaxSampleEntries);
      default:
        return true;
    }
  }

  bool HasFewRunSteps() const { return chunks_ * chunk_runs_ <= AvifCounts::kMaxRunSteps; }

  // Counts items and the extents, or pieces, of their data. libavif joins the pieces in memory, and pieces
  // may overlap. Items with several pieces may therefore have at most the file's size in total.
  bool CountLocations(Bytes body) {
    return ReadItemLocations(body, AvifCounts::kMaxListed, [&](const ItemLocation& item) {
      const uint64_t extents = item.extents.size();
      if (!Grow(&located_, 1, AvifCounts::kMaxItems) || !Grow(&extents_, extents, AvifCounts::kMaxListed))
        return false;
      return extents < 2 || std::all_of(item.extents.begin(), item.extents.end(), [&](const auto& extent) {
               return Grow(&joined_bytes_, extent.length, file_bytes_);
             });
    });
  }

  // Counts the items in an `ipma` box and their associations with properties. libavif copies the property for
  // each association.
  bool CountAssociations(Bytes body) {
    const int id_size = ReadField(body, 0, 1) == 0 ? 2 : 4;
    const int index_size = (ReadField(body, 3, 1) & 1) == 0 ? 1 : 2;
    const uint64_t items = ReadField(body, 4, 4);
    if (!Grow(&associations_, items, AvifCounts::kMaxListed)) return false;
    uint64_t at = 8;
    for (uint64_t i = 0; i < items; ++i) {
      const uint64_t count = ReadField(body, at + id_size, 1);
      if (!Grow(&associations_, count, AvifCounts::kMaxListed)) return false;
      at += id_size + 1 + count * index_size;
    }
    return true;
  }

  bool CountReferences(Bytes lists, int id_size) {
    uint64_t at = 0;
    while (const std::optional<BmffBox> box = ReadBox(lists, at)) {
      const uint64_t count = ReadField(lists.first(box->end), box->body + id_size, 2);
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
