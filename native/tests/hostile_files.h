// Builders of malicious files, from scratch or from a fixture: false sizes, decompression bombs, endless
// data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace telltale {

using FileBytes = std::vector<uint8_t>;

// Returns a PNG chunk with its checksum.
FileBytes PngChunk(std::string_view type, const FileBytes& data);

// Returns an RGB PNG of `width` x `height` px: signature, header, `before`, one IDAT with `zeros` deflated
// zero bytes, IEND.
FileBytes MakePng(uint32_t width, uint32_t height, const FileBytes& before, size_t zeros);

// Returns `keyword`, NUL, method 0 and `zeros` deflated zero bytes: the body of an iCCP or zTXt chunk.
FileBytes DeflatedText(std::string_view keyword, size_t zeros);

// Entry of a little-endian TIFF directory. For more than four bytes, the value is an offset.
struct TiffEntry {
  uint16_t tag;
  uint16_t type;
  uint32_t count;
  uint32_t value;
};

// Returns a TIFF whose directory has `entries` (ascending tags), with `data` at offset kTiffDataOffset.
inline constexpr uint32_t kTiffDataOffset = 8;
FileBytes MakeTiff(const std::vector<TiffEntry>& entries, const FileBytes& data);

// Returns an ISO/IEC 14496-12 box around `parts`; the second function puts a version before them.
FileBytes Bmff(std::string_view type, const std::vector<FileBytes>& parts);
FileBytes FullBmff(std::string_view type, uint8_t version, const std::vector<FileBytes>& parts);

// Returns an integer of `size` bytes, highest byte first.
FileBytes BigEndian(uint64_t value, int size);

// Returns `zeros` zero bytes as a zlib stream.
FileBytes Deflate(size_t zeros);

// Returns `zeros` zero bytes, a multiple of 128 KiB, as a Zstandard frame of four bytes per 128 KiB.
FileBytes ZstdZeros(size_t zeros);

// Returns `jpeg` (progressive) with its last scan repeated until it has `scans` scans.
FileBytes RepeatLastScan(const FileBytes& jpeg, int scans);

// Returns `jpeg` with another size in its frame header.
FileBytes WithJpegSize(FileBytes jpeg, uint16_t width, uint16_t height);

// Limits the process to 1 GB and 10 s of work from here on, which suffices on any machine for the tested
// files. Beyond the first limit, the kernel refuses memory, which Decode would report as an internal error.
// Beyond the second, the kernel ends the process. Has no effect under sanitizers, which have their own memory
// use and speed.
void LimitResources();

}  // namespace telltale
