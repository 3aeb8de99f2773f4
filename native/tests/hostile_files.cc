// Building hostile files.
#include "tests/hostile_files.h"

#include <sys/resource.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "tests/fixtures.h"

namespace telltale {
namespace {

void Append(FileBytes* file, const FileBytes& part) {
  for (const uint8_t byte : part) file->push_back(byte);
}

void AppendBe(FileBytes* file, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) file->push_back(static_cast<uint8_t>(value >> shift));
}

void AppendLe(FileBytes* file, uint32_t value, int size) {
  for (int i = 0; i < size; ++i) file->push_back(static_cast<uint8_t>(value >> (8 * i)));
}

// Compresses `zeros` zero bytes by Deflate, without a header. `flush` says how the block ends.
FileBytes DeflateBlock(size_t zeros, int flush) {
  FileBytes plain(zeros);
  FileBytes packed(zeros / 500 + 100);
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) std::abort();
  stream.next_in = plain.data();
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, flush) < Z_OK || stream.avail_out == 0) std::abort();
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Returns the position at which the last scan of a JPEG starts.
size_t LastScan(const FileBytes& jpeg) {
  for (size_t at = jpeg.size() - 1; at-- > 0;) {
    if (jpeg[at] == 0xFF && jpeg[at + 1] == 0xDA) return at;
  }
  std::abort();
}

}  // namespace

FileBytes PngChunk(std::string_view type, const FileBytes& data) {
  FileBytes chunk;
  AppendBe(&chunk, static_cast<uint32_t>(data.size()));
  Append(&chunk, FileBytes(type.begin(), type.end()));
  Append(&chunk, data);
  AppendBe(&chunk, Crc32(chunk.data() + 4, chunk.size() - 4));
  return chunk;
}

FileBytes Deflate(size_t zeros) {
  // Blocks that end in a full flush are independent. One block is therefore compressed and then repeated.
  constexpr size_t kBlock = 1 << 20;
  const FileBytes packed_block = DeflateBlock(std::min(zeros, kBlock), Z_FULL_FLUSH);
  const FileBytes packed_rest = DeflateBlock(zeros % kBlock, Z_FINISH);
  FileBytes packed = {0x78, 0x9C};
  for (size_t i = 0; i < zeros / kBlock; ++i) Append(&packed, packed_block);
  Append(&packed, packed_rest);
  AppendBe(&packed, static_cast<uint32_t>(zeros % 65521 << 16 | 1));  // Adler-32 of zeros
  return packed;
}

FileBytes DeflatedText(std::string_view keyword, size_t zeros) {
  FileBytes body(keyword.begin(), keyword.end());
  body.push_back(0);
  body.push_back(0);
  Append(&body, Deflate(zeros));
  return body;
}

FileBytes MakePng(uint32_t width, uint32_t height, const FileBytes& before, size_t zeros) {
  FileBytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  FileBytes header;
  AppendBe(&header, width);
  AppendBe(&header, height);
  Append(&header, {8, 2, 0, 0, 0});
  Append(&file, PngChunk("IHDR", header));
  Append(&file, before);
  Append(&file, PngChunk("IDAT", Deflate(zeros)));
  Append(&file, PngChunk("IEND", {}));
  return file;
}

FileBytes MakeTiff(const std::vector<TiffEntry>& entries, const FileBytes& data) {
  return MakeTiffPages({entries}, data);
}

FileBytes MakeTiffPages(const std::vector<std::vector<TiffEntry>>& pages, const FileBytes& data) {
  FileBytes file = {'I', 'I', 42, 0};
  AppendLe(&file, static_cast<uint32_t>(kTiffDataOffset + data.size()), 4);
  Append(&file, data);
  for (const std::vector<TiffEntry>& entries : pages) {
    AppendLe(&file, static_cast<uint32_t>(entries.size()), 2);
    for (const TiffEntry& entry : entries) {
      AppendLe(&file, entry.tag, 2);
      AppendLe(&file, entry.type, 2);
      AppendLe(&file, entry.count, 4);
      AppendLe(&file, entry.value, 4);
    }
    const bool is_last = &entries == &pages.back();
    AppendLe(&file, is_last ? 0 : static_cast<uint32_t>(file.size() + 4), 4);
  }
  return file;
}

FileBytes BigEndian(uint64_t value, int size) {
  FileBytes bytes;
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
    bytes.push_back(static_cast<uint8_t>(value >> shift));
  return bytes;
}

FileBytes Bmff(std::string_view type, const std::vector<FileBytes>& parts) {
  FileBytes body(type.begin(), type.end());
  for (const FileBytes& part : parts) Append(&body, part);
  FileBytes box = BigEndian(body.size() + 4, 4);
  Append(&box, body);
  return box;
}

FileBytes FullBmff(std::string_view type, uint8_t version, const std::vector<FileBytes>& parts) {
  std::vector<FileBytes> all = {BigEndian(uint64_t{version} << 24, 4)};
  all.insert(all.end(), parts.begin(), parts.end());
  return Bmff(type, all);
}

FileBytes ZstdZeros(size_t zeros) {
  constexpr uint32_t kBlock = 128 * 1024, kRunLength = 1, kLast = 1;
  FileBytes frame = {0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3};  // no checksum, no size, a window of 128 KiB
  for (size_t left = zeros / kBlock; left-- > 0;) {
    AppendLe(&frame, kBlock << 3 | kRunLength << 1 | (left == 0 ? kLast : 0), 3);
    frame.push_back(0);
  }
  return frame;
}

FileBytes RepeatLastScan(const FileBytes& jpeg, int scans) {
  const auto last = jpeg.begin() + static_cast<std::ptrdiff_t>(LastScan(jpeg));
  const FileBytes scan(last, jpeg.end() - 2);  // without the end-of-image marker
  FileBytes file(jpeg.begin(), last);
  for (int i = 0; i < scans; ++i) Append(&file, scan);
  Append(&file, {0xFF, 0xD9});
  return file;
}

FileBytes WithJpegSize(FileBytes jpeg, uint16_t width, uint16_t height) {
  for (size_t at = 2; at + 9 < jpeg.size(); at += 2u + (jpeg[at + 2] << 8 | jpeg[at + 3])) {
    if (jpeg[at + 1] < 0xC0 || jpeg[at + 1] > 0xC2) continue;
    const uint8_t size[] = {static_cast<uint8_t>(height >> 8), static_cast<uint8_t>(height),
                            static_cast<uint8_t>(width >> 8), static_cast<uint8_t>(width)};
    std::copy(std::begin(size), std::end(size), jpeg.begin() + static_cast<std::ptrdiff_t>(at) + 5);
    return jpeg;
  }
  std::abort();
}

void LimitResources() {
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit memory{1'000'000'000, 1'000'000'000};
  setrlimit(RLIMIT_DATA, &memory);
  const rlimit seconds{10, 10};
  setrlimit(RLIMIT_CPU, &seconds);
#endif
}

}  // namespace telltale
