// WebP by libwebp; of an animation, the first frame on its canvas.
#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>

#include "image/alpha.h"
#include "image/decoders.h"

namespace telltale {
namespace {

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
    return CannotDecode(ImageFormat::kWebp);
  }
  const bool has_alpha = config.input.has_alpha != 0;
  const int channels = has_alpha ? 4 : 3;
  Allocate({frame.width, frame.height}, channels, image);
  config.output.colorspace = has_alpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {image->pixels.data(), frame.width * channels, image->pixels.size()};
  if (WebPDecode(frame.fragment.bytes, frame.fragment.size, &config) != VP8_STATUS_OK)
    return CannotDecode(ImageFormat::kWebp);
  if (has_alpha) FlattenOverWhite(image);
  return Status();
}

}  // namespace

Status DecodeWebp(Bytes bytes, StoredSize size, Image* image) {
  const WebPData data{bytes.data(), bytes.size()};
  // What is missing behind the first frame is no reason to refuse it: `complete` tells whether it is whole.
  WebPDemuxState state;
  const Demuxer demuxer(WebPDemuxPartial(&data, &state));
  if (!demuxer) return CannotDecode(ImageFormat::kWebp);
  if (static_cast<int64_t>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_WIDTH)) != size.width ||
      static_cast<int64_t>(WebPDemuxGetI(demuxer.get(), WEBP_FF_CANVAS_HEIGHT)) != size.height) {
    return CannotDecode(ImageFormat::kWebp);
  }
  const FirstFrame first(demuxer.get());
  const WebPIterator* frame = first.get();
  if (frame == nullptr) return CannotDecode(ImageFormat::kWebp);
  if (frame->width == size.width && frame->height == size.height) return DecodeFrame(*frame, image);
  Image part;
  if (Status status = DecodeFrame(*frame, &part); !status.ok()) return status;
  PlaceOnWhite(part, frame->x_offset, frame->y_offset, size, image);
  return Status();
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
