// The frames inside AV1 streams, counted before a decoder goes through them.
#pragma once

#include "image/byte_reader.h"
#include "image/sniff.h"

namespace telltale {

// A decoder goes through all frames of a stream up to the first that is shown, and through each in one go. A
// frame may take 20 bytes, so that a small file could hold thousands of them. Chosen: an image has one
// frame, one with layers up to four; one at the limit of pixels has as many again in its alpha. By the limits
// of libavif 0.11 alone, hostile_avif_test's grid_of_large_frames takes 2.4 GB.
class Av1Work {
 public:
  static constexpr int kMaxFrames = 8;                         // of a stream
  static constexpr uint64_t kMaxUnits = 65'536;                // of all streams: OBUs, each a header at least
  static constexpr uint64_t kMaxCodedPixels = 4 * kMaxPixels;  // of all frames of all streams
  // Of all frames of all streams: those of an image at the limit with 12 bits in three full planes.
  static constexpr uint64_t kMaxCodedBytes = 6 * kMaxPixels;

  // Adds a stream of OBUs; false once a limit is passed. Bytes that are no stream add nothing: without a
  // sequence header no frame is decoded.
  bool Add(Bytes stream);

  // Of all frames so far, with their planes and the width of their samples.
  uint64_t coded_bytes() const { return bytes_; }
  // Of the stream with the most; 0 without a frame.
  uint64_t half_bytes_a_pixel() const { return half_bytes_a_pixel_; }

 private:
  uint64_t units_ = 0;
  uint64_t pixels_ = 0;
  uint64_t bytes_ = 0;
  uint64_t half_bytes_a_pixel_ = 0;
};

}  // namespace telltale
