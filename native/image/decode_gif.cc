// Decoding a GIF's first frame with giflib. Pixels that are transparent or outside the frame become white.
#include <gif_lib.h>

#include <algorithm>
#include <memory>

#include "image/decoders.h"

namespace telltale {
namespace {

struct GifSource {
  const uint8_t* next;
  size_t left;
  bool has_ended = false;
};

// Adds the empty block that ends a frame's data, once, if the file ends without it. giflib then succeeds if
// all pixels are there and fails otherwise.
int GiveEmptyBlock(GifSource* source, GifByteType* to, int count) {
  if (source->has_ended || count != 1) return 0;
  source->has_ended = true;
  *to = 0;
  return 1;
}

int OnRead(GifFileType* codec, GifByteType* to, int count) {
  auto* source = static_cast<GifSource*>(codec->UserData);
  if (source->left == 0) return GiveEmptyBlock(source, to, count);
  const auto given = static_cast<int>(std::min<size_t>(source->left, count));
  std::copy_n(source->next, given, to);
  source->next += given;
  source->left -= given;
  return given;
}

struct GifDeleter {
  void operator()(GifFileType* codec) const { DGifCloseFile(codec, nullptr); }
};
using Gif = std::unique_ptr<GifFileType, GifDeleter>;

// Reads the file up to the first frame. Sets `transparent` to the frame's transparent colour index, or -1.
// Returns false if the file has no frame.
bool FindFrame(GifFileType* codec, int* transparent) {
  *transparent = NO_TRANSPARENT_COLOR;
  while (true) {
    GifRecordType type;
    if (DGifGetRecordType(codec, &type) == GIF_ERROR) return false;
    if (type == IMAGE_DESC_RECORD_TYPE) return DGifGetImageDesc(codec) == GIF_OK;
    if (type != EXTENSION_RECORD_TYPE) return false;
    int label = 0;
    GifByteType* block = nullptr;
    if (DGifGetExtension(codec, &label, &block) == GIF_ERROR) return false;
    if (label == GRAPHICS_EXT_FUNC_CODE && block != nullptr) {
      GraphicsControlBlock control;
      if (DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK)
        *transparent = control.TransparentColor;
    }
    while (block != nullptr) {
      if (DGifGetExtensionNext(codec, &block) == GIF_ERROR) return false;
    }
  }
}

// Order in which a frame's rows are stored. An interlaced frame has every eighth row first.
class RowOrder {
 public:
  RowOrder(int height, bool interlaced) : height_(height), interlaced_(interlaced) {}
  int Next() {
    if (!interlaced_) return row_++;
    while (row_ >= height_ && pass_ < 3) row_ = kFirst[++pass_];
    const int row = row_;
    row_ += kStep[pass_];
    return row;
  }

 private:
  static constexpr int kFirst[4] = {0, 4, 2, 1};
  static constexpr int kStep[4] = {8, 8, 4, 2};
  int height_;
  bool interlaced_;
  int pass_ = 0;
  int row_ = 0;
};

// Paints a row, except pixels whose index is `transparent`. Returns true if a pixel was painted.
bool PaintRow(const PixelBuffer& indices, const ColorMapObject& colours, int transparent, uint8_t* to) {
  bool was_painted = false;
  for (const uint8_t index : indices) {
    if (index != transparent) {
      const GifColorType colour = index < colours.ColorCount ? colours.Colors[index] : GifColorType{};
      to[0] = colour.Red;
      to[1] = colour.Green;
      to[2] = colour.Blue;
      was_painted = true;
    }
    to += kChannels;
  }
  return was_painted;
}

// Paints the colour of a frame that is completely transparent. The image would otherwise be plain white.
void PaintHiddenColour(const GifImageDesc& frame, const ColorMapObject& colours, int transparent,
                       Image* image) {
  const PixelBuffer indices(frame.Width, static_cast<uint8_t>(transparent));
  for (int y = 0; y < frame.Height; ++y) {
    uint8_t* row = image->row(frame.Top + y);
    PaintRow(indices, colours, NO_TRANSPARENT_COLOR, row + static_cast<size_t>(frame.Left) * kChannels);
  }
  image->is_transparent = true;
}

}  // namespace

Status DecodeGif(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image) {
  GifSource source{bytes.data(), bytes.size()};
  const Gif codec(DGifOpen(&source, OnRead, nullptr));
  int transparent = NO_TRANSPARENT_COLOR;
  if (!codec || !FindFrame(codec.get(), &transparent)) return CannotDecode(ImageFormat::kGif);
  const GifImageDesc& frame = codec->Image;
  const ColorMapObject* colours = frame.ColorMap != nullptr ? frame.ColorMap : codec->SColorMap;
  const bool inside = frame.Left >= 0 && frame.Top >= 0 && frame.Width > 0 && frame.Height > 0 &&
                      frame.Left + frame.Width <= size.width && frame.Top + frame.Height <= size.height;
  if (colours == nullptr || !inside) return CannotDecode(ImageFormat::kGif);

  Allocate(size, kChannels, image);
  std::fill(image->pixels.begin(), image->pixels.end(), uint8_t{255});
  PixelBuffer indices(frame.Width);
  bool was_painted = false;
  RowOrder order(frame.Height, frame.Interlace);
  for (int i = 0; i < frame.Height; ++i) {
    if (cancellation.IsOver() || DGifGetLine(codec.get(), indices.data(), frame.Width) == GIF_ERROR) {
      return CannotDecode(ImageFormat::kGif);
    }
    uint8_t* row = image->row(frame.Top + order.Next());
    was_painted |=
        PaintRow(indices, *colours, transparent, row + static_cast<size_t>(frame.Left) * kChannels);
  }
  if (!was_painted) PaintHiddenColour(frame, *colours, transparent, image);
  return Status();
}

}  // namespace telltale
