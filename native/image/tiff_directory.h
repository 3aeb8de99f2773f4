// Image file directories of TIFF: in the header of a TIFF file and in an EXIF block.
#pragma once

#include <optional>

#include "image/byte_reader.h"

namespace telltale {

// Maximum pages counted. Chosen: far beyond any document; a circular chain ends here.
inline constexpr int kMaxCountedPages = 1000;

// A classic TIFF or BigTIFF directory, read in place without copying. Owns no memory.
class TiffDirectory {
 public:
  // Returns the first directory of `bytes`, which start with a TIFF header. Returns nullopt without such a
  // header or if the directory is not completely inside `bytes`.
  static std::optional<TiffDirectory> First(Bytes bytes);

  // Returns the directory that is judged: the first, or, if the first is a thumbnail, the largest later page
  // or child that is not a thumbnail. Returns nullopt without a first directory.
  static std::optional<TiffDirectory> Main(Bytes bytes);

  // Returns true if the directory declares a smaller version of another page.
  bool IsReduced() const;

  // Returns the same directory in `bytes`, a copy of the file.
  TiffDirectory In(Bytes bytes) const {
    TiffDirectory copy = *this;
    copy.bytes_ = bytes;
    return copy;
  }

  // Returns the offset in the file.
  uint64_t offset() const { return offset_; }

  ByteOrder order() const { return order_; }

  // Returns the next directory, or nullopt at the end of the chain or if the link is invalid.
  std::optional<TiffDirectory> Next() const;

  // Returns child `index` of the entry SubIFDs, or nullopt if there are fewer children or the child is not
  // inside the file.
  std::optional<TiffDirectory> Child(uint64_t index) const;

  // Returns true if the link to the next directory lies inside the file.
  bool HasLink() const { return Holds(bytes_, link(), link_size()); }

  // Returns the directory at `offset` of the same bytes, or nullopt if it is not completely inside them.
  std::optional<TiffDirectory> At(uint64_t offset) const;

  bool Has(uint16_t tag) const;

  // Returns the number of values of `tag`; 0 without an entry.
  uint64_t Count(uint16_t tag) const;

  // Returns value `index` of `tag`, or nullopt unless the type is BYTE, SHORT, LONG, IFD or (BigTIFF) LONG8
  // or IFD8 and the value lies inside the file.
  std::optional<uint64_t> Value(uint16_t tag, uint64_t index = 0) const;

  // Returns the sum of the values of `tag`, read as unsigned and capped at 2^64 - 1. Returns 0 if they do not
  // lie inside the file.
  uint64_t Sum(uint16_t tag) const;

  // Returns the bytes that the entries declare for values stored outside the directory, counting each entry
  // separately, capped at 2^64 - 1.
  uint64_t OuterBytes() const;

  // Returns the bytes of all values of `tag`, of any type, if they lie inside the file.
  std::optional<Bytes> Data(uint16_t tag) const;

 private:
  TiffDirectory(Bytes bytes, ByteOrder order, bool big) : bytes_(bytes), order_(order), big_(big) {}
  bool MoveTo(uint64_t offset);
  std::optional<uint64_t> FindEntry(uint16_t tag) const;
  uint64_t entry_size() const { return big_ ? 20 : 12; }
  uint64_t count_size() const { return big_ ? 8 : 2; }
  uint64_t link() const { return offset_ + count_size() + entry_count_ * entry_size(); }
  int link_size() const { return big_ ? 8 : 4; }

  Bytes bytes_;
  ByteOrder order_;
  bool big_;
  uint64_t offset_ = 0;
  uint64_t entry_count_ = 0;
};

}  // namespace telltale
