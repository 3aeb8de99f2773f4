// libFuzzer target that decodes arbitrary bytes and checks that each decoded image is complete.
#include "image/decode.h"

// Maximum pixels of an image that is decoded. Larger images are slow and reveal no further errors.
constexpr int64_t kMaxFuzzedPixels = 1'000'000;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const telltale::Bytes bytes(data, size);
  const auto sniffed = telltale::Sniff(bytes);
  if (!sniffed.ok()) return 0;
  if (int64_t{sniffed.value().width} * sniffed.value().height > kMaxFuzzedPixels) return 0;
  const auto image = telltale::Decode(bytes);
  if (image.ok()) {
    const telltale::Image& decoded = image.value();
    const bool as_sniffed = decoded.width == sniffed.value().width &&
                            decoded.height == sniffed.value().height &&
                            decoded.pixels.size() == static_cast<size_t>(decoded.width) * decoded.height * 3;
    if (!as_sniffed) __builtin_trap();
  }
  // Decodes the image once more, with permission to shrink it while decoding, as for previews.
  const auto eighth = telltale::Decode(bytes, telltale::Cancellation(), 1);
  if (image.ok() && eighth.ok()) {
    const telltale::Image& decoded = eighth.value();
    if (decoded.width > image.value().width || decoded.height > image.value().height) __builtin_trap();
    if (decoded.pixels.size() != static_cast<size_t>(decoded.width) * decoded.height * 3) __builtin_trap();
  }
  return 0;
}
