// Tests that files which break a rule of their format are judged as viewers show them.
#include "tests/viewer_files.h"

#include <algorithm>

#include "metadata/metadata.h"
#include "tests/fixtures.h"

namespace telltale {
namespace {

// Returns a JPEG with other values in the last three bytes of its scan header: the first coefficient, the
// last coefficient, and their bits.
FileBytes WithScanEnd(FileBytes jpeg, uint8_t first, uint8_t last, uint8_t bits) {
  const size_t scan = Find(jpeg, "\xFF\xDA");
  const size_t end = scan + 2 + jpeg[scan + 3];
  jpeg[end - 3] = first;
  jpeg[end - 2] = last;
  jpeg[end - 1] = bits;
  return jpeg;
}

TEST(ViewerJpeg, WithWrongCoefficientsInASequentialScanShowsTheSame) {
  const FileBytes jpeg = ReadFixture("images/jpeg/420.jpg");
  EXPECT_TRUE(ShowsTheSame(WithScanEnd(jpeg, 0, 0, 0), jpeg));
  EXPECT_TRUE(ShowsTheSame(WithScanEnd(jpeg, 1, 63, 0), jpeg));
  EXPECT_TRUE(ShowsTheSame(WithScanEnd(jpeg, 0, 63, 1), jpeg));
}

TEST(ViewerJpeg, WithoutItsEndShowsTheSame) {
  for (const char* name : {"420", "progressive", "restart", "grey", "separate_scans", "cmyk"}) {
    const FileBytes jpeg = ReadFixture(std::string("images/jpeg/") + name + ".jpg");
    EXPECT_TRUE(ShowsTheSame(Without(jpeg, 2), jpeg)) << name;
    EXPECT_TRUE(ShowsTheSame(Without(jpeg, 1), jpeg)) << name;
  }
}

TEST(ViewerJpeg, WithAnotherFileInPlaceOfItsEndShowsTheSame) {
  const FileBytes jpeg = ReadFixture("images/jpeg/420.jpg");
  EXPECT_TRUE(ShowsTheSame(Joined(Without(jpeg, 2), "\xFF\xD8\xFF\xE0"), jpeg));
  EXPECT_TRUE(ShowsTheSame(Joined(Without(jpeg, 2), "\xFF\xC4"), jpeg));
}

TEST(ViewerJpeg, WithoutAScanIsCorrupt) {
  for (const char* name : {"progressive", "separate_scans"}) {
    FileBytes jpeg = ReadFixture(std::string("images/jpeg/") + name + ".jpg");
    jpeg.resize(std::string_view(reinterpret_cast<const char*>(jpeg.data()), jpeg.size()).rfind("\xFF\xDA"));
    EXPECT_EQ(Decode(jpeg).status().code(), StatusCode::kImageCorrupt) << name;
  }
}

// Returns a JPEG with another type of frame and another precision in its header.
FileBytes WithFrame(FileBytes jpeg, uint8_t marker, uint8_t bits) {
  const size_t frame = Find(jpeg, "\xFF\xC0");
  jpeg[frame + 1] = marker;
  jpeg[frame + 4] = bits;
  return jpeg;
}

TEST(ViewerJpeg, OfAKindThatIsNotReadIsNamed) {
  const FileBytes jpeg = ReadFixture("images/jpeg/420.jpg");
  const auto named = [&](uint8_t marker, uint8_t bits, const char* name) {
    const Status status = Sniff(WithFrame(jpeg, marker, bits)).status();
    return status.code() == StatusCode::kUnsupportedFormat && status.message() == name;
  };
  EXPECT_TRUE(named(0xC1, 12, "jpeg_12_bit"));
  EXPECT_TRUE(named(0xC2, 12, "jpeg_12_bit"));
  EXPECT_TRUE(named(0xC3, 8, "jpeg_lossless"));
  EXPECT_TRUE(named(0xC5, 8, "jpeg_hierarchical"));
  EXPECT_TRUE(named(0xF7, 8, "jpeg_ls"));
  EXPECT_EQ(Decode(WithFrame(jpeg, 0xC0, 77)).status().code(), StatusCode::kImageCorrupt);
}

// Returns a JPEG with `padding` before each restart marker, or only before the first one.
FileBytes WithPaddedRestarts(const FileBytes& jpeg, std::string_view padding, bool only_first) {
  FileBytes padded;
  bool is_scan = false, is_padded = false;
  for (size_t i = 0; i < jpeg.size(); ++i) {
    const bool is_marker = jpeg[i] == 0xFF && i + 1 < jpeg.size();
    is_scan |= is_marker && jpeg[i + 1] == 0xDA;
    const bool is_restart = is_scan && is_marker && (jpeg[i + 1] & 0xF8) == 0xD0;
    if (is_restart && !(only_first && is_padded)) {
      padded.insert(padded.end(), padding.begin(), padding.end());
      is_padded = true;
    }
    padded.push_back(jpeg[i]);
  }
  return padded;
}

TEST(ViewerJpeg, WithPaddingBeforeItsRestartMarkersShowsTheSame) {
  const FileBytes jpeg = ReadFixture("images/jpeg/restart.jpg");
  const std::string zeros(2634, '\0'), fill(3000, '\xFF');
  for (const std::string_view padding :
       {std::string_view(zeros).substr(0, 1), std::string_view(zeros).substr(0, 8), std::string_view(zeros),
        std::string_view("\x7F\x7F"), std::string_view(fill).substr(0, 1), std::string_view(fill)}) {
    EXPECT_TRUE(ShowsTheSame(WithPaddedRestarts(jpeg, padding, true), jpeg)) << padding.size();
    EXPECT_TRUE(ShowsTheSame(WithPaddedRestarts(jpeg, padding, false), jpeg)) << padding.size();
  }
}

TEST(ViewerJpeg, WithRestartMarkersAfterItsScanShowsTheSame) {
  for (const char* name : {"420", "restart", "progressive"}) {
    const FileBytes jpeg = ReadFixture(std::string("images/jpeg/") + name + ".jpg");
    EXPECT_TRUE(ShowsTheSame(Joined(Without(jpeg, 2), "\xFF\xD3\x01\x02\xFF\xD4more\xFF\xD9"), jpeg)) << name;
  }
}

TEST(ViewerAvif, WithBytesAfterItsLastBoxShowsTheSame) {
  for (const char* name : {"scene", "sequence"}) {
    const FileBytes avif = ReadFixture(std::string("images/avif/") + name + ".avif");
    const std::string cut_box("\0\0\1\0free", 8), zeros(16, '\0'), large_box("\0\0\0\1free\0\0", 10);
    for (const std::string_view tail :
         {std::string_view("\n"), std::string_view("trailing text, longer than a header"),
          std::string_view(cut_box), std::string_view(zeros), std::string_view(large_box)}) {
      EXPECT_TRUE(ShowsTheSame(Joined(avif, tail), avif)) << name << ": " << tail;
    }
  }
}

TEST(ViewerAvif, ThatIsCutOffIsCorrupt) {
  const FileBytes avif = ReadFixture("images/avif/scene.avif");
  for (const size_t missing : {size_t{1}, size_t{10}, avif.size() / 2, avif.size() - 40})
    EXPECT_EQ(Decode(Without(avif, missing)).status().code(), StatusCode::kImageCorrupt) << missing;
}

TEST(ViewerGif, WithoutItsTrailerShowsTheSame) {
  const FileBytes gif = ReadFixture("images/gif/plain.gif");
  EXPECT_TRUE(ShowsTheSame(Without(gif, 1), gif));
  EXPECT_TRUE(ShowsTheSame(Without(gif, 2), gif));  // also without the end of the frame's blocks
  EXPECT_TRUE(ShowsTheSame(Joined(Without(gif, 1), {"\0;", 2}), gif));
  EXPECT_TRUE(ShowsTheSame(Joined(Without(gif, 1), "no block at all"), gif));
  EXPECT_EQ(Decode(Without(gif, 3)).status().code(), StatusCode::kImageCorrupt);
}

TEST(ViewerGif, IsJudgedByItsFirstFrameWhereALaterOneIsCutOff) {
  const FileBytes gif = ReadFixture("images/gif/animated.gif");
  const Result<SniffedImage> sniffed = Sniff(Without(gif, 200));
  ASSERT_TRUE(sniffed.ok()) << sniffed.status().message();
  EXPECT_GE(sniffed.value().frame_count, 1);
  EXPECT_TRUE(ShowsTheSame(Without(gif, 200), gif));
}

// Returns a PNG in one colour, with `chunk` before its pixels.
FileBytes PngWith(const FileBytes& chunk) { return MakePng(64, 32, chunk, 32 * (64 * 3 + 1)); }

FileBytes WithWrongChecksum(FileBytes chunk) {
  chunk.back() ^= 1;
  return chunk;
}

TEST(ViewerPng, WithAWrongChecksumOfWhatNoPixelNeedsShowsTheSame) {
  const FileBytes plain = PngWith({});
  for (const char* type : {"tEXt", "pHYs", "gAMA", "caNv", "tIME"}) {
    EXPECT_TRUE(ShowsTheSame(PngWith(WithWrongChecksum(PngChunk(type, FileBytes(9, 'x')))), plain)) << type;
  }
}

TEST(ViewerPng, WithAWrongChecksumLeavesOutWhatTheChunkSays) {
  const FileBytes text = PngChunk("tEXt", {'a', 0, 'b'});
  EXPECT_EQ(ReadMetadata(PngWith(text)).size(), 1u);
  EXPECT_TRUE(ReadMetadata(PngWith(WithWrongChecksum(text))).empty());

  const FileBytes exif = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0,
                          3,   0,   0, 0,  1, 0, 6, 0, 0, 0, 0, 0,    0};
  const FileBytes turned = PngChunk("eXIf", exif);
  EXPECT_EQ(Sniff(PngWith(turned)).value().orientation, 6);
  EXPECT_EQ(Sniff(PngWith(WithWrongChecksum(turned))).value().orientation, 1);
  EXPECT_TRUE(ShowsTheSame(PngWith(WithWrongChecksum(turned)), PngWith({})));
  // A tRNS chunk makes pixels transparent. It must be ignored if its checksum is wrong.
  const FileBytes black = PngChunk("tRNS", FileBytes(6));
  EXPECT_TRUE(Decode(PngWith(black)).value().is_transparent);
  EXPECT_FALSE(Decode(PngWith(WithWrongChecksum(black))).value().is_transparent);
}

TEST(ViewerPng, WithAWrongChecksumOfItsPixelsIsCorrupt) {
  const FileBytes png = PngWith({});
  for (const char* type : {"IHDR", "IDAT"}) {
    FileBytes damaged = png;
    const size_t at = Find(png, type);
    const size_t length = png[at - 2] << 8 | png[at - 1];
    damaged[at + 4 + length] ^= 1;
    EXPECT_EQ(Decode(damaged).status().code(), StatusCode::kImageCorrupt) << type;
  }
}

TEST(ViewerPng, WithAllPixelsShowsTheSameHoweverItEnds) {
  const FileBytes png = ReadFixture("images/png/rgba.png");
  ASSERT_EQ(Find(png, "IEND"), png.size() - 8);
  FileBytes wrong_end = png;
  wrong_end.back() ^= 1;
  EXPECT_TRUE(ShowsTheSame(Without(png, 12), png)) << "no IEND";
  EXPECT_TRUE(ShowsTheSame(Without(png, 5), png)) << "half of IEND";
  EXPECT_TRUE(ShowsTheSame(Without(png, 16), png)) << "no checksum of the pixels";
  EXPECT_TRUE(ShowsTheSame(wrong_end, png)) << "a wrong checksum of IEND";
  EXPECT_TRUE(ShowsTheSame(Joined(Without(png, 12), {"\0\0\3\xE7tEXtSoftware\0x", 18}), png)) << "a cut text";
  EXPECT_TRUE(ShowsTheSame(Without(png, 20), png)) << "no Adler-32";
  EXPECT_EQ(Decode(Without(png, 200)).status().code(), StatusCode::kImageCorrupt);
}

TEST(ViewerPng, WithoutAnAdler32ShowsTheSame) {
  const FileBytes png = ReadFixture("images/png/rgba.png");
  const auto pixels = png.begin() + static_cast<std::ptrdiff_t>(Find(png, "IDAT"));
  FileBytes file(png.begin(), pixels - 4);
  for (const FileBytes& chunk : {PngChunk("IDAT", {pixels + 4, png.end() - 20}), PngChunk("IEND", {})})
    file.insert(file.end(), chunk.begin(), chunk.end());
  EXPECT_TRUE(ShowsTheSame(file, png));
}

TEST(ViewerPng, OfAppleIsNamed) {
  FileBytes png = PngWith({});
  const FileBytes apple = PngChunk("CgBI", {0x50, 0, 0x20, 2});
  png.insert(png.begin() + 8, apple.begin(), apple.end());
  EXPECT_EQ(Sniff(png).status().code(), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(Sniff(png).status().message(), "png_cgbi");
}

// FrameControl returns the header of a frame of 16 x 8 px, FrameData returns `rows` black rows for it.
FileBytes FrameControl(uint32_t x, uint32_t y) {
  FileBytes control = BigEndian(0, 4);
  for (const uint32_t value : {16u, 8u, x, y}) {
    const FileBytes bytes = BigEndian(value, 4);
    control.insert(control.end(), bytes.begin(), bytes.end());
  }
  control.resize(26);
  return PngChunk("fcTL", control);
}
FileBytes FrameData(size_t rows) {
  FileBytes data = BigEndian(1, 4);
  const FileBytes packed = Deflate(rows * (16 * 3 + 1));
  data.insert(data.end(), packed.begin(), packed.end());
  return PngChunk("fdAT", data);
}

// Returns an animated PNG whose default image, 64 x 32 px and black, is not part of the animation.
FileBytes ApngWith(const FileBytes& before_pixels, std::initializer_list<FileBytes> frame) {
  FileBytes before = PngChunk("acTL", {0, 0, 0, 1, 0, 0, 0, 0});
  before.insert(before.end(), before_pixels.begin(), before_pixels.end());
  FileBytes file = Without(PngWith(before), 12);
  for (const FileBytes& chunk : frame) file.insert(file.end(), chunk.begin(), chunk.end());
  const FileBytes end = PngChunk("IEND", {});
  file.insert(file.end(), end.begin(), end.end());
  return file;
}

TEST(ViewerApng, IsJudgedByTheFrameThatViewersShow) {
  const Result<Image> hidden = Decode(ApngWith({}, {FrameControl(4, 2), FrameData(8)}));
  ASSERT_TRUE(hidden.ok()) << hidden.status().message();
  const auto white = std::count(hidden.value().pixels.begin(), hidden.value().pixels.end(), 255);
  EXPECT_EQ(white, 3 * (64 * 32 - 16 * 8)) << "the frame on its canvas";
  EXPECT_EQ(hidden.value().row(2)[4 * 3], 0);
  EXPECT_EQ(hidden.value().row(1)[4 * 3], 255);
  // Viewers show the default image of these files: it is the first frame, or the animation is invalid.
  EXPECT_TRUE(ShowsTheSame(ApngWith(FrameControl(0, 0), {FrameControl(4, 2), FrameData(8)}), PngWith({})));
  EXPECT_TRUE(ShowsTheSame(ApngWith({}, {FrameControl(60, 2), FrameData(8)}), PngWith({})));
}

TEST(ViewerApng, WhoseFirstFrameLacksPixelsIsCorrupt) {
  for (const size_t rows : {0, 7}) {
    EXPECT_EQ(Decode(ApngWith({}, {FrameControl(4, 2), FrameData(rows)})).status().code(),
              StatusCode::kImageCorrupt);
  }
  EXPECT_EQ(Decode(ApngWith({}, {FrameControl(4, 2), WithWrongChecksum(FrameData(8))})).status().code(),
            StatusCode::kImageCorrupt);
}

}  // namespace
}  // namespace telltale
