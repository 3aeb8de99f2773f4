// Encoding images in memory: JPEG with libjpeg-turbo and PNG with libpng.
#include "image/encode.h"

#include <png.h>

#include <csetjmp>
#include <cstdlib>

#include "image/libjpeg.h"

namespace telltale {
namespace {

// libjpeg's error handler, with the place to which an error jumps back.
struct JpegErrors {
  jpeg_error_mgr base;
  jmp_buf escape;
};

[[noreturn]] void OnJpegError(j_common_ptr codec) {
  longjmp(reinterpret_cast<JpegErrors*>(codec->err)->escape, 1);
}
void OnJpegMessage(j_common_ptr, int) {}

// Memory that libjpeg allocates for the encoded file. Freed whether or not encoding succeeds.
struct JpegOutput {
  unsigned char* data = nullptr;
  unsigned long size = 0;
  ~JpegOutput() { std::free(data); }
};

// Encodes a JPEG. Returns false on failure. Errors of libjpeg skip destructors, so no local here has one.
bool EncodeJpegGuarded(const Image& image, int quality, unsigned char** data, unsigned long* size) {
  jpeg_compress_struct codec;
  JpegErrors errors;
  codec.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = OnJpegError;
  errors.base.emit_message = OnJpegMessage;
  if (setjmp(errors.escape) != 0) {
    jpeg_destroy_compress(&codec);
    return false;
  }
  jpeg_create_compress(&codec);
  jpeg_mem_dest(&codec, data, size);
  codec.image_width = static_cast<JDIMENSION>(image.width);
  codec.image_height = static_cast<JDIMENSION>(image.height);
  codec.input_components = 3;
  codec.in_color_space = JCS_RGB;
  jpeg_set_defaults(&codec);
  jpeg_set_quality(&codec, quality, TRUE);
  jpeg_start_compress(&codec, TRUE);
  while (codec.next_scanline < codec.image_height) {
    auto* row = const_cast<JSAMPLE*>(image.row(static_cast<int>(codec.next_scanline)));
    jpeg_write_scanlines(&codec, &row, 1);
  }
  jpeg_finish_compress(&codec);
  jpeg_destroy_compress(&codec);
  return true;
}

[[noreturn]] void OnPngError(png_structp codec, png_const_charp) { png_longjmp(codec, 1); }
void OnPngWarning(png_structp, png_const_charp) {}
void OnPngFlush(png_structp) {}

struct PngOutput {
  std::vector<uint8_t> bytes;
  bool out_of_memory = false;
};

// Appends encoded bytes. Only notes a failed allocation: exceptions must not pass through libpng's C code.
void OnPngWrite(png_structp codec, png_bytep from, size_t count) {
  auto* output = static_cast<PngOutput*>(png_get_io_ptr(codec));
  try {
    output->bytes.insert(output->bytes.end(), from, from + count);
  } catch (const std::bad_alloc&) {
    output->out_of_memory = true;
  }
}

bool EncodePngGuarded(png_structp codec, png_infop info, const Image& image, PngOutput* output) {
  if (setjmp(png_jmpbuf(codec)) != 0) return false;
  png_set_write_fn(codec, output, OnPngWrite, OnPngFlush);
  png_set_IHDR(codec, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(codec, info);
  for (int y = 0; y < image.height; ++y) png_write_row(codec, image.row(y));
  png_write_end(codec, info);
  return !output->out_of_memory;
}

Status CannotEncode(const char* format) {
  return Status(StatusCode::kInternalError, std::string("the image can't be written as ") + format);
}

}  // namespace

Result<std::vector<uint8_t>> EncodeJpeg(const Image& image, int quality) {
  JpegOutput output;
  if (!EncodeJpegGuarded(image, quality, &output.data, &output.size)) return CannotEncode("JPEG");
  return std::vector<uint8_t>(output.data, output.data + output.size);
}

Result<std::vector<uint8_t>> EncodePng(const Image& image) {
  PngOutput output;
  png_structp codec = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, OnPngError, OnPngWarning);
  png_infop info = codec != nullptr ? png_create_info_struct(codec) : nullptr;
  const bool encoded = info != nullptr && EncodePngGuarded(codec, info, image, &output);
  png_destroy_write_struct(&codec, &info);
  if (!encoded) return CannotEncode("PNG");
  return std::move(output.bytes);
}

}  // namespace telltale
