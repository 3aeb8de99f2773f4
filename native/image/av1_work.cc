// Reading the sizes of frames from an AV1 stream (AV1 bitstream specification, sections 5.3 to 5.9).
#include "image/av1_work.h"

#include <algorithm>
#include <optional>

namespace telltale {
namespace {

enum ObuType { kSequenceHeader = 1, kFrameHeader = 3, kFrame = 6, kRedundantFrameHeader = 7 };

constexpr int kFrameTypeSwitch = 3;
constexpr int kSelect = 2;  // SELECT_SCREEN_CONTENT_TOOLS, SELECT_INTEGER_MV

// Reads bits. Returns zeros after the last byte, because decoders reject a truncated header anyway.
class BitReader {
 public:
  explicit BitReader(Bytes bytes) : bytes_(bytes) {}

  // Reads `count` bits, at most 32.
  uint32_t Read(int count) {
    uint32_t value = 0;
    for (int i = 0; i < count; ++i, ++at_) {
      const bool bit = at_ / 8 < bytes_.size() && (bytes_[at_ / 8] >> (7 - at_ % 8) & 1) != 0;
      value = value << 1 | static_cast<uint32_t>(bit);
    }
    return value;
  }

  void SkipUvlc() {
    int zeros = 0;
    while (zeros < 32 && Read(1) == 0) ++zeros;
    if (zeros < 32) Read(zeros);
  }

 private:
  const Bytes bytes_;
  uint64_t at_ = 0;
};

// Fields of a sequence header that determine the size of its frames.
struct Sequence {
  bool is_reduced = false;  // a single frame with the sequence's size
  bool has_presentation_times = false;
  int presentation_time_bits = 0;
  int width_bits = 0, height_bits = 0;
  uint64_t width = 0, height = 0;
  int frame_id_bits = 0;
  int screen_content = kSelect, integer_motion = kSelect;
  uint64_t half_bytes_a_pixel = 0;  // of a decoded frame, all planes
};

// Reads the memory per pixel of a decoded frame, in half bytes: one or three planes, one or two bytes per
// sample. In profile 0, colours have half the resolution. In other profiles, this function assumes full
// resolution.
uint64_t ReadHalfBytesAPixel(uint32_t profile, BitReader* bits) {
  const bool is_wide = bits->Read(1) != 0;
  if (profile == 2 && is_wide) bits->Read(1);
  const bool is_grey = profile != 1 && bits->Read(1) != 0;
  const uint64_t half_samples = is_grey ? 2 : profile == 0 ? 3 : 6;
  return is_wide ? 2 * half_samples : half_samples;
}

void ReadOperatingPoints(BitReader* bits, Sequence* sequence) {
  int delay_bits = 0;
  bool has_decoder_model = false;
  if (bits->Read(1) != 0) {  // timing_info_present_flag
    bits->Read(32);
    bits->Read(32);
    const bool is_equal_interval = bits->Read(1) != 0;
    if (is_equal_interval) bits->SkipUvlc();
    has_decoder_model = bits->Read(1) != 0;
    if (has_decoder_model) {
      delay_bits = static_cast<int>(bits->Read(5)) + 1;
      bits->Read(32);
      bits->Read(5);
      sequence->presentation_time_bits = static_cast<int>(bits->Read(5)) + 1;
      sequence->has_presentation_times = !is_equal_interval;
    }
  }
  const bool has_display_delay = bits->Read(1) != 0;
  const uint32_t count = bits->Read(5) + 1;
  for (uint32_t i = 0; i < count; ++i) {
    bits->Read(12);
    if (bits->Read(5) > 7) bits->Read(1);
    if (has_decoder_model && bits->Read(1) != 0) {
      bits->Read(delay_bits);
      bits->Read(delay_bits);
      bits->Read(1);
    }
    if (has_display_delay && bits->Read(1) != 0) bits->Read(4);
  }
}

// Skips the fields between the frame size and the colour configuration.
void ReadTools(BitReader* bits, Sequence* sequence) {
  if (bits->Read(1) != 0) {  // frame_id_numbers_present_flag
    const int delta_bits = static_cast<int>(bits->Read(4)) + 2;
    sequence->frame_id_bits = delta_bits + static_cast<int>(bits->Read(3)) + 1;
  }
  bits->Read(3 + 4);
  const bool has_order = bits->Read(1) != 0;  // enable_order_hint
  if (has_order) bits->Read(2);
  if (bits->Read(1) == 0) sequence->screen_content = static_cast<int>(bits->Read(1));
  if (sequence->screen_content > 0 && bits->Read(1) == 0) {
    sequence->integer_motion = static_cast<int>(bits->Read(1));
  }
  if (has_order) bits->Read(3);
}

Sequence ReadSequence(Bytes unit) {
  BitReader bits(unit);
  Sequence sequence;
  const uint32_t profile = bits.Read(3);
  bits.Read(1);
  sequence.is_reduced = bits.Read(1) != 0;
  if (sequence.is_reduced) {
    bits.Read(5);
  } else {
    ReadOperatingPoints(&bits, &sequence);
  }
  sequence.width_bits = static_cast<int>(bits.Read(4)) + 1;
  sequence.height_bits = static_cast<int>(bits.Read(4)) + 1;
  sequence.width = uint64_t{bits.Read(sequence.width_bits)} + 1;
  sequence.height = uint64_t{bits.Read(sequence.height_bits)} + 1;
  if (!sequence.is_reduced)
    ReadTools(&bits, &sequence);
  else
    bits.Read(3);
  bits.Read(3);
  sequence.half_bytes_a_pixel = ReadHalfBytesAPixel(profile, &bits);
  return sequence;
}

// Returns the number of pixels that a decoder allocates for the frame at `unit`. If the frame states its own
// size, returns the maximum that the field can hold or the decoder allows.
uint64_t ReadFramePixels(Bytes unit, const Sequence& sequence) {
  const uint64_t whole = sequence.width * sequence.height;
  if (sequence.is_reduced) return whole;
  BitReader bits(unit);
  if (bits.Read(1) != 0) return whole;  // show_existing_frame
  const uint32_t type = bits.Read(2);
  const bool is_shown = bits.Read(1) != 0;
  if (is_shown && sequence.has_presentation_times) bits.Read(sequence.presentation_time_bits);
  if (!is_shown) bits.Read(1);
  if (type != kFrameTypeSwitch && (type != 0 || !is_shown)) bits.Read(1);  // error_resilient_mode
  bits.Read(1);
  const bool has_screen_content =
      sequence.screen_content == kSelect ? bits.Read(1) != 0 : sequence.screen_content != 0;
  if (has_screen_content && sequence.integer_motion == kSelect) bits.Read(1);
  bits.Read(sequence.frame_id_bits);
  const bool has_own_size = type == kFrameTypeSwitch || bits.Read(1) != 0;
  if (!has_own_size) return whole;
  return std::min<uint64_t>(uint64_t{1} << (sequence.width_bits + sequence.height_bits), kMaxPixels);
}

// Reads the size of a unit of the stream and moves `*at` behind it. Returns nullopt if the stream ends first.
std::optional<uint64_t> ReadLeb128(Bytes stream, uint64_t* at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) {
    if (!Holds(stream, *at, 1)) return std::nullopt;
    const uint64_t byte = stream[(*at)++];
    value |= (byte & 0x7F) << (7 * i);
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace

bool Av1Work::Add(Bytes stream) {
  std::optional<Sequence> sequence;
  int frames = 0;
  for (uint64_t at = 0; at < stream.size();) {
    const int header = stream[at];
    const int type = header >> 3 & 15;
    const bool has_extension = (header & 4) != 0, has_size = (header & 2) != 0;
    at += has_extension ? 2 : 1;
    if (at > stream.size() || ++units_ > kMaxUnits) break;
    std::optional<uint64_t> size = stream.size() - at;
    if (has_size) size = ReadLeb128(stream, &at);
    if (!size || !Holds(stream, at, *size)) break;  // a decoder stops here
    const Bytes unit = stream.subspan(at, *size);
    at += *size;
    if (type == kSequenceHeader) sequence = ReadSequence(unit);
    const bool is_frame = type == kFrame || type == kFrameHeader || type == kRedundantFrameHeader;
    if (!is_frame || !sequence) continue;
    const uint64_t pixels = ReadFramePixels(unit, *sequence);
    pixels_ += pixels;
    bytes_ += (pixels * sequence->half_bytes_a_pixel + 1) / 2;
    half_bytes_a_pixel_ = std::max(half_bytes_a_pixel_, sequence->half_bytes_a_pixel);
    if (++frames > kMaxFrames || pixels_ > kMaxCodedPixels || bytes_ > kMaxCodedBytes) return false;
  }
  return units_ <= kMaxUnits;
}

}  // namespace telltale
