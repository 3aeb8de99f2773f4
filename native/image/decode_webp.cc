// WebP by libwebp; of an animation, the first frame on its canvas.
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <memory>

#include "image/alpha.h"
#include "image/decoders.h"

namespace telltale {
namespace {

constexpr ImageFormat kFormat = ImageFormat::kWebp;

struct DemuxerDeleter {
  void operator()(WebPDemuxer* demuxer) const { WebPDemuxDelete(demuxer); }
};
using Demuxer = std::unique_ptr<WebPDemuxer, DemuxerDeleter>;

class FirstFrame {
 public:
  explicit FirstFrame(const WebPDemuxer* demuxer) : found_(WebPDemuxGetFrame(demuxer, 1, &iterator_) != 0) {}
  ~FirstFrame() { WebPDemuxReleaseIterator(&iterator_); }
  FirstFrame(const FirstFrame&) = delete;
  FirstFrame& operator=(const FirstFrame&) = delete;
  const WebPIterator* get() const { return found_ && iterator_.complete ? &iterator_ : nullptr; }

 private:
  WebPIterator iterator_{};
  bool found_;
};

// One bitstream, transparency over white.
Status DecodeFrame(const WebPIterator& frame, Image* image) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config))
    return Status(StatusCode::kInternalError, "libwebp is of another version");
  if (WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &config.input) != VP8_STATUS_OK ||
      config.input.width != frame.width || config.input.height != frame.height) {
    return CannotDecode(kFormat);
  }
  const bool has_alpha = config.input.has_alpha != 0;
  const int channels = has_alpha ? 4 : 3;
  Allocate({frame.width, frame.height}, channels, image);
  config.output.colorspace = has_alpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {image->pixels.data(), frame.width * channels, image->pixels.size()};
  if (WebPDecode(frame.fragment.bytes, frame.fragment.size, &config) != VP8_STATUS_OK)
    return CannotDecode(kFormat);
  if (has_alpha) FlattenOverWhite(image);
  return Status();
}

// A frame that leaves part of the canvas free: white there.
Status DecodeOntoCanvas(const WebPIterator& frame, StoredSize size, Image* image) {
  Image part;
  if (Status status = DecodeFrame(frame, &part); !status.ok()) return status;
  Allocate(size, 3, image);
  std::fill(image->pixels.begin(), image->pixels.end(), uint8_t{255});
  image->is_transparent = part.is_transparent;
  for (int y = 0; y < part.height; ++y) {
    std::copy_n(part.row(y), static_cast<size_t>(part.width) * 3,
                image->row(frame.y_offset + y) + static_cast<size_t>(frame.x_offset) * 3);
  }
  return Status();
}

}  // namespace

Status DecodeWebp(Bytes bytes, StoredSize size, Image* image) {
  const WebPData data{bytes.data(), bytes.size()};
  const Demuxer demuxer(WebPDemux(&data));
  if (!demuxer) return CannotDecode(kFormat);
  if (static_cast<int64_t>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH)) != size.width ||
      static_cast<int64_t>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT)) != size.height) {
    return CannotDecode(kFormat);
  }
  const FirstFrame first(demuxer.get());
  const WebPIterator* frame = first.get();
  if (frame == nullptr) return CannotDecode(kFormat);
  if (frame->width == size.width && frame->height == size.height) return DecodeFrame(*frame, image);
  return DecodeOntoCanvas(*frame, size, image);
}

bool ReadWebpAlpha(Bytes bytes, size_t least_samples, AlphaColumns* columns) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config) ||
      WebPGetFeatures(bytes.data(), bytes.size(), &config.input) != VP8_STATUS_OK ||
      config.input.has_alpha == 0 || config.input.has_animation != 0) {
    return false;
  }
  columns->height = config.input.height;
  columns->width = CountColumns(config.input.width, config.input.height, least_samples);
  std::vector<uint8_t> rgba(static_cast<size_t>(columns->width) * columns->height * 4);
  config.options.use_cropping = 1;
  config.options.crop_width = columns->width;
  config.options.crop_height = columns->height;
  config.output.colorspace = MODE_RGBA;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {rgba.data(), columns->width * 4, rgba.size()};
  if (WebPDecode(bytes.data(), bytes.size(), &config) != VP8_STATUS_OK) return false;
  columns->samples.resize(rgba.size() / 4);
  for (size_t i = 0; i < columns->samples.size(); ++i) columns->samples[i] = rgba[4 * i + 3];
  return true;
}

}  // namespace telltale
