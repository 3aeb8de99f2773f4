// Image file directories of TIFF: the header of a TIFF file and the body of an EXIF block.
#pragma once

#include <optional>

#include "image/byte_reader.h"

namespace telltale {

// Chosen: far beyond any document, and a chain that runs in a circle ends here.
inline constexpr int kMaxCountedPages = 1000;

// Reads classic TIFF and BigTIFF directories where they lie, without copying. Holds no memory.
class TiffDirectory {
 public:
  // The first directory of `bytes`, which start with a TIFF header. Nothing if there is no such
  // header or the directory is not wholly inside `bytes`.
  static std::optional<TiffDirectory> First(Bytes bytes);

  // The directory that is judged: the first. If that holds a thumbnail: the largest later page or child that
  // is none. Nothing if there is no first one.
  static std::optional<TiffDirectory> Main(Bytes bytes);

  // Whether it holds a smaller version of another page, as its writer declares.
  bool IsReduced() const;

  // The same directory of `bytes`, a copy of the file.
  TiffDirectory In(Bytes bytes) const {
    TiffDirectory copy = *this;
    copy.bytes_ = bytes;
    return copy;
  }

  // Bytes from the start of the file.
  uint64_t offset() const { return offset_; }

  ByteOrder order() const { return order_; }

  // The directory after this one. Nothing at the end of the chain, and where it points to none.
  std::optional<TiffDirectory> Next() const;

  // Child `index`, as its entry SubIFDs lists them. Nothing if there are fewer, or it is not inside the file.
  std::optional<TiffDirectory> Child(uint64_t index) const;

  // Whether the link to the next directory lies inside the file.
  bool HasLink() const { return Holds(bytes_, link(), link_size()); }

  // The directory at `offset` of the same bytes. Nothing if it is not wholly inside them.
  std::optional<TiffDirectory> At(uint64_t offset) const;

  // Whether `tag` has an entry.
  bool Has(uint16_t tag) const;

  // How many values `tag` has; 0 without an entry.
  uint64_t Count(uint16_t tag) const;

  // Value `index` of `tag`, where it is a BYTE, SHORT, LONG, IFD or (BigTIFF) LONG8 or IFD8 and lies inside
  // the file.
  std::optional<uint64_t> Value(uint16_t tag, uint64_t index = 0) const;

  // The sum of the values of `tag`, taken for unsigned, at most 2^64 - 1; 0 if they do not lie inside the
  // file.
  uint64_t Sum(uint16_t tag) const;

  // How many bytes the entries declare for values that lie elsewhere, each entry by itself, at most 2^64 - 1.
  uint64_t OuterBytes() const;

  // The bytes of all values of `tag`, of any type, where they lie inside the file.
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
