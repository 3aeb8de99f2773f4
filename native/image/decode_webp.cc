// Decoding WebP with libwebp. Of an animation, decodes the first frame and places it on the canvas.
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

// Decodes one frame and composites it over white.
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
  // The file may end after the first frame. `complete` says whether the first frame is whole.
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

}  // namespace telltale
