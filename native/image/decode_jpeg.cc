// Decoding JPEG with libjpeg-turbo, using the accurate integer DCT.
//
// libjpeg reports most damage only as a warning, and paints missing parts grey. This decoder fails on
// warnings about missing or impossible image data: a premature end of the file or of a scan, an invalid
// Huffman or arithmetic code, a misplaced restart marker, or a progressive scan that refines data that was
// never sent. It ignores warnings that leave every pixel right: bytes before a marker (padding of cameras and
// scanners), an unknown JFIF version or Adobe transform, scan parameters that sequential decoding does not
// read (some phones write them), and any damage after the last pixel.

#include <algorithm>
#include <csetjmp>

#include "image/decoders.h"
#include "image/libjpeg.h"

namespace telltale {
namespace {

// Maximum number of scans, the passes in which a progressive JPEG is stored. Decoding time is proportional
// to scans x pixels, so large images may have fewer scans, but at least kMinMaxScans. Encoders write about
// ten scans. With these limits, a hostile file takes hardly more time than a large normal file.
constexpr int kMaxScans = 500;
constexpr int kMinMaxScans = 32;
constexpr int64_t kMaxScannedPixels = 2'000'000'000;

// Maximum memory of libjpeg, which holds the coefficients of kMaxPixels in three full progressive
// components.
constexpr long kMaxCodecMemory = 640L * 1024 * 1024;

int MaxScans(StoredSize size) {
  const int64_t by_work = kMaxScannedPixels / (static_cast<int64_t>(size.width) * size.height);
  return static_cast<int>(std::min<int64_t>(std::max<int64_t>(by_work, kMinMaxScans), kMaxScans));
}

// State of one decoding. libjpeg reports errors by longjmp, which skips destructors. Neither the members, nor
// the local variables of the functions that use this state, have destructors.
struct Decoding {
  jpeg_decompress_struct codec;
  jpeg_error_mgr errors;
  jpeg_progress_mgr progress;
  jmp_buf escape;
  StatusCode code;
  int max_scans;
  const Cancellation* cancellation;
  bool ended_early;   // the file has no end-of-image marker
  bool has_all_rows;  // every pixel is decoded
};

Decoding* DecodingOf(j_common_ptr codec) { return static_cast<Decoding*>(codec->client_data); }

[[noreturn]] void Escape(j_common_ptr codec, StatusCode code) {
  Decoding* decoding = DecodingOf(codec);
  decoding->code = code;
  longjmp(decoding->escape, 1);
}

void OnError(j_common_ptr codec) {
  if (DecodingOf(codec)->has_all_rows) Escape(codec, StatusCode::kOk);
  const int message = codec->err->msg_code;
  const bool memory = message == JERR_OUT_OF_MEMORY || message == JERR_NO_BACKING_STORE;
  Escape(codec, memory ? StatusCode::kImageTooManyPixels : StatusCode::kImageCorrupt);
}

void OnMessage(j_common_ptr codec, int level) {
  if (level >= 0) return;  // not a warning
  switch (codec->err->msg_code) {
    case JWRN_JFIF_MAJOR:
    case JWRN_ADOBE_XFORM:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_EXTRANEOUS_DATA:
      return;
    case JWRN_JPEG_EOF:
      // Missing bits in a pixel cause another warning. Arithmetic coding is an exception, because it may omit
      // zeros at the end, so it fails here.
      if (reinterpret_cast<j_decompress_ptr>(codec)->arith_code) break;
      DecodingOf(codec)->ended_early = true;
      return;
  }
  Escape(codec, StatusCode::kImageCorrupt);
}

void OnOutput(j_common_ptr) {}

void OnProgress(j_common_ptr codec) {
  const Decoding* decoding = DecodingOf(codec);
  if (reinterpret_cast<j_decompress_ptr>(codec)->input_scan_number > decoding->max_scans ||
      decoding->cancellation->IsOver()) {
    Escape(codec, StatusCode::kImageCorrupt);
  }
}

// Returns true if the scans read so far contain the whole image: all colour components and, in a progressive
// image, every bit of every coefficient.
bool HoldsAllScans(const jpeg_decompress_struct& codec) {
  for (int i = 0; i < codec.num_components; ++i) {
    if (codec.progressive_mode) {
      const int* bits_left = codec.coef_bits[i];
      if (std::any_of(bits_left, bits_left + DCTSIZE2, [](int bits) { return bits != 0; })) return false;
    } else if (codec.comp_info[i].quant_table == nullptr) {  // set by the component's first scan
      return false;
    }
  }
  return true;
}

uint8_t DivideBy255(unsigned product) {
  const unsigned sum = product + 128;
  return static_cast<uint8_t>((sum + (sum >> 8)) >> 8);
}

// Converts CMYK to RGB. Treats the four values as inverted, as Adobe writes them, with or without Adobe's
// marker. Pillow and browsers do the same.
void ConvertInvertedCmyk(const uint8_t* from, int width, uint8_t* to) {
  for (int x = 0; x < width; ++x, from += 4, to += 3) {
    const unsigned black = from[3];
    for (int i = 0; i < 3; ++i) to[i] = static_cast<uint8_t>(black - DivideBy255((255u - from[i]) * black));
  }
}

void Start(Decoding* decoding, Bytes bytes, StoredSize size) {
  jpeg_decompress_struct* codec = &decoding->codec;
  codec->err = jpeg_std_error(&decoding->errors);
  codec->client_data = decoding;
  decoding->errors.error_exit = OnError;
  decoding->errors.emit_message = OnMessage;
  decoding->errors.output_message = OnOutput;
  decoding->progress.progress_monitor = OnProgress;
  decoding->max_scans = MaxScans(size);
  decoding->ended_early = false;
  decoding->has_all_rows = false;
  jpeg_create_decompress(codec);
  codec->progress = &decoding->progress;
  codec->mem->max_memory_to_use = kMaxCodecMemory;
  jpeg_mem_src(codec, bytes.data(), bytes.size());
}

// Returns the size of an image of `size` after shrinking.
StoredSize Shrunk(StoredSize size, int shrink) {
  return {(size.width + shrink - 1) / shrink, (size.height + shrink - 1) / shrink};
}

// Decodes into `pixels`, rows of RGB in the shrunken size. `cmyk_row` has space for one row of CMYK.
void Run(Decoding* decoding, StoredSize size, int shrink, uint8_t* pixels, uint8_t* cmyk_row) {
  jpeg_decompress_struct* codec = &decoding->codec;
  jpeg_read_header(codec, TRUE);
  const bool same_size = static_cast<int64_t>(codec->image_width) == size.width &&
                         static_cast<int64_t>(codec->image_height) == size.height;
  if (!same_size) Escape(reinterpret_cast<j_common_ptr>(codec), StatusCode::kImageCorrupt);
  const bool cmyk = codec->num_components == 4;
  codec->out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
  codec->dct_method = JDCT_ISLOW;
  codec->do_fancy_upsampling = TRUE;
  codec->scale_num = 1;
  codec->scale_denom = static_cast<unsigned>(shrink);
  jpeg_start_decompress(codec);
  if (decoding->ended_early && !HoldsAllScans(*codec)) {
    Escape(reinterpret_cast<j_common_ptr>(codec), StatusCode::kImageCorrupt);
  }
  const StoredSize shrunk = Shrunk(size, shrink);
  const bool has_room = static_cast<int64_t>(codec->output_width) == shrunk.width &&
                        static_cast<int64_t>(codec->output_height) == shrunk.height;
  if (!has_room) Escape(reinterpret_cast<j_common_ptr>(codec), StatusCode::kImageCorrupt);
  const size_t stride = static_cast<size_t>(shrunk.width) * 3;
  while (codec->output_scanline < codec->output_height) {
    uint8_t* target = pixels + codec->output_scanline * stride;
    if (cmyk) {
      if (jpeg_read_scanlines(codec, &cmyk_row, 1) == 1) ConvertInvertedCmyk(cmyk_row, shrunk.width, target);
    } else {
      JSAMPROW rows[4];
      for (int i = 0; i < 4; ++i) rows[i] = target + i * stride;
      const JDIMENSION left = codec->output_height - codec->output_scanline;
      jpeg_read_scanlines(codec, rows, left < 4 ? left : 4);
    }
  }
  decoding->has_all_rows = true;
  jpeg_finish_decompress(codec);  // reads to the end-of-image marker and finds left-over bytes
}

// Runs the decoder. Errors of libjpeg return here by longjmp.
StatusCode DecodeGuarded(Decoding* decoding, Bytes bytes, StoredSize size, int shrink, uint8_t* pixels,
                         uint8_t* cmyk_row) {
  decoding->code = StatusCode::kOk;
  if (setjmp(decoding->escape) == 0) {
    Start(decoding, bytes, size);
    Run(decoding, size, shrink, pixels, cmyk_row);
  }
  jpeg_destroy_decompress(&decoding->codec);
  return decoding->code;
}

}  // namespace

Status DecodeJpeg(Bytes bytes, StoredSize size, int shrink, const Cancellation& cancellation, Image* image) {
  Allocate(Shrunk(size, shrink), 3, image);
  PixelBuffer cmyk_row(static_cast<size_t>(size.width) * 4);
  Decoding decoding{};
  decoding.cancellation = &cancellation;
  switch (DecodeGuarded(&decoding, bytes, size, shrink, image->pixels.data(), cmyk_row.data())) {
    case StatusCode::kOk:
      return Status();
    case StatusCode::kImageTooManyPixels:
      return Status(StatusCode::kImageTooManyPixels, "too_much_memory", {"jpeg"});
    default:
      return CannotDecode(ImageFormat::kJpeg);
  }
}

}  // namespace telltale
