// Decoding PNG with libpng. Of an animated PNG, decodes the first frame that viewers show.
//
// 16-bit samples are reduced to their high byte, as in Pillow. Chunks that only describe the image (profiles,
// gamma, text, EXIF) are skipped, so that a compressed text uses no memory. A wrong checksum is an error in a
// chunk of pixels and is ignored elsewhere. libpng's push reader is used because it stops at the last row,
// whereas the other reader decompresses everything after that row.
#include <png.h>

#include <algorithm>
#include <csetjmp>

#include "image/alpha.h"
#include "image/apng_frame.h"
#include "image/decoders.h"

namespace telltale {
namespace {

// Names of optional chunks that do not change pixels, which libpng should skip. tRNS (transparency) does
// change pixels, so it is missing here.
constexpr png_byte kPassedOver[] =
    "bKGD\0cHRM\0cICP\0cLLi\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0mDCv\0oFFs\0pCAL\0pHYs\0"
    "sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";
constexpr int kPassedOverCount = sizeof(kPassedOver) / 5;

[[noreturn]] void OnError(png_structp codec, png_const_charp) { png_longjmp(codec, 1); }
void OnWarning(png_structp, png_const_charp) {}

// State of one decoding, for libpng's callbacks.
struct Target {
  StoredSize size;
  const Cancellation* cancellation;
  int channels;  // 3: RGB, alpha over white; 4: RGBA, if the file has alpha
  uint8_t* pixels;
  int last_pass = 0;  // 6 if the image is interlaced
  bool has_alpha = false;
  bool has_last_row = false;
};

void AskForPixels(png_structp codec, png_infop info, Target* target) {
  png_set_expand(codec);
  png_set_strip_16(codec);
  png_set_gray_to_rgb(codec);
  target->has_alpha = (png_get_color_type(codec, info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                      png_get_valid(codec, info, PNG_INFO_tRNS);
  if (target->has_alpha && target->channels == 3) {
    const auto white = static_cast<png_uint_16>(png_get_bit_depth(codec, info) == 16 ? 65535 : 255);
    png_color_16 background{0, white, white, white, white};
    png_set_background(codec, &background, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1.0);
  }
}

void OnInfo(png_structp codec, png_infop info) {
  auto* target = static_cast<Target*>(png_get_progressive_ptr(codec));
  if (static_cast<int64_t>(png_get_image_width(codec, info)) != target->size.width ||
      static_cast<int64_t>(png_get_image_height(codec, info)) != target->size.height) {
    png_error(codec, "another size");
  }
  AskForPixels(codec, info, target);
  target->last_pass = png_set_interlace_handling(codec) - 1;
  png_read_update_info(codec, info);
  if (png_get_rowbytes(codec, info) != static_cast<size_t>(target->size.width) * target->channels)
    png_error(codec, "other samples");
}

// Stores a decoded row. `from` is null if this pass of an interlaced image does not change the row.
void OnRow(png_structp codec, png_bytep from, png_uint_32 y, int pass) {
  auto* target = static_cast<Target*>(png_get_progressive_ptr(codec));
  const auto height = static_cast<png_uint_32>(target->size.height);
  if (y >= height) return;
  if (target->cancellation->IsOver()) png_error(codec, "no time left");
  const size_t stride = static_cast<size_t>(target->size.width) * target->channels;
  png_progressive_combine_row(codec, target->pixels + y * stride, from);
  target->has_last_row |= y == height - 1 && pass == target->last_pass;
}

void OnEnd(png_structp, png_infop) {}

// Decodes the file. Returns false if libpng failed within the pixels. If it stops elsewhere, for example
// because the end is missing, the caller checks whether the last row arrived. libpng reports errors by
// longjmp, so no local variable here or below may have a destructor.
bool ReadGuarded(png_structp codec, png_infop info, Bytes bytes, Target* target) {
  constexpr uint32_t kPixels = 0x49444154;  // "IDAT"
  if (setjmp(png_jmpbuf(codec)) != 0) return png_get_io_chunk_type(codec) != kPixels;
  png_set_user_limits(codec, kMaxSidePx, kMaxSidePx);
  png_set_crc_action(codec, PNG_CRC_ERROR_QUIT, PNG_CRC_WARN_DISCARD);
  png_set_keep_unknown_chunks(codec, PNG_HANDLE_CHUNK_NEVER, kPassedOver, kPassedOverCount);
  png_set_progressive_read_fn(codec, target, OnInfo, OnRow, OnEnd);
  // The cast is safe because libpng does not change the data.
  png_process_data(codec, info, const_cast<png_bytep>(bytes.data()), bytes.size());
  return true;
}

bool DecodePixels(Bytes bytes, Target* target) {
  png_structp codec = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, OnError, OnWarning);
  png_infop info = codec != nullptr ? png_create_info_struct(codec) : nullptr;
  const bool was_read = info != nullptr && ReadGuarded(codec, info, bytes, target);
  png_destroy_read_struct(&codec, &info, nullptr);
  return was_read && target->has_last_row;
}

bool IsWhite(const PixelBuffer& pixels) {
  return std::all_of(pixels.begin(), pixels.end(), [](uint8_t sample) { return sample == 255; });
}

Status DecodeStill(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image) {
  Allocate(size, 3, image);
  Target target{size, &cancellation, 3, image->pixels.data()};
  if (!DecodePixels(bytes, &target)) return CannotDecode(ImageFormat::kPng);
  if (!target.has_alpha || !IsWhite(image->pixels)) return Status();
  // Decodes again with alpha. This is rare: only for images that are plain white or transparent.
  image->pixels = PixelBuffer();
  Allocate(size, 4, image);
  Target again{size, &cancellation, 4, image->pixels.data()};
  if (!DecodePixels(bytes, &again)) return CannotDecode(ImageFormat::kPng);
  FlattenOverWhite(image);
  return Status();
}

}  // namespace

Status DecodePng(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image) {
  const std::optional<ApngFrame> frame = ReadFirstApngFrame(bytes);
  if (!frame) return DecodeStill(bytes, size, cancellation, image);
  Image part;
  if (Status status = DecodeStill(frame->png, {frame->width, frame->height}, cancellation, &part);
      !status.ok())
    return status;
  PlaceOnWhite(part, frame->x, frame->y, size, image);
  return Status();
}

}  // namespace telltale
