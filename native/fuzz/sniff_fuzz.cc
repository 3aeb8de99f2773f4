// libFuzzer target that reads the header of arbitrary bytes.
#include "image/sniff.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto sniffed = telltale::Sniff({data, size});
  if (sniffed.ok()) {
    const telltale::SniffedImage& image = sniffed.value();
    // Callers allocate memory of this size, so it must be valid for any bytes.
    if (image.width <= 0 || image.height <= 0 || image.width > telltale::kMaxSidePx ||
        image.height > telltale::kMaxSidePx || int64_t{image.width} * image.height > telltale::kMaxPixels ||
        image.orientation < 1 || image.orientation > 8 || image.frame_count < 1 || image.jpeg_quality < 0 ||
        image.jpeg_quality > 100) {
      __builtin_trap();
    }
  }
  return 0;
}
