// The walk to the streams of items and tracks, and to the sizes of items.
#include "image/avif_work.h"

#include "image/av1_work.h"
#include "image/avif_boxes.h"
#include "image/avif_counts.h"

namespace telltale {
namespace {

class WorkWalk {
 public:
  explicit WorkWalk(Bytes file) : file_(file) {}

  // False once a limit is passed.
  bool Walk(Bytes bytes) {
    return ForEachBox(bytes, [&](uint32_t type, Bytes body) {
      switch (type) {
        case BoxType("moov"):
        case BoxType("trak"):
        case BoxType("mdia"):
        case BoxType("minf"):
          return Walk(body);
        case BoxType("stbl"):
          return AddFirstSample(body);
        case BoxType("meta"):
          return AddItems(From(body, 4));
        default:
          return true;
      }
    });
  }

 private:
  template <typename Take>
  static bool ForEachBox(Bytes bytes, Take take) {
    uint64_t at = 0;
    while (const std::optional<Box> box = ReadBox(bytes, at)) {
      if (!take(ReadU32Be(bytes, box->type_at), bytes.subspan(box->body, box->end - box->body))) return false;
      at = box->end;
    }
    return true;
  }

  // The bytes at `offset` as far as they are there.
  static Bytes Cut(Bytes bytes, uint64_t offset, uint64_t length) {
    const Bytes rest = From(bytes, offset);
    return rest.first(std::min<uint64_t>(length, rest.size()));
  }

  // The first sample is the first of the first chunk. Where a table has several boxes, all of them count.
  bool AddFirstSample(Bytes table) {
    uint64_t size = 0;
    ForEachBox(table, [&](uint32_t type, Bytes body) {
      if (type == BoxType("stsz")) size = std::max({size, ReadField(body, 4, 4), ReadField(body, 12, 4)});
      return true;
    });
    return ForEachBox(table, [&](uint32_t type, Bytes body) {
      if (type == BoxType("stco")) return work_.Add(Cut(file_, ReadField(body, 8, 4), size));
      if (type == BoxType("co64")) return work_.Add(Cut(file_, ReadField(body, 8, 8), size));
      return true;
    });
  }

  bool AddItems(Bytes meta) {
    Bytes idat;
    ForEachBox(meta, [&](uint32_t type, Bytes body) {
      if (type == BoxType("idat")) idat = body;
      return true;
    });
    return ForEachBox(meta, [&](uint32_t type, Bytes body) {
      if (type == BoxType("iprp")) return AddSizes(body);
      if (type != BoxType("iloc")) return true;
      return ReadItemLocations(body, AvifCounts::kMaxListed, [&](const ItemLocation& item) {
        const Bytes source = item.in_idat ? idat : file_;
        if (item.extents.size() == 1)
          return work_.Add(Cut(source, item.extents[0].offset, item.extents[0].length));
        std::vector<uint8_t> joined;
        for (const auto& [offset, length] : item.extents) {
          const Bytes part = Cut(source, offset, length);
          joined.insert(joined.end(), part.begin(), part.end());
        }
        return work_.Add(joined);
      });
    });
  }

  // Of each item, by the properties that it is said to have.
  bool AddSizes(Bytes properties) {
    std::vector<uint64_t> areas = {0};  // of each property, from 1; 0 where it is no size
    ForEachBox(properties, [&](uint32_t type, Bytes body) {
      if (type != BoxType("ipco")) return true;
      return ForEachBox(body, [&](uint32_t property, Bytes size) {
        areas.push_back(property == BoxType("ispe") ? ReadField(size, 4, 4) * ReadField(size, 8, 4) : 0);
        return true;
      });
    });
    return ForEachBox(properties, [&](uint32_t type, Bytes body) {
      return type != BoxType("ipma") || AddAssociations(body, areas);
    });
  }

  bool AddAssociations(Bytes body, const std::vector<uint64_t>& areas) {
    const int id_size = ReadField(body, 0, 1) == 0 ? 2 : 4;
    const int index_size = (ReadField(body, 3, 1) & 1) == 0 ? 1 : 2;
    const uint64_t essential = uint64_t{1} << (8 * index_size - 1);
    uint64_t at = 8;
    for (uint64_t items = ReadField(body, 4, 4); items > 0 && at < body.size(); --items) {
      const uint64_t count = ReadField(body, at + id_size, 1);
      at += id_size + 1;
      for (uint64_t i = 0; i < count; ++i, at += index_size) {
        const uint64_t index = ReadField(body, at, index_size) & (essential - 1);
        if (index < areas.size()) item_pixels_ += std::min(areas[index], Av1Work::kMaxCodedPixels + 1);
        if (item_pixels_ > Av1Work::kMaxCodedPixels) return false;
      }
    }
    return true;
  }

  const Bytes file_;
  Av1Work work_;
  uint64_t item_pixels_ = 0;
};

}  // namespace

bool IsAvifWorkBearable(Bytes file) { return WorkWalk(file).Walk(file); }

}  // namespace telltale
