// Comparing the order of a grid's tiles with the order in which the file first mentions them.
#include "image/avif_tiles.h"

#include <map>
#include <set>

#include "image/avif_boxes.h"
#include "image/avif_counts.h"

namespace telltale {
namespace {

template <typename Visit>
void ForEachBox(Bytes bytes, Visit visit) {
  uint64_t at = 0;
  while (const std::optional<BmffBox> box = ReadBox(bytes, at)) {
    visit(ReadU32Be(bytes, box->type_at), bytes.subspan(box->body, box->end - box->body));
    at = box->end;
  }
}

class ItemOrder {
 public:
  // Reads the boxes of a meta box in the order in which libavif reads them.
  explicit ItemOrder(Bytes meta) {
    ForEachBox(meta, [&](uint32_t type, Bytes body) {
      if (type == BoxType("iloc")) NoteLocations(body);
      if (type == BoxType("iinf")) NoteEntries(body);
      if (type == BoxType("iprp")) NoteProperties(body);
      if (type == BoxType("iref")) NoteReferences(body);
    });
  }

  bool HasGridsInOrder() const {
    for (const auto& [canvas, tiles] : tiles_) {
      if (grids_.count(canvas) == 0) continue;
      for (size_t i = 1; i < tiles.size(); ++i) {
        if (places_.at(tiles[i]) <= places_.at(tiles[i - 1])) return false;
      }
    }
    return true;
  }

 private:
  void Note(uint64_t id) { places_.emplace(id, places_.size()); }

  void NoteLocations(Bytes body) {
    ReadItemLocations(body, AvifCounts::kMaxListed, [&](const ItemLocation& item) {
      Note(item.id);
      return true;
    });
  }

  void NoteEntries(Bytes body) {
    const bool is_first_version = ReadField(body, 0, 1) == 0;
    ForEachBox(From(body, is_first_version ? 6 : 8), [&](uint32_t type, Bytes entry) {
      if (type != BoxType("infe")) return;
      const int id_size = ReadField(entry, 0, 1) < 3 ? 2 : 4;
      const uint64_t id = ReadField(entry, 4, id_size);
      Note(id);
      if (ReadField(entry, 6 + id_size, 4) == BoxType("grid")) grids_.insert(id);
    });
  }

  void NoteProperties(Bytes body) {
    ForEachBox(body, [&](uint32_t type, Bytes list) {
      if (type != BoxType("ipma")) return;
      const int id_size = ReadField(list, 0, 1) == 0 ? 2 : 4;
      const int index_size = (ReadField(list, 3, 1) & 1) == 0 ? 1 : 2;
      uint64_t at = 8;
      for (uint64_t items = ReadField(list, 4, 4); items > 0 && at < list.size(); --items) {
        Note(ReadField(list, at, id_size));
        at += id_size + 1 + ReadField(list, at + id_size, 1) * index_size;
      }
    });
  }

  void NoteReferences(Bytes body) {
    const int id_size = ReadField(body, 0, 1) == 0 ? 2 : 4;
    ForEachBox(From(body, 4), [&](uint32_t type, Bytes list) {
      const uint64_t from = ReadField(list, 0, id_size);
      const uint64_t count = ReadField(list, id_size, 2);
      Note(from);
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t id = ReadField(list, id_size + 2 + i * id_size, id_size);
        Note(id);
        if (type == BoxType("dimg")) tiles_[from].push_back(id);
      }
    });
  }

  std::map<uint64_t, size_t> places_;                // order of first mention of each item
  std::set<uint64_t> grids_;                         // items of type `grid`
  std::map<uint64_t, std::vector<uint64_t>> tiles_;  // tiles of each derived item
};

}  // namespace

bool AreTilesInOrder(Bytes file) {
  bool are_in_order = true;
  ForEachBox(file, [&](uint32_t type, Bytes body) {
    if (type == BoxType("meta")) are_in_order &= ItemOrder(From(body, 4)).HasGridsInOrder();
  });
  return are_in_order;
}

}  // namespace telltale
