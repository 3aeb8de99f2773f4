// libFuzzer target that reads watermarks from images of any size and content.
#include "watermark/watermark.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const int width = 1 + data[0], height = 1 + data[1];
  telltale::Image image{width, height, telltale::PixelBuffer(size_t{3} * width * height)};
  // Repeats the input over the image, because watermark messages also repeat over an image.
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = data[2 + i % (size - 2)];
  for (const auto& watermark : telltale::FindWatermarks(image)) {
    const bool counts = watermark.matching_bits >= telltale::MatchThreshold(watermark.bits) &&
                        watermark.matching_bits <= watermark.bits;
    if (!counts) __builtin_trap();
  }
  return 0;
}
