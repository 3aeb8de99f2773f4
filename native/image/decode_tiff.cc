// TIFF by libtiff's RGBA interface: the first directory, in the order in which it is stored.
//
// Samples of 16 bits become 8 by libtiff's own rule, the nearest of v / 257 (the high byte for grey).
// libtiff sees memory, never a file system, and says nothing on stderr.
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstring>
#include <memory>

#include "image/alpha.h"
#include "image/decoders.h"

namespace telltale {
namespace {

constexpr ImageFormat kFormat = ImageFormat::kTiff;

// Chosen: a strip or tile is decoded whole, and a file has at most 20 MB.
constexpr uint64_t kMaxStripBytes = 256 * 1024 * 1024;
constexpr int kMaxSamples = 8;

struct Source {
  Bytes bytes;
  uint64_t at = 0;
  bool damaged = false;  // a codec inside libtiff reported damage that it went on from
};

Source* SourceOf(thandle_t handle) { return static_cast<Source*>(handle); }

tmsize_t OnRead(thandle_t handle, void* to, tmsize_t count) {
  Source* source = SourceOf(handle);
  const uint64_t left = source->at < source->bytes.size() ? source->bytes.size() - source->at : 0;
  const auto given = static_cast<tmsize_t>(std::min<uint64_t>(left, count));
  if (given > 0) std::memcpy(to, source->bytes.data() + source->at, given);
  source->at += given;
  return given;
}

tmsize_t OnWrite(thandle_t, void*, tmsize_t) { return 0; }

toff_t OnSeek(thandle_t handle, toff_t offset, int whence) {
  Source* source = SourceOf(handle);
  const uint64_t base = whence == SEEK_CUR ? source->at : whence == SEEK_END ? source->bytes.size() : 0;
  source->at = base + offset;
  return source->at;
}

int OnClose(thandle_t) { return 0; }
toff_t OnSize(thandle_t handle) { return SourceOf(handle)->bytes.size(); }

int OnMap(thandle_t handle, void** base, toff_t* size) {
  // libtiff asks for a pointer to what it only reads.
  *base = const_cast<uint8_t*>(SourceOf(handle)->bytes.data());
  *size = SourceOf(handle)->bytes.size();
  return 1;
}
void OnUnmap(thandle_t, void*, toff_t) {}

int OnError(TIFF*, void*, const char*, const char*, va_list) { return 1; }

// libtiff fills what a JPEG strip lacks with grey and reports it as a warning of this module.
int OnWarning(TIFF*, void* handle, const char* module, const char*, va_list) {
  if (module != nullptr && std::strcmp(module, "JPEGLib") == 0) SourceOf(handle)->damaged = true;
  return 1;
}

struct TiffDeleter {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, TiffDeleter>;

struct OptionsDeleter {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

Tiff Open(Source* source) {
  const std::unique_ptr<TIFFOpenOptions, OptionsDeleter> options(TIFFOpenOptionsAlloc());
  if (!options) return nullptr;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxStripBytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), OnError, source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), OnWarning, source);
  return Tiff(TIFFClientOpenExt("memory", "r", source, OnRead, OnWrite, OnSeek, OnClose, OnSize, OnMap,
                                OnUnmap, options.get()));
}

bool IsSupportedCompression(uint16_t compression) {
  // Left out: the JPEG of TIFF 6.0, which its own authors withdrew, and methods that no camera,
  // scanner or editor writes by default.
  switch (compression) {
    case COMPRESSION_NONE:
    case COMPRESSION_CCITTRLE:
    case COMPRESSION_CCITTFAX3:
    case COMPRESSION_CCITTFAX4:
    case COMPRESSION_LZW:
    case COMPRESSION_JPEG:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_PACKBITS:
    case COMPRESSION_ZSTD:
    case COMPRESSION_WEBP:
      return true;
    default:
      return false;
  }
}

// Whether the directory describes the sniffed picture in pieces of bearable size.
bool IsBearable(TIFF* tiff, StoredSize size) {
  uint32_t width = 0, height = 0;
  uint16_t compression = COMPRESSION_NONE, samples = 1;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  const uint64_t piece = TIFFIsTiled(tiff) ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  return width == static_cast<uint32_t>(size.width) && height == static_cast<uint32_t>(size.height) &&
         samples <= kMaxSamples && piece > 0 && piece <= kMaxStripBytes &&
         IsSupportedCompression(compression);
}

// libtiff's picture state, freed on every way out.
class RgbaReader {
 public:
  explicit RgbaReader(TIFF* tiff) {
    char reason[1024] = "";
    constexpr int kStopOnError = 1;
    begun_ = TIFFRGBAImageOK(tiff, reason) && TIFFRGBAImageBegin(&state_, tiff, kStopOnError, reason);
  }
  ~RgbaReader() {
    if (begun_) TIFFRGBAImageEnd(&state_);
  }
  RgbaReader(const RgbaReader&) = delete;
  RgbaReader& operator=(const RgbaReader&) = delete;

  // RGBA with alpha multiplied in, rows as stored.
  bool Read(StoredSize size, uint8_t* pixels) {
    if (!begun_) return false;
    state_.orientation = ORIENTATION_TOPLEFT;
    state_.req_orientation = ORIENTATION_TOPLEFT;
    return TIFFRGBAImageGet(&state_, reinterpret_cast<uint32_t*>(pixels), size.width, size.height) != 0;
  }

 private:
  TIFFRGBAImage state_{};
  bool begun_ = false;
};

}  // namespace

Status DecodeTiff(Bytes bytes, StoredSize size, Image* image) {
  Source source{bytes};
  const Tiff tiff = Open(&source);
  if (!tiff || !IsBearable(tiff.get(), size)) return CannotDecode(kFormat);
  Allocate(size, 4, image);
  RgbaReader reader(tiff.get());
  if (!reader.Read(size, image->pixels.data()) || source.damaged) return CannotDecode(kFormat);
  FlattenPremultipliedOverWhite(image);
  return Status();
}

}  // namespace telltale
