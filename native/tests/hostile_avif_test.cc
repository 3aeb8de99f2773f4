// Tests of small AVIF files that contain far more pixels than their image shows. libavif decodes them in one
// call that cannot be cancelled.
#include <gtest/gtest.h>
#include <unistd.h>

#include "image/decode.h"
#include "tests/avif_files.h"

namespace telltale {
namespace {

// A hostile file, and the result that it must have within 10 s and 1 GB.
struct Toil {
  const char* name;
  FileBytes (*make)();
  StatusCode code;
};

FileBytes OneFrame() { return MakeAvif({4096, 2304, Av1Stream(4096, 2304, 0)}); }
FileBytes FewHidden() { return MakeAvif({4096, 2304, Av1Stream(4096, 2304, 3)}); }
FileBytes FewHiddenInPieces() { return MakeAvif({4096, 2304, Av1Stream(4096, 2304, 3), 7}); }
FileBytes ManyHidden() { return MakeAvif({4096, 2304, Av1Stream(4096, 2304, 1'000)}); }
FileBytes ManyHiddenInPieces() { return MakeAvif({4096, 2304, Av1Stream(4096, 2304, 1'000), 7}); }
FileBytes ManySmallHidden() { return MakeAvif({16, 16, Av1Stream(16, 16, 500'000)}); }
FileBytes Grid() { return MakeAvifGrid(3840, 3840, 15, 15, {256, 256, Av1Stream(256, 256, 0)}); }
FileBytes GridOfLargeFrames() { return MakeAvifGrid(960, 960, 15, 15, {64, 64, Av1Stream(4096, 2304, 0)}); }
FileBytes GridOfLargeTiles() {
  return MakeAvifGrid(960, 960, 15, 15, {10'000, 10'000, Av1Stream(16, 16, 0)});
}
// Returns a file in which a canvas slightly larger than one tile has four tiles of its size. Correct tiles
// would be a quarter of the canvas.
FileBytes GridOfTilesLikeTheCanvas() {
  return MakeAvifGrid(4098, 2306, 2, 2, {4096, 2304, Av1Stream(4096, 2304, 0)});
}
FileBytes GridWithAnOverhang() { return MakeAvifGrid(400, 300, 2, 2, {256, 256, Av1Stream(256, 256, 0)}); }

const Toil kToils[] = {
    {"one_frame", OneFrame, StatusCode::kOk},
    {"few_hidden", FewHidden, StatusCode::kOk},
    {"few_hidden_in_pieces", FewHiddenInPieces, StatusCode::kOk},
    {"many_hidden", ManyHidden, StatusCode::kImageCorrupt},
    {"many_hidden_in_pieces", ManyHiddenInPieces, StatusCode::kImageCorrupt},
    {"many_small_hidden", ManySmallHidden, StatusCode::kImageCorrupt},
    {"grid", Grid, StatusCode::kOk},
    {"grid_of_large_frames", GridOfLargeFrames, StatusCode::kImageCorrupt},
    {"grid_with_an_overhang", GridWithAnOverhang, StatusCode::kOk},
    {"grid_of_tiles_like_the_canvas", GridOfTilesLikeTheCanvas, StatusCode::kImageCorrupt},
    {"grid_of_large_tiles", GridOfLargeTiles, StatusCode::kImageCorrupt},
};

class HostileAvifDeathTest : public testing::TestWithParam<Toil> {};

TEST_P(HostileAvifDeathTest, EndsInAStatusWithinItsMeans) {
  const FileBytes file = GetParam().make();
  EXPECT_EQ(Sniff(file).status().code(), GetParam().code);  // refused before anything is decoded
  EXPECT_EXIT(
      {
        LimitResources();
        _exit(static_cast<int>(Decode(file).status().code()));
      },
      testing::ExitedWithCode(static_cast<int>(GetParam().code)), "^$");
}

// A grid defines the order of its tiles, but libavif uses the order in which the file lists them.
TEST(AvifGrid, IsRefusedWhereItsTilesAreInAnotherOrder) {
  const AvifImage tile{256, 256, Av1Stream(256, 256, 0)};
  EXPECT_EQ(Decode(MakeAvifGrid(512, 512, 2, 2, tile)).status().code(), StatusCode::kOk);
  const Status status = Decode(MakeAvifGrid(512, 512, 2, 2, tile, /*is_reversed=*/true)).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupportedFormat);
  EXPECT_NE(status.message().find("order"), std::string::npos) << status.message();
}

INSTANTIATE_TEST_SUITE_P(All, HostileAvifDeathTest, testing::ValuesIn(kToils),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace telltale
