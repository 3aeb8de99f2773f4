// Building hostile files, from scratch or from a test image: false sizes, decompression bombs, endless data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace telltale {

using FileBytes = std::vector<uint8_t>;

// Returns a PNG chunk with its checksum.
FileBytes PngChunk(std::string_view type, const FileBytes& data);

// Returns an RGB PNG of `width` x `height` px. `before` are chunks before the pixels, and the pixels are
// `zeros` compressed zero bytes.
FileBytes MakePng(uint32_t width, uint32_t height, const FileBytes& before, size_t zeros);

// Returns the body of an iCCP or zTXt chunk: `keyword`, and `zeros` compressed zero bytes.
FileBytes DeflatedText(std::string_view keyword, size_t zeros);

// An entry of a TIFF directory (little-endian). For more than four bytes, `value` is the values' offset.
struct TiffEntry {
  uint16_t tag;
  uint16_t type;
  uint32_t count;
  uint32_t value;
};

// Returns a TIFF with a directory of `entries`, in ascending order of tags. `data` lies at kTiffDataOffset.
inline constexpr uint32_t kTiffDataOffset = 8;
FileBytes MakeTiff(const std::vector<TiffEntry>& entries, const FileBytes& data);

// Returns a TIFF with a directory for each of `pages`, in this order.
FileBytes MakeTiffPages(const std::vector<std::vector<TiffEntry>>& pages, const FileBytes& data);

// Returns a box of an AVIF file with the content `parts`, in the second function after a version.
FileBytes Bmff(std::string_view type, const std::vector<FileBytes>& parts);
FileBytes FullBmff(std::string_view type, uint8_t version, const std::vector<FileBytes>& parts);

// Returns `value` as an integer of `size` bytes, highest byte first.
FileBytes BigEndian(uint64_t value, int size);

// Returns `zeros` zero bytes, compressed by zlib.
FileBytes Deflate(size_t zeros);

// Returns `zeros` zero bytes, a multiple of 128 KiB, compressed by Zstandard to four bytes per 128 KiB.
FileBytes ZstdZeros(size_t zeros);

// Returns `jpeg` with its last scan repeated until it has `scans` scans.
FileBytes RepeatLastScan(const FileBytes& jpeg, int scans);

// Returns `jpeg` with another size in its header.
FileBytes WithJpegSize(FileBytes jpeg, uint16_t width, uint16_t height);

// Limits the process to 1 GB and 10 s of work from here on, which is enough for the tested files on any
// machine. Beyond 1 GB, the kernel refuses memory, and Decode would report an internal error. After 10 s, the
// kernel ends the process. Has no effect under sanitizers, which need more memory and time.
void LimitResources();

}  // namespace telltale
