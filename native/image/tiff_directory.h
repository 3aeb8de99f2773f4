// Directories of TIFF files and EXIF blocks: lists of tags with values that describe a page.
#pragma once

#include <optional>

#include "image/byte_reader.h"

namespace telltale {

// Maximum pages counted, because links may form a circle. No real document has nearly as many pages.
inline constexpr int kMaxCountedPages = 1000;

// A directory of TIFF or BigTIFF. Reads the file's bytes in place and copies nothing.
class TiffDirectory {
 public:
  // Returns the first directory of `bytes`. Returns nullopt if the TIFF header is missing or the directory is
  // not completely inside `bytes`.
  static std::optional<TiffDirectory> First(Bytes bytes);

  // Returns the directory of the page that is judged: the first page, unless it is a thumbnail. In that case,
  // returns the largest page or child that is not a thumbnail. Returns nullopt without a first directory.
  static std::optional<TiffDirectory> Main(Bytes bytes);

  // Returns true if the page is declared as a smaller version of another page, such as a thumbnail.
  bool IsReduced() const;

  // Returns the same directory for `bytes`, a copy of the file.
  TiffDirectory In(Bytes bytes) const {
    TiffDirectory copy = *this;
    copy.bytes_ = bytes;
    return copy;
  }

  // Returns the directory's offset in the file.
  uint64_t offset() const { return offset_; }

  ByteOrder order() const { return order_; }

  // Returns the next directory. Returns nullopt after the last one, or if the link is invalid.
  std::optional<TiffDirectory> Next() const;

  // Returns a child from the tag SubIFDs, or nullopt if it does not exist or is not inside the file.
  std::optional<TiffDirectory> Child(uint64_t index) const;

  // Returns true if the file does not end before the link to the next directory.
  bool HasLink() const { return Holds(bytes_, link(), link_size()); }

  // Returns the directory at `offset` of the file. Returns nullopt if it is not completely inside the file.
  std::optional<TiffDirectory> At(uint64_t offset) const;

  bool Has(uint16_t tag) const;

  // Returns the number of values of `tag`. Returns 0 if the directory lacks the tag.
  uint64_t Count(uint16_t tag) const;

  // Returns value `index` of `tag`. Returns nullopt if the value is not inside the file or not an integer
  // (BYTE, SHORT, LONG, IFD; in BigTIFF also LONG8, IFD8).
  std::optional<uint64_t> Value(uint16_t tag, uint64_t index = 0) const;

  // Returns the sum of the values of `tag`, at most 2^64 - 1. Returns 0 if they are not inside the file.
  uint64_t Sum(uint16_t tag) const;

  // Returns the bytes that all entries together claim for values outside the directory, at most 2^64 - 1.
  uint64_t OuterBytes() const;

  // Returns the bytes of all values of `tag`, of any type, or nullopt if they are not inside the file.
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
