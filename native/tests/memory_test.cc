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

// Returns a JPEG whose decoder must keep all scans, of three full components, until the last one is read.
FileBytes ProgressiveJpeg() {
  jpeg_compress_struct codec{};
  jpeg_error_mgr errors{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &data, &size);
  codec.image_width = codec.image_height = kSide;
  codec.input_components = 3;
  codec.in_color_space = JCS_RGB;
  jpeg_set_defaults(&codec);
  codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = 1;
  jpeg_simple_progression(&codec);
  jpeg_start_compress(&codec, TRUE);
  std::vector<JSAMPLE> row(size_t{kSide} * 3, 90);
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
  const FileBytes jpeg = ProgressiveJpeg();
  const FileBytes png = MakePng(kSide, kSide, {}, size_t{kSide} * (kSide * 3 + 1));
  const FileBytes avif = MakeAvifGrid(4 * 1024, 4 * 1024, 4, 4, {1024, 1024, Av1Stream(1024, 1024, 0)});
  const FileBytes tiff = WideTiff();
  return {jpeg, tiff, avif, png, jpeg, tiff, avif, png};
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
  WorkerPool pool({.task_threads = 8, .source_threads = 0, .queue_limit = 8, .memory_limit = limit}, {});
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
TEST(MeasureDecode, GrowsWithTheImageAndAsksNothingForWhatIsRefused) {
  EXPECT_EQ(MeasureDecode(FileBytes{1, 2, 3}), 0u);
  const FileBytes small = MakePng(600, 600, {}, 600 * 1801), large = MakePng(6000, 600, {}, 600 * 18'001);
  EXPECT_GT(MeasureDecode(large), MeasureDecode(small) + 600 * 5400 * 3);
}

}  // namespace
}  // namespace telltale
