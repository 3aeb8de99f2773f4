// Files that lie, explode or go on for ever, built from scratch or from a fixture.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace telltale {

using FileBytes = std::vector<uint8_t>;

// A PNG chunk with its checksum.
FileBytes PngChunk(std::string_view type, const FileBytes& data);

// An RGB PNG of `width` x `height` px: signature, header, `before`, one IDAT that holds `zeros` zero
// bytes deflated, IEND.
FileBytes MakePng(uint32_t width, uint32_t height, const FileBytes& before, size_t zeros);

// `keyword`, NUL, method 0 and `zeros` zero bytes deflated: the body of an iCCP or zTXt chunk.
FileBytes DeflatedText(std::string_view keyword, size_t zeros);

// Entry of a little-endian TIFF directory; a value of more than four bytes is an offset.
struct TiffEntry {
  uint16_t tag;
  uint16_t type;
  uint32_t count;
  uint32_t value;
};

// A TIFF whose directory has `entries` (ascending tags), with `data` at offset kTiffDataOffset.
inline constexpr uint32_t kTiffDataOffset = 8;
FileBytes MakeTiff(const std::vector<TiffEntry>& entries, const FileBytes& data);

// A box of ISO/IEC 14496-12 around `parts`, and one with `version` before them.
FileBytes Bmff(std::string_view type, const std::vector<FileBytes>& parts);
FileBytes FullBmff(std::string_view type, uint8_t version, const std::vector<FileBytes>& parts);

// An integer of `size` bytes, the highest first.
FileBytes BigEndian(uint64_t value, int size);

// `zeros` zero bytes as a zlib stream.
FileBytes Deflate(size_t zeros);

// `zeros` zero bytes, a multiple of 128 KiB, as a Zstandard frame of four bytes for each 128 KiB.
FileBytes ZstdZeros(size_t zeros);

// `jpeg` (progressive) with its last scan repeated until it has `scans` scans.
FileBytes RepeatLastScan(const FileBytes& jpeg, int scans);

// `jpeg` with another size written into its frame header.
FileBytes WithJpegSize(FileBytes jpeg, uint16_t width, uint16_t height);

// Bounds what the process may take from here on to 1 GB and 10 s of work. No machine needs as much for any of
// the files that are tested so. Beyond the first the kernel refuses memory, which Decode would report as an
// internal error; beyond the second it ends the process. Sanitizers have their own memory and pace: with them
// nothing is bounded.
void LimitResources();

}  // namespace telltale
