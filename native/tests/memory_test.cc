// Tests that the files which need most memory, decoded concurrently, stay within their common limit.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>

#include "base/worker_pool.h"
#include "image/decode.h"
#include "image/libjpeg.h"
#include "tests/avif_files.h"
#include "tests/hostile_files.h"

namespace telltale {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kIsSanitized = true;
#else
constexpr bool kIsSanitized = false;
#endif

constexpr int kSide = 4000;

// Returns a JPEG whose decoder must keep all scans, of full components, until the last one is read.
FileBytes ProgressiveJpeg(int components, J_COLOR_SPACE colours) {
  jpeg_compress_struct codec{};
  jpeg_error_mgr errors{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &data, &size);
  codec.image_width = codec.image_height = kSide;
  codec.input_components = components;
  codec.in_color_space = colours;
  jpeg_set_defaults(&codec);
  codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = 1;
  jpeg_simple_progression(&codec);
  jpeg_start_compress(&codec, TRUE);
  std::vector<JSAMPLE> row(size_t{kSide} * components, 90);
  while (codec.next_scanline < codec.image_height) {
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&codec, rows, 1);
  }
  jpeg_finish_compress(&codec);
  FileBytes file(data, data + size);
  jpeg_destroy_compress(&codec);
  std::free(data);
  return file;
}

FileBytes RgbJpeg() { return ProgressiveJpeg(3, JCS_RGB); }
FileBytes CmykJpeg() { return ProgressiveJpeg(4, JCS_CMYK); }

// Writes the bits of lossless WebP data, lowest bit first.
class BitWriter {
 public:
  void Put(uint32_t value, int count) {
    for (int i = 0; i < count; ++i) {
      if (used_++ % 8 == 0) bytes_.push_back(0);
      bytes_.back() |= static_cast<uint8_t>((value >> i & 1) << ((used_ - 1) % 8));
    }
  }
  // Puts a Huffman code, whose highest bit comes first.
  void PutCode(uint32_t code, int count) {
    for (int i = count - 1; i >= 0; --i) Put(code >> i, 1);
  }
  // Puts a code that consists of the symbol 0, which then needs no bits.
  void PutConstant() { Put(1, 4); }
  // Puts a code in which the first 256 of 256 + `others` symbols have eight bits each.
  void PutByteCode(int others) {
    Put(0, 1);
    Put(12 - 4, 4);  // lengths of the codes for the lengths 17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7 and 8
    for (const int length : {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}) Put(static_cast<uint32_t>(length), 3);
    Put(0, 1);
    for (int i = 0; i < 256; ++i) Put(1, 1);
    for (int i = 0; i < others; ++i) Put(0, 1);
  }
  FileBytes bytes() const { return bytes_; }

 private:
  FileBytes bytes_;
  size_t used_ = 0;
};

// Returns a chunk of a WebP file with the content `parts`, of an even size.
FileBytes WebpChunk(std::string_view type, const std::vector<FileBytes>& parts) {
  FileBytes body;
  for (const FileBytes& part : parts) body.insert(body.end(), part.begin(), part.end());
  FileBytes chunk(type.begin(), type.end());
  for (int i = 0; i < 4; ++i) chunk.push_back(static_cast<uint8_t>(body.size() >> (8 * i)));
  chunk.insert(chunk.end(), body.begin(), body.end());
  return chunk;
}

FileBytes MakeWebp(const std::vector<FileBytes>& chunks) {
  std::vector<FileBytes> parts = {{'W', 'E', 'B', 'P'}};
  parts.insert(parts.end(), chunks.begin(), chunks.end());
  return WebpChunk("RIFF", parts);
}

// Returns a lossless WebP of 512 x 512 px with Huffman codes of its own for each block of 4 x 4 px.
FileBytes ManyCodesWebp() {
  constexpr uint32_t kWebpSide = 512, kGroups = (kWebpSide / 4) * (kWebpSide / 4), kLengthCodes = 24;
  BitWriter bits;
  bits.Put(0x2F, 8);
  bits.Put(kWebpSide - 1, 14);
  bits.Put(kWebpSide - 1, 14);
  bits.Put(0, 1 + 3 + 1);  // no alpha, version 0, no transforms
  bits.Put(0, 1);          // no colour cache
  bits.Put(1, 1);          // groups of codes, by an image of their numbers with a pixel for each 4 x 4 px
  bits.Put(0, 3 + 1);      // that image has no colour cache either
  bits.PutByteCode(kLengthCodes);
  bits.PutByteCode(0);
  for (int i = 0; i < 3; ++i) bits.PutConstant();
  for (uint32_t group = 0; group < kGroups; ++group) {
    bits.PutCode(group & 0xFF, 8);
    bits.PutCode(group >> 8, 8);
  }
  for (uint32_t code = 0; code < 5 * kGroups; ++code) bits.PutConstant();
  FileBytes data = bits.bytes();
  data.resize((data.size() + 9) / 2 * 2);  // the decoder reads ahead
  return MakeWebp({WebpChunk("VP8L", {data})});
}

// Returns a TIFF with eight 16-bit samples per pixel, in strips of 1000 rows.
FileBytes WideTiff() {
  constexpr uint32_t kRows = 1000, kSamples = 8, kStrips = kSide / kRows;
  const FileBytes strip = Deflate(size_t{kSide} * kRows * kSamples * 2);
  const auto size = static_cast<uint32_t>(strip.size());
  FileBytes data = strip;
  const auto append = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) data.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  const uint32_t bits = kTiffDataOffset + size, offsets = bits + 2 * kSamples, sizes = offsets + 4 * kStrips;
  for (uint32_t i = 0; i < kSamples; ++i) append(16, 2);
  // All strips refer to the same bytes. This is allowed because the file is as large as all strips together.
  for (uint32_t i = 0; i < kStrips; ++i) append(kTiffDataOffset, 4);
  for (uint32_t i = 0; i < kStrips; ++i) append(size, 4);
  data.resize(data.size() + size_t{size} * kStrips);
  return MakeTiff({{256, 3, 1, kSide},
                   {257, 3, 1, kSide},
                   {258, 3, kSamples, bits},
                   {259, 3, 1, 8},
                   {262, 3, 1, 2},
                   {273, 4, kStrips, offsets},
                   {277, 3, 1, kSamples},
                   {278, 3, 1, kRows},
                   {279, 4, kStrips, sizes}},
                  data);
}

std::vector<FileBytes> WorstFiles() {
  const FileBytes jpeg = RgbJpeg();
  const FileBytes png = MakePng(kSide, kSide, {}, size_t{kSide} * (kSide * 3 + 1));
  const FileBytes avif = MakeAvifGrid(4 * 1024, 4 * 1024, 4, 4, {1024, 1024, Av1Stream(1024, 1024, 0)});
  const FileBytes tiff = WideTiff();
  // The largest files come first, because the allocator keeps some memory of each file for its thread.
  return {ManyCodesWebp(), CmykJpeg(), jpeg, tiff, avif, png, jpeg, tiff, avif, png};
}

uint64_t DataBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Memory allowed beyond the limit, for the stacks of eight threads and for memory that allocators keep.
constexpr uint64_t kSlackBytes = 160'000'000;

// Decodes all files concurrently on eight threads that share the memory `limit`. The process itself may use
// only `bytes` more than before. Returns the number of files for which memory ran out.
int CountStarved(const std::vector<FileBytes>& files, uint64_t limit, uint64_t bytes) {
  const rlimit most{DataBytes() + bytes + kSlackBytes, DataBytes() + bytes + kSlackBytes};
  setrlimit(RLIMIT_DATA, &most);
  std::atomic<int> starved = 0;
  const auto count = static_cast<int>(files.size());
  WorkerPool pool({.task_threads = 8, .source_threads = 0, .queue_limit = count, .memory_limit = limit}, {});
  for (const FileBytes& file : files) {
    const auto decode = [&] { starved += !Decode(file).ok(); };
    if (pool.TryPost(decode, [&] { return MeasureDecode(file); }) != PushResult::kAccepted) return -1;
  }
  pool.Close();
  return starved;
}

// Returns true if the process ran out of memory, in a decoder or elsewhere.
bool Starved(int status) { return !WIFEXITED(status) || WEXITSTATUS(status) != 0; }

TEST(MemoryBudgetDeathTest, HoldsForTheWorstFilesAtOnce) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  const std::vector<FileBytes> files = WorstFiles();
  constexpr uint64_t kBudget = 350'000'000;
  EXPECT_EXIT(_exit(CountStarved(files, kBudget, kBudget)), testing::ExitedWithCode(0), "");
  // Without the common limit, the files do not fit. This shows that the limit of the process works.
  EXPECT_EXIT(_exit(CountStarved(files, UINT64_MAX, kBudget) > 0), Starved, "");
}

// Decoding a file needs at most the memory that MeasureDecode returns.
TEST(MemoryBudgetDeathTest, MeasuresWhatADecodeTakes) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  for (const FileBytes& file : WorstFiles()) {
    const uint64_t bytes = MeasureDecode(file);
    EXPECT_GT(bytes, 0u);
    EXPECT_EXIT(_exit(CountStarved({file}, bytes, bytes)), testing::ExitedWithCode(0), "");
  }
}

TEST(MeasureDecode, CountsTheFourComponentsOfACmykJpeg) {
  constexpr uint64_t kPixels = uint64_t{kSide} * kSide;
  EXPECT_GE(MeasureDecode(CmykJpeg()), 11 * kPixels);
  EXPECT_LT(MeasureDecode(RgbJpeg()), 11 * kPixels);
}

// Only the headers of these files are valid, which is enough for MeasureDecode.
TEST(MeasureDecode, CountsTheCodesOfLosslessWebp) {
  constexpr size_t kDataBytes = 100'000;
  constexpr uint64_t kGroups = kDataBytes * 8 / 20, kCodeBytes = kGroups * 5'600;
  const FileBytes header = WebpChunk("VP8X", {{0, 0, 0, 0, 0xFF, 3, 0, 0xFF, 3, 0}});  // 1024 x 1024 px
  const FileBytes lossy = WebpChunk("VP8 ", {FileBytes(kDataBytes)});
  const FileBytes lossless = WebpChunk("VP8L", {FileBytes(kDataBytes)});
  const auto measure_alpha = [&](uint8_t method) {
    return MeasureDecode(MakeWebp({header, WebpChunk("ALPH", {{method}, FileBytes(kDataBytes - 1)}), lossy}));
  };
  const auto measure_frame = [&](const FileBytes& image) {
    return MeasureDecode(MakeWebp({header, WebpChunk("ANMF", {FileBytes(16), image})}));
  };
  const auto measure_tiff = [&](uint32_t compression) {
    return MeasureDecode(MakeTiff({{256, 3, 1, 1024},
                                   {257, 3, 1, 1024},
                                   {258, 3, 1, 8},
                                   {259, 3, 1, compression},
                                   {262, 3, 1, 1},
                                   {273, 4, 1, kTiffDataOffset},
                                   {277, 3, 1, 1},
                                   {279, 4, 1, kDataBytes}},
                                  FileBytes(kDataBytes)));
  };
  const uint64_t plain = MeasureDecode(MakeWebp({header, lossy}));
  EXPECT_GT(plain, 0u);
  EXPECT_GE(MeasureDecode(MakeWebp({header, lossless})), plain + kCodeBytes);
  EXPECT_EQ(measure_alpha(0), plain);
  EXPECT_GE(measure_alpha(1), plain + kCodeBytes);
  EXPECT_EQ(measure_frame(lossy), plain);
  EXPECT_GE(measure_frame(lossless), plain + kCodeBytes);
  EXPECT_GE(measure_tiff(50'001), measure_tiff(8) + kCodeBytes);
}

TEST(MeasureDecode, GrowsWithTheImageAndAsksNothingForWhatIsRefused) {
  EXPECT_EQ(MeasureDecode(FileBytes{1, 2, 3}), 0u);
  const FileBytes small = MakePng(600, 600, {}, 600 * 1801), large = MakePng(6000, 600, {}, 600 * 18'001);
  EXPECT_GT(MeasureDecode(large), MeasureDecode(small) + 600 * 5400 * 3);
}

}  // namespace
}  // namespace telltale
