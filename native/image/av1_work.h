// Counting the frames of AV1 streams, to reject a file before its decoder does too much work.
#pragma once

#include "image/byte_reader.h"
#include "image/sniff.h"

namespace telltale {

// Counts frames and their memory, and compares them with limits. A decoder processes all frames up to the
// first one that is shown, each in one call that cannot be cancelled. Frames may be as short as 20 bytes, so
// that a small file could hold thousands of them. A real image has one frame, or up to four with layers, and
// its transparency has as many pixels again. libavif 0.11 has weaker limits, with which grid_of_large_frames
// in hostile_avif_test takes 2.4 GB.
class Av1Work {
 public:
  static constexpr int kMaxFrames = 8;                         // per stream
  static constexpr uint64_t kMaxUnits = 65'536;                // of all streams: OBUs, each a header at least
  static constexpr uint64_t kMaxCodedPixels = 4 * kMaxPixels;  // for all frames of all streams
  // Maximum bytes of all frames: an image of the maximum size, with 12 bits in three full planes.
  static constexpr uint64_t kMaxCodedBytes = 6 * kMaxPixels;

  // Counts the frames of one stream. Returns false once a limit is exceeded. Bytes that are not a valid
  // stream add nothing, because a decoder cannot decode them either.
  bool Add(Bytes stream);

  // Returns the memory of all frames so far, in bytes.
  uint64_t coded_bytes() const { return bytes_; }
  // Returns the memory per pixel in half bytes, the largest of all streams. Returns 0 without a frame.
  uint64_t half_bytes_a_pixel() const { return half_bytes_a_pixel_; }

 private:
  uint64_t units_ = 0;
  uint64_t pixels_ = 0;
  uint64_t bytes_ = 0;
  uint64_t half_bytes_a_pixel_ = 0;
};

}  // namespace telltale
