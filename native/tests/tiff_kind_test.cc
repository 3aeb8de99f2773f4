// Tests that TIFF files of unsupported kinds are refused with the name of the kind, and never as corrupt.
#include <gtest/gtest.h>

#include "image/decode.h"
#include "tests/hostile_files.h"

namespace telltale {
namespace {

struct Kind {
  const char* name;
  uint16_t bits, compression, photometric, samples, format;
  const char* refusal;
  const char* value;
};

class TiffKind : public testing::TestWithParam<Kind> {};

TEST_P(TiffKind, IsNamedWhereItIsNotRead) {
  const Kind& kind = GetParam();
  const uint32_t bytes = kind.bits / 8 * kind.samples;
  FileBytes data(bytes);
  for (int i = 0; i < kind.samples; ++i) {
    data.push_back(static_cast<uint8_t>(kind.bits));
    data.push_back(0);
  }
  const bool is_single = kind.samples == 1;
  const FileBytes tiff = MakeTiff({{256, 3, 1, 1},
                                   {257, 3, 1, 1},
                                   {258, 3, kind.samples, is_single ? kind.bits : kTiffDataOffset + bytes},
                                   {259, 3, 1, kind.compression},
                                   {262, 3, 1, kind.photometric},
                                   {273, 4, 1, kTiffDataOffset},
                                   {277, 3, 1, kind.samples},
                                   {278, 3, 1, 1},
                                   {279, 4, 1, bytes},
                                   {339, 3, 1, kind.format}},
                                  data);
  const Status status = Decode(tiff).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedFormat);
  EXPECT_EQ(status.message(), kind.refusal);
  EXPECT_EQ(status.values(), std::vector<std::string>{kind.value});
}

const Kind kKinds[] = {
    {"float_16", 16, 1, 1, 1, 3, "tiff_float", "16"},
    {"float_32", 32, 1, 1, 1, 3, "tiff_float", "32"},
    {"float_64", 64, 1, 1, 1, 3, "tiff_float", "64"},
    {"signed_8", 8, 1, 1, 1, 2, "tiff_signed", "8"},
    {"signed_16", 16, 1, 1, 1, 2, "tiff_signed", "16"},
    {"integer_32", 32, 1, 1, 1, 1, "tiff_bits", "32"},
    {"cmyk_16", 16, 1, 5, 4, 1, "tiff_cmyk", "16"},
    {"lzma", 8, 34925, 1, 1, 1, "tiff_compression", "LZMA"},
    {"jpeg_2000", 8, 34712, 1, 1, 1, "tiff_compression", "JPEG 2000"},
};

INSTANTIATE_TEST_SUITE_P(All, TiffKind, testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace telltale
