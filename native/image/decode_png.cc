// PNG by libpng; of an APNG, the default image.
//
// Samples of 16 bits keep their high byte, as Pillow does. Everything that only describes the
// picture (profiles, gamma, text, EXIF) is passed over unread, so that a compressed text of any size
// costs its bytes and no memory; a checksum that is wrong anywhere is corruption.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <vector>

#include "image/decoders.h"

namespace telltale {
namespace {

// Ancillary chunks that libpng knows and no pixel needs. tRNS is not among them.
constexpr png_byte kPassedOver[] =
    "bKGD\0cHRM\0cICP\0cLLi\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0mDCv\0oFFs\0pCAL\0pHYs\0"
    "sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0zTXt";
constexpr int kPassedOverCount = sizeof(kPassedOver) / 5;

[[noreturn]] void OnError(png_structp codec, png_const_charp) { png_longjmp(codec, 1); }
void OnWarning(png_structp, png_const_charp) {}

struct Source {
  const uint8_t* next;
  size_t left;
};

void OnRead(png_structp codec, png_bytep to, size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(codec));
  if (count > source->left) png_error(codec, "end of file");
  std::copy_n(source->next, count, to);
  source->next += count;
  source->left -= count;
}

void AskForRgb(png_structp codec, png_infop info) {
  png_set_expand(codec);
  png_set_strip_16(codec);
  png_set_gray_to_rgb(codec);
  const bool has_alpha = (png_get_color_type(codec, info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                         png_get_valid(codec, info, PNG_INFO_tRNS);
  if (has_alpha) {
    const auto white = static_cast<png_uint_16>(png_get_bit_depth(codec, info) == 16 ? 65535 : 255);
    png_color_16 background{0, white, white, white, white};
    png_set_background(codec, &background, PNG_BACKGROUND_GAMMA_SCREEN, 0, 1.0);
  }
}

// False where libpng gave up. No local here or below has a destructor: libpng leaves by longjmp.
bool DecodeGuarded(png_structp codec, png_infop info, Source* source, StoredSize size, png_bytepp rows) {
  if (setjmp(png_jmpbuf(codec)) != 0) return false;
  png_set_user_limits(codec, kMaxSidePx, kMaxSidePx);
  png_set_crc_action(codec, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_keep_unknown_chunks(codec, PNG_HANDLE_CHUNK_NEVER, kPassedOver, kPassedOverCount);
  png_set_read_fn(codec, source, OnRead);
  png_read_info(codec, info);
  if (static_cast<int64_t>(png_get_image_width(codec, info)) != size.width ||
      static_cast<int64_t>(png_get_image_height(codec, info)) != size.height) {
    return false;
  }
  AskForRgb(codec, info);
  png_set_interlace_handling(codec);
  png_read_update_info(codec, info);
  if (png_get_rowbytes(codec, info) != static_cast<size_t>(size.width) * 3) return false;
  png_read_image(codec, rows);
  png_read_end(codec, nullptr);
  return true;
}

}  // namespace

Status DecodePng(Bytes bytes, StoredSize size, Image* image) {
  Allocate(size, 3, image);
  std::vector<png_bytep> rows(size.height);
  for (int y = 0; y < size.height; ++y) rows[y] = image->row(y);
  Source source{bytes.data(), bytes.size()};
  png_structp codec = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, OnError, OnWarning);
  png_infop info = codec != nullptr ? png_create_info_struct(codec) : nullptr;
  const bool decoded = info != nullptr && DecodeGuarded(codec, info, &source, size, rows.data());
  png_destroy_read_struct(&codec, &info, nullptr);
  return decoded ? Status() : CannotDecode(ImageFormat::kPng);
}

}  // namespace telltale
