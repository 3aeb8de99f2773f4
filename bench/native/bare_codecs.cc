// Decoding with each codec library directly: one short function per library.
#include "bare_codecs.h"

#include <avif/avif.h>
#include <png.h>
#include <tiffio.h>
#include <webp/decode.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>

#include "image/libjpeg.h"

namespace telltale::bench {
namespace {

using Pixels = std::vector<uint8_t>;

uint8_t* Room(Pixels* pixels, size_t width, size_t height) {
  pixels->resize(width * height * 3);
  return pixels->data();
}

struct JpegErrors {
  jpeg_error_mgr base;
  jmp_buf escape;
};

// Settings that affect pixels are the same as in Telltale's decoder: accurate DCT and smooth upsampling.
bool DecodeJpegBare(Bytes bytes, Pixels* pixels) {
  jpeg_decompress_struct codec{};
  JpegErrors errors{};
  codec.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr failed) {
    longjmp(reinterpret_cast<JpegErrors*>(failed->err)->escape, 1);
  };
  if (setjmp(errors.escape) != 0) {
    jpeg_destroy_decompress(&codec);
    return false;
  }
  jpeg_create_decompress(&codec);
  jpeg_mem_src(&codec, bytes.data(), bytes.size());
  jpeg_read_header(&codec, TRUE);
  codec.out_color_space = JCS_RGB;
  codec.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&codec);
  const size_t stride = static_cast<size_t>(codec.output_width) * 3;
  uint8_t* target = Room(pixels, codec.output_width, codec.output_height);
  while (codec.output_scanline < codec.output_height) {
    JSAMPROW row = target + codec.output_scanline * stride;
    jpeg_read_scanlines(&codec, &row, 1);
  }
  jpeg_finish_decompress(&codec);
  jpeg_destroy_decompress(&codec);
  return true;
}

bool DecodePngBare(Bytes bytes, Pixels* pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return false;
  image.format = PNG_FORMAT_RGB;
  uint8_t* target = Room(pixels, image.width, image.height);
  const png_color white{255, 255, 255};
  return png_image_finish_read(&image, &white, target, 0, nullptr) != 0;
}

bool DecodeWebpBare(Bytes bytes, Pixels* pixels) {
  int width = 0, height = 0;
  if (WebPGetInfo(bytes.data(), bytes.size(), &width, &height) == 0) return false;
  uint8_t* target = Room(pixels, width, height);
  return WebPDecodeRGBInto(bytes.data(), bytes.size(), target, pixels->size(), width * 3) != nullptr;
}

bool DecodeAvifBare(Bytes bytes, Pixels* pixels) {
  const std::unique_ptr<avifDecoder, void (*)(avifDecoder*)> decoder(avifDecoderCreate(), avifDecoderDestroy);
  decoder->maxThreads = 1;
  decoder->strictFlags = AVIF_STRICT_DISABLED;
  if (avifDecoderSetIOMemory(decoder.get(), bytes.data(), bytes.size()) != AVIF_RESULT_OK ||
      avifDecoderParse(decoder.get()) != AVIF_RESULT_OK ||
      avifDecoderNextImage(decoder.get()) != AVIF_RESULT_OK) {
    return false;
  }
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, decoder->image);
  rgb.format = AVIF_RGB_FORMAT_RGB;
  rgb.depth = 8;
  rgb.pixels = Room(pixels, decoder->image->width, decoder->image->height);
  rgb.rowBytes = decoder->image->width * 3;
  return avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK;
}

struct Reading {
  Bytes bytes;
  size_t at = 0;
};

size_t ReadBytes(Reading* reading, void* target, size_t count) {
  const size_t given = std::min(count, reading->bytes.size() - std::min(reading->at, reading->bytes.size()));
  if (given > 0) std::memcpy(target, reading->bytes.data() + reading->at, given);
  reading->at += given;
  return given;
}

tmsize_t ReadTiff(thandle_t handle, void* target, tmsize_t count) {
  return static_cast<tmsize_t>(ReadBytes(static_cast<Reading*>(handle), target, count));
}
tmsize_t WriteTiff(thandle_t, void*, tmsize_t) { return 0; }
toff_t SeekTiff(thandle_t handle, toff_t offset, int whence) {
  auto* reading = static_cast<Reading*>(handle);
  const size_t base = whence == SEEK_CUR ? reading->at : whence == SEEK_END ? reading->bytes.size() : 0;
  reading->at = base + offset;
  return reading->at;
}
int CloseTiff(thandle_t) { return 0; }
toff_t SizeTiff(thandle_t handle) { return static_cast<Reading*>(handle)->bytes.size(); }

// Strips of 8-bit RGB need no conversion, so they are decoded directly into `pixels`.
bool DecodeTiffBare(Bytes bytes, Pixels* pixels) {
  Reading reading{bytes};
  const std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(
      TIFFClientOpen("memory", "rm", &reading, ReadTiff, WriteTiff, SeekTiff, CloseTiff, SizeTiff, nullptr,
                     nullptr),
      TIFFClose);
  if (!tiff || TIFFIsTiled(tiff.get())) return false;
  uint32_t width = 0, height = 0;
  uint16_t bits = 0, samples = 0, layout = PLANARCONFIG_CONTIG, colours = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, &samples);
  TIFFGetField(tiff.get(), TIFFTAG_PLANARCONFIG, &layout);
  TIFFGetField(tiff.get(), TIFFTAG_PHOTOMETRIC, &colours);
  if (bits != 8 || samples != 3 || layout != PLANARCONFIG_CONTIG || colours != PHOTOMETRIC_RGB) return false;
  uint8_t* target = Room(pixels, width, height);
  size_t left = pixels->size();
  for (uint32_t strip = 0; strip < TIFFNumberOfStrips(tiff.get()); ++strip) {
    const tmsize_t size = TIFFReadEncodedStrip(tiff.get(), strip, target, static_cast<tmsize_t>(left));
    if (size <= 0) return false;
    target += size;
    left -= size;
  }
  return left == 0;
}

}  // namespace

bool DecodeBare(ImageFormat format, Bytes bytes, std::vector<uint8_t>* pixels) {
  switch (format) {
    case ImageFormat::kJpeg:
      return DecodeJpegBare(bytes, pixels);
    case ImageFormat::kPng:
      return DecodePngBare(bytes, pixels);
    case ImageFormat::kWebp:
      return DecodeWebpBare(bytes, pixels);
    case ImageFormat::kAvif:
      return DecodeAvifBare(bytes, pixels);
    case ImageFormat::kGif:
    case ImageFormat::kBmp:
      return false;
    case ImageFormat::kTiff:
      return DecodeTiffBare(bytes, pixels);
  }
  return false;
}

}  // namespace telltale::bench
