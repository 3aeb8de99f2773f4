// Tests of reading the header of each test image, of C2PA manifests inserted into them, and of refused files.
#include "image/sniff.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "image/avif_reader.h"
#include "tests/fixtures.h"
#include "tests/hostile_files.h"
#include "tests/scarce_memory.h"

namespace telltale {
namespace {

FileBytes Join(std::initializer_list<FileBytes> parts) {
  FileBytes whole;
  for (const FileBytes& part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

FileBytes Text(std::string_view text) { return FileBytes(text.begin(), text.end()); }

// Returns `file` with `part` inserted at `at`.
FileBytes Insert(FileBytes file, size_t at, const FileBytes& part) {
  file.insert(file.begin() + static_cast<std::ptrdiff_t>(at), part.begin(), part.end());
  return file;
}

StatusCode CodeOf(const FileBytes& bytes) { return Sniff(bytes).status().code(); }

bool HasManifest(const FileBytes& bytes) {
  const Result<SniffedImage> sniffed = Sniff(bytes);
  EXPECT_TRUE(sniffed.ok()) << sniffed.status().message();
  return sniffed.ok() && sniffed.value().has_manifest;
}

class SniffFixture : public testing::TestWithParam<Fixture> {};

TEST_P(SniffFixture, ReadsItsHeader) {
  const Fixture& fixture = GetParam();
  const Result<SniffedImage> sniffed = Sniff(ReadFixture("images/" + fixture.file));
  ASSERT_TRUE(sniffed.ok()) << sniffed.status().message();
  const std::string folder = fixture.file.substr(0, fixture.file.find('/'));
  EXPECT_EQ(ImageFormatName(sniffed.value().format), folder);
  EXPECT_EQ(sniffed.value().width, fixture.width);
  EXPECT_EQ(sniffed.value().height, fixture.height);
  EXPECT_EQ(sniffed.value().orientation, fixture.orientation);
  EXPECT_EQ(sniffed.value().frame_count, fixture.frames);
  EXPECT_EQ(sniffed.value().jpeg_quality > 0, folder == "jpeg");
  EXPECT_FALSE(sniffed.value().has_manifest);
}

INSTANTIATE_TEST_SUITE_P(All, SniffFixture, testing::ValuesIn(AllFixtures()),
                         [](const auto& info) { return TestName(info.param); });

TEST(SniffManifest, FindsAJumbfBoxInJpegApp11) {
  const FileBytes file = ReadFixture("images/jpeg/420.jpg");
  const FileBytes box = Join({Text({"\0\0\0\x28jumb\0\0\0\x20jumd", 16}),
                              Text({"c2pa\0\x11\0\x10\x80\0\0\xAA\0\x38\x9B\x71\3c2pa\0\0\0", 24})});
  const FileBytes segment = Join({Text({"\xFF\xEB\0\x32JP\0\1\0\0\0\1", 12}), box});
  ASSERT_EQ(segment.size(), 0x34u);
  EXPECT_TRUE(HasManifest(Insert(file, 2, segment)));
  FileBytes other = segment;
  other[30] = 'x';  // another kind of JUMBF box
  EXPECT_FALSE(HasManifest(Insert(file, 2, other)));
}

TEST(SniffManifest, FindsAPngChunkBeforeAndAfterThePixels) {
  const FileBytes file = ReadFixture("images/png/rgba.png");
  const FileBytes chunk = Text({"\0\0\0\4caBX1234\0\0\0\0", 16});
  EXPECT_TRUE(HasManifest(Insert(file, 33, chunk)));
  EXPECT_TRUE(HasManifest(Insert(file, file.size() - 12, chunk)));
}

TEST(SniffManifest, FindsARiffChunk) {
  FileBytes file = Join({ReadFixture("images/webp/lossless_alpha.webp"), Text({"C2PA\4\0\0\0"
                                                                               "1234",
                                                                               12})});
  const auto size = static_cast<uint32_t>(file.size() - 8);
  for (int i = 0; i < 4; ++i) file[4 + i] = static_cast<uint8_t>(size >> (8 * i));
  EXPECT_TRUE(HasManifest(file));
}

TEST(SniffManifest, FindsABmffBox) {
  const FileBytes box = Join({Text({"\0\0\0\x1Cuuid", 8}),
                              Text({"\xD8\xFE\xC3\xD6\x1B\x0E\x48\x3C\x92\x97\x58\x28\x87\x7E\xC4\x81", 16}),
                              Text({"\0\0\0\0", 4})});
  const FileBytes file = ReadFixture("images/avif/alpha.avif");
  EXPECT_TRUE(HasManifest(Join({file, box})));
  FileBytes other = box;
  other[8] = 0;
  EXPECT_FALSE(HasManifest(Join({file, other})));
}

TEST(SniffManifest, FindsATiffTagInTheFirstDirectory) {
  FileBytes file = ReadFixture("images/tiff/rgb_raw.tif");
  // Changes the last entry to the manifest's. Tags ascend, and the manifest's tag is the highest.
  const size_t directory = file[4] | file[5] << 8 | file[6] << 16 | file[7] << 24;
  const size_t last = directory + 2 + (static_cast<size_t>(file[directory]) - 1) * 12;
  EXPECT_FALSE(HasManifest(file));
  file[last] = 0x41;
  file[last + 1] = 0xCD;
  EXPECT_TRUE(HasManifest(file));
}

TEST(SniffManifest, FindsAGifExtensionBeforeTheFirstFrameOnly) {
  const FileBytes file = ReadFixture("images/gif/plain.gif");
  const FileBytes extension =
      Text({"\x21\xFF\x0B"
            "C2PA_GIF\1\0\0\4"
            "1234\0",
            20});
  const size_t blocks = 13 + (size_t{3} << ((file[10] & 7) + 1));
  EXPECT_TRUE(HasManifest(Insert(file, blocks, extension)));
  EXPECT_FALSE(HasManifest(Insert(file, file.size() - 1, extension)));
}

TEST(Sniff, RefusesWhatIsNoneOfTheSevenFormats) {
  EXPECT_EQ(CodeOf({}), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(CodeOf(Text("BM is how this sentence starts, and it is no bitmap")),
            StatusCode::kUnsupportedFormat);
  EXPECT_EQ(CodeOf(Text("%PDF-1.7 and more")), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(CodeOf(Text("<svg xmlns='http://www.w3.org/2000/svg'/>")), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(CodeOf(Text({"\0\0\0\x18"
                         "ftypheic\0\0\0\0mif1heic",
                         24})),
            StatusCode::kUnsupportedFormat);
  EXPECT_EQ(CodeOf(Text({"RIFF\4\0\0\0WAVE", 12})), StatusCode::kUnsupportedFormat);
}

TEST(Sniff, TakesAPolyglotForWhatItStartsAs) {
  const FileBytes png = ReadFixture("images/png/rgba.png");
  const FileBytes jpeg = ReadFixture("images/jpeg/420.jpg");
  const Result<SniffedImage> png_first = Sniff(Join({png, jpeg, Text("%PDF-1.7")}));
  ASSERT_TRUE(png_first.ok());
  EXPECT_EQ(png_first.value().format, ImageFormat::kPng);
  const Result<SniffedImage> jpeg_first = Sniff(Join({jpeg, png, Text("PK\3\4")}));
  ASSERT_TRUE(jpeg_first.ok());
  EXPECT_EQ(jpeg_first.value().format, ImageFormat::kJpeg);
}

TEST(Sniff, RefusesTooManyPixelsByTheHeader) {
  FileBytes png = ReadFixture("images/png/rgba.png");
  const auto with_size = [&](uint32_t width, uint32_t height) {
    for (int i = 0; i < 4; ++i) {
      png[16 + i] = static_cast<uint8_t>(width >> (24 - 8 * i));
      png[20 + i] = static_cast<uint8_t>(height >> (24 - 8 * i));
    }
    return CodeOf(png);
  };
  EXPECT_EQ(with_size(100000, 100000), StatusCode::kImageTooManyPixels);
  EXPECT_EQ(with_size(32769, 1), StatusCode::kImageTooManyPixels);
  EXPECT_EQ(with_size(10000, 10001), StatusCode::kImageTooManyPixels);
  EXPECT_EQ(with_size(10000, 10000), StatusCode::kOk);
  EXPECT_EQ(with_size(32768, 1), StatusCode::kOk);
  EXPECT_EQ(with_size(0, 1), StatusCode::kImageCorrupt);
  EXPECT_EQ(with_size(0x80000000, 1), StatusCode::kImageCorrupt);
}

TEST(Sniff, ReadsTheSizeThatAnAvifClaimsBeforeItParses) {
  FileBytes avif = ReadFixture("images/avif/lossless.avif");
  const std::string_view ispe = "ispe";
  auto found = std::search(avif.begin(), avif.end(), ispe.begin(), ispe.end());
  ASSERT_NE(found, avif.end());
  std::fill(found + 8, found + 16, uint8_t{0x7F});
  EXPECT_EQ(CodeOf(avif), StatusCode::kImageTooManyPixels);
}

// A list in an AVIF file: its number of entries in real files, and a number that must be refused.
struct AvifList {
  const char* name;
  uint32_t honest;
  uint32_t excessive;
  FileBytes (*make)(uint32_t count);
};

FileBytes Meta(const FileBytes& box) { return FullBmff("meta", 0, {box}); }
FileBytes SampleTable(const FileBytes& box) {
  return Bmff("moov", {Bmff("trak", {Bmff("mdia", {Bmff("minf", {Bmff("stbl", {box})})})})});
}
FileBytes Repeated(const FileBytes& part, uint32_t count) {
  FileBytes whole;
  for (uint32_t i = 0; i < count; ++i) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}
// Returns an `iloc` box, the list of data locations, with one item. Offsets and lengths have 4 bytes.
FileBytes Located(uint32_t extents, uint32_t bytes_each) {
  return FullBmff("iloc", 0,
                  {{0x44, 0, 0, 1, 0, 1, 0, 0},
                   BigEndian(extents, 2),
                   Repeated(Join({BigEndian(0, 4), BigEndian(bytes_each, 4)}), extents)});
}

const AvifList kAvifLists[] = {
    {"items", 220, 257, [](uint32_t n) { return Meta(FullBmff("iinf", 0, {BigEndian(n, 2)})); }},
    {"items_wide", 220, 0xFFFFFFFF, [](uint32_t n) { return Meta(FullBmff("iinf", 1, {BigEndian(n, 4)})); }},
    {"locations", 220, 257,
     [](uint32_t n) {
       return Meta(FullBmff("iloc", 2, {{0, 0}, BigEndian(n, 4)}));
     }},
    {"extents", 4000, 4097, [](uint32_t n) { return Meta(Located(n, 0)); }},
    {"overlapping_extents", 4, 1'000'000, [](uint32_t n) { return Meta(Located(2, n)); }},
    {"tiles", 200, 257,
     [](uint32_t n) {
       return Meta(FullBmff("iref", 0, {Bmff("dimg", {{0, 1}, BigEndian(n, 2)})}));
     }},
    {"references", 20, 41,
     [](uint32_t n) {
       return Meta(FullBmff("iref", 1, {Repeated(Bmff("dimg", {{0, 0, 0, 1}, BigEndian(100, 2)}), n)}));
     }},
    {"associations", 4000, 4097,
     [](uint32_t n) { return Meta(Bmff("iprp", {FullBmff("ipma", 0, {BigEndian(n, 4)})})); }},
    {"associations_of_items", 15, 17,
     [](uint32_t n) {
       const FileBytes item = Join({{0, 1, 255}, FileBytes(255, 1)});
       return Meta(Bmff("iprp", {FullBmff("ipma", 0, {BigEndian(n, 4), Repeated(item, n)})}));
     }},
    {"properties", 4000, 4097,
     [](uint32_t n) { return Meta(Bmff("iprp", {Bmff("ipco", {Repeated(Bmff("free", {}), n)})})); }},
    {"sample_kinds", 4000, 4097,
     [](uint32_t n) {
       return SampleTable(FullBmff("stsd", 0, {BigEndian(n, 4), Repeated(Bmff("free", {}), n)}));
     }},
    {"chunk_runs", 4000, 4097,
     [](uint32_t n) { return SampleTable(FullBmff("stsc", 0, {BigEndian(n, 4)})); }},
    {"chunks", 90'000, 100'001,
     [](uint32_t n) { return SampleTable(FullBmff("stco", 0, {BigEndian(n, 4)})); }},
    {"wide_chunks", 90'000, 100'001,
     [](uint32_t n) { return SampleTable(FullBmff("co64", 0, {BigEndian(n, 4)})); }},
    {"runs_of_chunks", 30'000, 49'000,
     [](uint32_t n) {
       return SampleTable(
           Join({FullBmff("stco", 0, {BigEndian(n, 4)}), FullBmff("stsc", 0, {BigEndian(100, 4)})}));
     }},
    {"sizes", 90'000, 100'001,
     [](uint32_t n) {
       return SampleTable(FullBmff("stsz", 0, {BigEndian(0, 4), BigEndian(n, 4)}));
     }},
    {"durations", 90'000, 100'001,
     [](uint32_t n) { return SampleTable(FullBmff("stts", 0, {BigEndian(n, 4)})); }},
    {"keyframes", 90'000, 100'001,
     [](uint32_t n) { return SampleTable(FullBmff("stss", 0, {BigEndian(n, 4)})); }},
};

class AvifListTest : public testing::TestWithParam<AvifList> {};

TEST_P(AvifListTest, IsRefusedWhereItIsExcessive) {
  // The list follows a complete image, where libavif stops reading, so only the limit can cause an error.
  const FileBytes image = ReadFixture("images/avif/lossless.avif");
  const AvifList& list = GetParam();
  EXPECT_EQ(CodeOf(Join({image, list.make(list.honest)})), StatusCode::kOk);
  const FileBytes excessive = Join({image, list.make(list.excessive)});
  EXPECT_EQ(CodeOf(excessive), StatusCode::kImageCorrupt);
  EXPECT_EQ(OpenAvif(excessive, /*with_metadata=*/true).status().message(), "too_many_boxes");
}

INSTANTIATE_TEST_SUITE_P(All, AvifListTest, testing::ValuesIn(kAvifLists),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Sniff, RefusesAnAvifWhoseOneTableEntryStandsForManyFrames) {
  FileBytes avif = ReadFixture("images/avif/sequence.avif");
  const auto set = [&](std::string_view table, size_t at, uint32_t value) {
    const FileBytes bytes = BigEndian(value, 4);
    const auto found = std::search(avif.begin(), avif.end(), table.begin(), table.end());
    std::copy(bytes.begin(), bytes.end(), found + static_cast<std::ptrdiff_t>(at));
  };
  avif = Join({avif, Bmff("free", {FileBytes(300'000)})});
  set("stsz", 8, 1);  // the size of every sample
  set("stsc", 16, 90'000);
  EXPECT_EQ(CodeOf(avif), StatusCode::kOk);
  set("stsc", 16, 200'000);  // frames in a chunk
  EXPECT_EQ(CodeOf(avif), StatusCode::kImageCorrupt);
}

TEST(Sniff, ReportsOutOfMemoryAtAnyAllocation) {
  for (const FileBytes& file : {ReadFixture("images/avif/sequence.avif"), FileBytes{1, 2, 3}, FileBytes{}}) {
    bool has_failed = true;
    for (int allocations = 0; has_failed; ++allocations) {
      const ScarceMemory scarce(allocations);
      const StatusCode code = telltale::Sniff(file).status().code();
      has_failed = ScarceMemory::HasFailed();
      if (has_failed) {
        EXPECT_EQ(code, StatusCode::kInternalError) << allocations;
      }
    }
  }
}

TEST(Sniff, NamesTheLimitAndWhatItReceived) {
  const Status status = CheckPixelLimits(20000, 6000);
  EXPECT_EQ(status.message(), "too_many_pixels");
  EXPECT_EQ(status.values(), (std::vector<std::string>{"20000", "6000"}));
}

}  // namespace
}  // namespace telltale
