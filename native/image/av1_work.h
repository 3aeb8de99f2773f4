// Counting the frames of AV1 streams before a decoder processes them.
#pragma once

#include "image/byte_reader.h"
#include "image/sniff.h"

namespace telltale {

// Limits on the frames of AV1 streams. A decoder processes all frames up to the first shown one, each in one
// call. A frame may take only 20 bytes, so a small file could hold thousands of frames. Chosen: an image has
// one frame, or up to four with layers; at the pixel limit, its alpha has as many pixels again. With only the
// limits of libavif 0.11, grid_of_large_frames in hostile_avif_test takes 2.4 GB.
class Av1Work {
 public:
  static constexpr int kMaxFrames = 8;                         // per stream
  static constexpr uint64_t kMaxUnits = 65'536;                // of all streams: OBUs, each a header at least
  static constexpr uint64_t kMaxCodedPixels = 4 * kMaxPixels;  // for all frames of all streams
  // Maximum bytes for all frames of all streams: an image at the pixel limit with 12 bits in three full
  // planes.
  static constexpr uint64_t kMaxCodedBytes = 6 * kMaxPixels;

  // Adds a stream of OBUs. Returns false once a limit is exceeded. Bytes that are not a stream add nothing,
  // because a decoder needs a sequence header to decode a frame.
  bool Add(Bytes stream);

  // Returns the bytes of all frames so far, with all planes and the sample width.
  uint64_t coded_bytes() const { return bytes_; }
  // Returns the largest value of any stream; 0 without a frame.
  uint64_t half_bytes_a_pixel() const { return half_bytes_a_pixel_; }

 private:
  uint64_t units_ = 0;
  uint64_t pixels_ = 0;
  uint64_t bytes_ = 0;
  uint64_t half_bytes_a_pixel_ = 0;
};

}  // namespace telltale
