// Adding up the streams and image sizes of an AVIF file, which determine the decoder's work.
#include "image/avif_work.h"

#include <map>

#include "image/av1_work.h"
#include "image/avif_boxes.h"
#include "image/avif_counts.h"

namespace telltale {
namespace {

// Tile pixels that are always allowed, so that small images with few large tiles pass. Larger grids are
// limited by CoverLittleMore. In real grids of many tiles, the parts beyond the canvas add less than a
// quarter. Two tiles of the canvas's size are an image and its gain map.
constexpr uint64_t kMaxSparePixels = 16'000'000;

// Maximum memory of the decoder, in bytes: the frames of an image at every limit, and its canvas twice,
// because tiles may have to be scaled.
constexpr uint64_t kMaxHeldBytes = 3 * Av1Work::kMaxCodedBytes;

bool CoverLittleMore(uint64_t tiles, uint64_t tile_pixels, uint64_t canvas_pixels) {
  const uint64_t most = tiles <= 2 ? 2 * canvas_pixels : canvas_pixels + canvas_pixels / 4;
  return tile_pixels <= most + kMaxSparePixels;
}

class WorkWalk {
 public:
  explicit WorkWalk(Bytes file) : file_(file) {}

  // Adds up the work for the boxes in `bytes`. Returns false once a limit is exceeded.
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

  // Returns the decoder's memory for everything found, in bytes. Each image is scaled to the size that the
  // file declares for it, and its samples are as wide as in its stream.
  uint64_t bytes() const { return work_.coded_bytes() + (item_pixels_ * work_.half_bytes_a_pixel() + 1) / 2; }

 private:
  template <typename Visit>
  static bool ForEachBox(Bytes bytes, Visit visit) {
    uint64_t at = 0;
    while (const std::optional<BmffBox> box = ReadBox(bytes, at)) {
      if (!visit(ReadU32Be(bytes, box->type_at), bytes.subspan(box->body, box->end - box->body)))
        return false;
      at = box->end;
    }
    return true;
  }

  // Returns at most `length` bytes from `offset` on, fewer if the file ends before.
  static Bytes Cut(Bytes bytes, uint64_t offset, uint64_t length) {
    const Bytes rest = From(bytes, offset);
    return rest.first(std::min<uint64_t>(length, rest.size()));
  }

  // Adds an image sequence's first frame, at the first offset in the table. If it has two tables, adds both.
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
    areas_.clear();
    const bool have_sizes = ForEachBox(
        meta, [&](uint32_t type, Bytes body) { return type != BoxType("iprp") || AddSizes(body); });
    if (!have_sizes) return false;
    return ForEachBox(meta, [&](uint32_t type, Bytes body) {
      if (type == BoxType("iref")) return HaveBearableTiles(body);
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

  // Adds up the sizes that the file declares for its images.
  bool AddSizes(Bytes properties) {
    std::vector<uint64_t> areas = {0};  // for each property, numbered from 1; 0 if the property is not a size
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
      const uint64_t id = ReadField(body, at, id_size);
      const uint64_t count = ReadField(body, at + id_size, 1);
      at += id_size + 1;
      for (uint64_t i = 0; i < count; ++i, at += index_size) {
        const uint64_t index = ReadField(body, at, index_size) & (essential - 1);
        if (index < areas.size()) {
          const uint64_t area = std::min(areas[index], Av1Work::kMaxCodedPixels + 1);
          item_pixels_ += area;
          areas_[id] = std::max(areas_[id], area);
        }
        if (item_pixels_ > Av1Work::kMaxCodedPixels) return false;
      }
    }
    return true;
  }

  // Checks every image that is composed of others, such as a grid of tiles, whatever type it declares.
  bool HaveBearableTiles(Bytes references) {
    const int id_size = ReadField(references, 0, 1) == 0 ? 2 : 4;
    return ForEachBox(From(references, 4), [&](uint32_t type, Bytes list) {
      if (type != BoxType("dimg")) return true;
      const uint64_t count = ReadField(list, id_size, 2);
      uint64_t pixels = 0;
      for (uint64_t i = 0; i < count; ++i)
        pixels += AreaOf(ReadField(list, id_size + 2 + i * id_size, id_size));
      return CoverLittleMore(count, pixels, AreaOf(ReadField(list, 0, id_size)));
    });
  }

  uint64_t AreaOf(uint64_t id) const {
    const auto found = areas_.find(id);
    return found == areas_.end() ? 0 : found->second;
  }

  const Bytes file_;
  Av1Work work_;
  std::map<uint64_t, uint64_t> areas_;  // areas in pixels of a meta box's items
  uint64_t item_pixels_ = 0;
};

}  // namespace

AvifWork MeasureAvifWork(Bytes file) {
  WorkWalk walk(file);
  const bool is_bearable = walk.Walk(file) && walk.bytes() <= kMaxHeldBytes;
  return {is_bearable, walk.bytes()};
}

}  // namespace telltale
