// Reading directories, the lists of a TIFF page's properties (TIFF 6.0 and BigTIFF specifications).
#include "image/tiff_directory.h"

namespace telltale {
namespace {

// Maximum entries per directory. Real directories have some dozens, and each lookup reads all entries.
constexpr uint64_t kMaxEntries = 4096;

// Bytes of one value, by type; 0: no such type. Source: TIFF 6.0, section 2, and BigTIFF.
constexpr uint8_t kSizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};

uint64_t SizeOf(uint64_t type) { return type < sizeof(kSizes) ? kSizes[type] : 0; }

uint64_t AddSaturated(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

}  // namespace

std::optional<TiffDirectory> TiffDirectory::First(Bytes bytes) {
  if (!Holds(bytes, 0, 8)) return std::nullopt;
  ByteOrder order;
  if (HasText(bytes, 0, "II")) {
    order = ByteOrder::kLittle;
  } else if (HasText(bytes, 0, "MM")) {
    order = ByteOrder::kBig;
  } else {
    return std::nullopt;
  }
  const uint64_t magic = ReadUint(bytes, 2, 2, order);
  if (magic != 42 && magic != 43) return std::nullopt;
  TiffDirectory directory(bytes, order, magic == 43);
  if (directory.big_ && (!Holds(bytes, 0, 16) || ReadUint(bytes, 4, 2, order) != 8)) return std::nullopt;
  const uint64_t first = directory.big_ ? ReadUint(bytes, 8, 8, order) : ReadUint(bytes, 4, 4, order);
  if (!directory.MoveTo(first)) return std::nullopt;
  return directory;
}

std::optional<TiffDirectory> TiffDirectory::Main(Bytes bytes) {
  const std::optional<TiffDirectory> first = First(bytes);
  if (!first || !first->IsReduced()) return first;
  constexpr uint16_t kWidth = 256, kHeight = 257;
  const auto area = [](const TiffDirectory& page) {
    const uint64_t width = page.Value(kWidth).value_or(0), height = page.Value(kHeight).value_or(0);
    return (width >> 32 | height >> 32) != 0 ? 0 : width * height;
  };
  TiffDirectory main = *first;
  int read = 0;
  const auto consider = [&](const TiffDirectory& page) {
    ++read;
    if (!page.IsReduced() && area(page) > area(main)) main = page;
  };
  for (auto page = first; page && read < kMaxCountedPages; page = page->Next()) {
    consider(*page);
    for (uint64_t i = 0; read < kMaxCountedPages; ++i) {
      const std::optional<TiffDirectory> child = page->Child(i);
      if (!child) break;
      consider(*child);
    }
  }
  return main;
}

std::optional<TiffDirectory> TiffDirectory::Child(uint64_t index) const {
  constexpr uint16_t kSubDirectories = 330;
  const std::optional<uint64_t> offset = Value(kSubDirectories, index);
  return offset ? At(*offset) : std::nullopt;
}

bool TiffDirectory::IsReduced() const {
  constexpr uint16_t kNewSubfileType = 254, kSubfileType = 255;
  return (Value(kNewSubfileType).value_or(0) & 1) != 0 || Value(kSubfileType).value_or(1) == 2;
}

bool TiffDirectory::MoveTo(uint64_t offset) {
  if (!Holds(bytes_, offset, count_size())) return false;
  const uint64_t count = ReadUint(bytes_, offset, static_cast<int>(count_size()), order_);
  const uint64_t room = (bytes_.size() - offset - count_size()) / entry_size();
  if (count == 0 || count > room || count > kMaxEntries) return false;
  offset_ = offset;
  entry_count_ = count;
  return true;
}

std::optional<TiffDirectory> TiffDirectory::Next() const {
  if (!HasLink()) return std::nullopt;
  const uint64_t next = ReadUint(bytes_, link(), link_size(), order_);
  return next == 0 ? std::nullopt : At(next);
}

std::optional<uint64_t> TiffDirectory::FindEntry(uint16_t tag) const {
  for (uint64_t i = 0; i < entry_count_; ++i) {
    const uint64_t entry = offset_ + count_size() + i * entry_size();
    if (ReadUint(bytes_, entry, 2, order_) == tag) return entry;
  }
  return std::nullopt;
}

std::optional<TiffDirectory> TiffDirectory::At(uint64_t offset) const {
  TiffDirectory directory = *this;
  if (directory.MoveTo(offset)) return directory;
  return std::nullopt;
}

bool TiffDirectory::Has(uint16_t tag) const { return FindEntry(tag).has_value(); }

uint64_t TiffDirectory::Count(uint16_t tag) const {
  const std::optional<uint64_t> entry = FindEntry(tag);
  return entry ? ReadUint(bytes_, *entry + 4, big_ ? 8 : 4, order_) : 0;
}

std::optional<uint64_t> TiffDirectory::Value(uint16_t tag, uint64_t index) const {
  const std::optional<uint64_t> entry = FindEntry(tag);
  if (!entry) return std::nullopt;
  const uint64_t type = ReadUint(bytes_, *entry + 2, 2, order_);
  const uint64_t count = ReadUint(bytes_, *entry + 4, big_ ? 8 : 4, order_);
  const bool is_long = type == 4 || type == 13, is_long8 = big_ && (type == 16 || type == 18);
  const int size = type == 1 ? 1 : type == 3 ? 2 : is_long ? 4 : is_long8 ? 8 : 0;
  if (size == 0 || index >= count || count > bytes_.size()) return std::nullopt;
  const int field_size = big_ ? 8 : 4;
  const uint64_t field = *entry + (big_ ? 12 : 8);
  const bool in_entry = count * size <= static_cast<uint64_t>(field_size);
  const uint64_t values = in_entry ? field : ReadUint(bytes_, field, field_size, order_);
  if (!Holds(bytes_, values, count * size)) return std::nullopt;
  return ReadUint(bytes_, values + index * size, size, order_);
}

uint64_t TiffDirectory::Sum(uint16_t tag) const {
  const std::optional<Bytes> data = Data(tag);
  if (!data || data->empty()) return 0;
  const uint64_t size = data->size() / Count(tag);
  uint64_t sum = 0;
  for (uint64_t at = 0; at < data->size(); at += size) {
    sum = AddSaturated(sum, ReadUint(*data, at, static_cast<int>(size), order_));
  }
  return sum;
}

uint64_t TiffDirectory::OuterBytes() const {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < entry_count_; ++i) {
    const uint64_t entry = offset_ + count_size() + i * entry_size();
    const uint64_t size = SizeOf(ReadUint(bytes_, entry + 2, 2, order_));
    const uint64_t count = ReadUint(bytes_, entry + 4, big_ ? 8 : 4, order_);
    const uint64_t bytes = size > 0 && count > UINT64_MAX / size ? UINT64_MAX : count * size;
    if (bytes > (big_ ? 8 : 4)) sum = AddSaturated(sum, bytes);
  }
  return sum;
}

std::optional<Bytes> TiffDirectory::Data(uint16_t tag) const {
  const std::optional<uint64_t> entry = FindEntry(tag);
  if (!entry) return std::nullopt;
  const uint64_t type = ReadUint(bytes_, *entry + 2, 2, order_);
  const uint64_t count = ReadUint(bytes_, *entry + 4, big_ ? 8 : 4, order_);
  if (SizeOf(type) == 0 || count > bytes_.size()) return std::nullopt;
  const uint64_t size = count * SizeOf(type);
  const uint64_t field_size = big_ ? 8 : 4;
  const uint64_t field = *entry + (big_ ? 12 : 8);
  const uint64_t values =
      size <= field_size ? field : ReadUint(bytes_, field, static_cast<int>(field_size), order_);
  if (!Holds(bytes_, values, size)) return std::nullopt;
  return bytes_.subspan(values, size);
}

}  // namespace telltale
