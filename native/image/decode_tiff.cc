// Decoding one page of a TIFF with libtiff's RGBA interface, not yet turned upright.
//
// libtiff converts 16-bit samples to 8 bits: the nearest to v / 257, or the high byte for grey. libtiff reads
// from memory only, and writes no messages to stderr.
#include <tiffio.h>

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstring>
#include <memory>
#include <optional>

#include "image/alpha.h"
#include "image/decoders.h"
#include "image/tiff_pieces.h"

namespace telltale {
namespace {

// Maximum size of a strip or tile, which libtiff decodes as a whole. Chosen for files of at most 20 MB.
constexpr uint64_t kMaxStripBytes = 256 * 1024 * 1024;
constexpr int kMaxSamples = 8;
// Limits on the memory of all tiles: eight times the image's memory, because a narrow image may lie in large
// tiles that are mostly empty. 64 MB are always allowed, for small images in large tiles.
constexpr uint64_t kMaxTiledShare = 8;
constexpr uint64_t kMaxSpareBytes = 64 * 1024 * 1024;

// Maximum scans of a JPEG strip, which libtiff decodes in one call. Progressive JPEG has about ten scans.
constexpr int kMaxJpegScans = 16;

struct TiffSource {
  uint64_t size() const { return bytes.size() + spare_bytes; }

  Bytes bytes;
  const Cancellation& cancellation;
  uint64_t spare_bytes;  // zeros that are read after the end
  uint64_t at = 0;
  bool damaged = false;  // a codec inside libtiff reported damage but continued
};

TiffSource* TiffSourceOf(thandle_t handle) { return static_cast<TiffSource*>(handle); }

// Reads from the file in memory. libtiff calls this for each strip and tile, unless the file is mapped.
tmsize_t OnRead(thandle_t handle, void* to, tmsize_t count) {
  TiffSource* source = TiffSourceOf(handle);
  if (source->cancellation.IsOver()) return 0;
  const auto left = [&](uint64_t end) { return source->at < end ? end - source->at : 0; };
  const auto given = static_cast<tmsize_t>(std::min<uint64_t>(left(source->size()), count));
  const auto stored = static_cast<tmsize_t>(std::min<uint64_t>(left(source->bytes.size()), given));
  if (stored > 0) std::memcpy(to, source->bytes.data() + source->at, stored);
  std::memset(static_cast<uint8_t*>(to) + stored, 0, given - stored);
  source->at += given;
  return given;
}

tmsize_t OnWrite(thandle_t, void*, tmsize_t) { return 0; }

toff_t OnSeek(thandle_t handle, toff_t offset, int whence) {
  TiffSource* source = TiffSourceOf(handle);
  const uint64_t base = whence == SEEK_CUR ? source->at : whence == SEEK_END ? source->size() : 0;
  source->at = base + offset;
  return source->at;
}

int OnClose(thandle_t) { return 0; }
toff_t OnSize(thandle_t handle) { return TiffSourceOf(handle)->size(); }

// Gives libtiff the whole file if it is uncompressed, because libtiff 4.5 cannot read tiles in separate
// planes otherwise. Compressed files are read in pieces, so that decoding can be cancelled.
int OnMap(thandle_t handle, void** base, toff_t* size) {
  const Bytes bytes = TiffSourceOf(handle)->bytes;
  const std::optional<TiffDirectory> directory = TiffDirectory::Main(bytes);
  if (!directory || directory->Value(TIFFTAG_COMPRESSION).value_or(COMPRESSION_NONE) != COMPRESSION_NONE)
    return 0;
  // The cast is safe because libtiff only reads.
  *base = const_cast<uint8_t*>(bytes.data());
  *size = bytes.size();
  return 1;
}
void OnUnmap(thandle_t, void*, toff_t) {}

int OnError(TIFF*, void*, const char*, const char*, va_list) { return 1; }

// Notes damaged JPEG data. libtiff fills missing parts of a strip with grey and only sends a warning.
int OnWarning(TIFF*, void* handle, const char* module, const char*, va_list) {
  if (module != nullptr && std::strcmp(module, "JPEGLib") == 0) TiffSourceOf(handle)->damaged = true;
  return 1;
}

struct TiffDeleter {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using Tiff = std::unique_ptr<TIFF, TiffDeleter>;

struct OptionsDeleter {
  void operator()(TIFFOpenOptions* options) const { TIFFOpenOptionsFree(options); }
};

// Opens the file without reading a directory (mode "h"). Otherwise libtiff would copy all values of the first
// directory. That directory may be a thumbnail's, whose values ReadTiffHeader does not check.
Tiff Open(TiffSource* source) {
  const std::unique_ptr<TIFFOpenOptions, OptionsDeleter> options(TIFFOpenOptionsAlloc());
  if (!options) return nullptr;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxStripBytes);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), OnError, source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), OnWarning, source);
  return Tiff(TIFFClientOpenExt("memory", "rh", source, OnRead, OnWrite, OnSeek, OnClose, OnSize, OnMap,
                                OnUnmap, options.get()));
}

bool IsSupportedCompression(uint16_t compression) {
  // Other methods are not supported: the JPEG of TIFF 6.0, which its authors withdrew, and methods that no
  // camera, scanner or editor writes by default.
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

// Returns true if the memory of all tiles is within the limits. libtiff decodes each tile as a whole, even
// the part outside the image.
bool IsCoveredByTiles(TIFF* tiff, StoredSize size, uint16_t samples) {
  uint16_t bits = 1;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  const uint64_t image = (uint64_t{bits} * samples * size.width + 7) / 8 * size.height;
  return TIFFNumberOfTiles(tiff) <=
         (kMaxTiledShare * image + kMaxSpareBytes) / static_cast<uint64_t>(TIFFTileSize64(tiff));
}

// Returns true if no strip or tile has more JPEG scans than allowed.
bool HasFewScans(TIFF* tiff, Bytes bytes) {
  constexpr uint8_t kStartOfScan[] = {0xFF, 0xDA};
  const uint32_t pieces = TIFFIsTiled(tiff) ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  for (uint32_t i = 0; i < pieces; ++i) {
    const uint64_t offset = std::min<uint64_t>(TIFFGetStrileOffset(tiff, i), bytes.size());
    const Bytes piece =
        bytes.subspan(offset, std::min<uint64_t>(TIFFGetStrileByteCount(tiff, i), bytes.size() - offset));
    int scans = 0;
    for (auto at = piece.begin();
         (at = std::search(at, piece.end(), std::begin(kStartOfScan), std::end(kStartOfScan))) != piece.end();
         ++at) {
      if (++scans > kMaxJpegScans) return false;
    }
  }
  return true;
}

// Returns true if the page has the sniffed size, and its strips or tiles are within the limits.
bool IsBearable(TIFF* tiff, Bytes bytes, StoredSize size) {
  uint32_t width = 0, height = 0;
  uint16_t compression = COMPRESSION_NONE, samples = 1;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  const uint64_t piece = TIFFIsTiled(tiff) ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  return width == static_cast<uint32_t>(size.width) && height == static_cast<uint32_t>(size.height) &&
         samples <= kMaxSamples && piece > 0 && piece <= kMaxStripBytes &&
         IsSupportedCompression(compression) &&
         (!TIFFIsTiled(tiff) || IsCoveredByTiles(tiff, size, samples)) &&
         (compression != COMPRESSION_JPEG || HasFewScans(tiff, bytes));
}

// Meaning of the fourth sample of each pixel that libtiff returns.
enum class Alpha { kNone, kStraight, kPremultiplied };

// Converts grey pixels with extra samples. Replaces libtiff's function, which ignores alpha, and which
// mistakes the skews of tiles for bytes although they are pixels. The second sample becomes alpha, without
// being multiplied into the colours.
void PutGrey(TIFFRGBAImage* state, uint32_t* to, uint32_t, uint32_t, uint32_t width, uint32_t height,
             int32_t from_skew, int32_t to_skew, unsigned char* from) {
  const ptrdiff_t sample_bytes = state->bitspersample / 8;
  const ptrdiff_t pixel_bytes = sample_bytes * state->samplesperpixel;
  const ptrdiff_t high = std::endian::native == std::endian::little ? sample_bytes - 1 : 0;
  const ptrdiff_t second = state->samplesperpixel > 1 ? sample_bytes + high : high;
  for (uint32_t y = 0; y < height; ++y, from += from_skew * pixel_bytes, to += to_skew) {
    for (uint32_t x = 0; x < width; ++x, from += pixel_bytes) {
      const uint32_t grey = *state->BWmap[from[high]] & 0x00FFFFFF;
      *to++ = grey | static_cast<uint32_t>(from[second]) << 24;
    }
  }
}

// Owner of libtiff's image state, which it frees in its destructor.
class RgbaReader {
 public:
  explicit RgbaReader(TIFF* tiff) {
    char reason[1024] = "";
    constexpr int kStopOnError = 1;
    begun_ = TIFFRGBAImageOK(tiff, reason) && TIFFRGBAImageBegin(&state_, tiff, kStopOnError, reason);
    if (!begun_) return;
    const bool is_grey =
        state_.photometric == PHOTOMETRIC_MINISBLACK || state_.photometric == PHOTOMETRIC_MINISWHITE;
    const bool is_whole = state_.bitspersample == 8 || state_.bitspersample == 16;
    const bool is_interleaved_grey = is_grey && is_whole && state_.isContig;
    if (is_interleaved_grey) state_.put.contig = PutGrey;
    // Only a sample that is declared as alpha counts as alpha. libtiff also takes other extra samples for
    // alpha, and would turn an image white whose extra samples are 0, although every viewer shows it.
    uint16_t count = 0;
    const uint16_t* kinds = nullptr;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    const uint16_t kind = count > 0 ? kinds[0] : EXTRASAMPLE_UNSPECIFIED;
    if (kind != EXTRASAMPLE_ASSOCALPHA && kind != EXTRASAMPLE_UNASSALPHA) return;
    const bool is_straight = is_interleaved_grey && kind == EXTRASAMPLE_UNASSALPHA;
    alpha_ = is_straight ? Alpha::kStraight : Alpha::kPremultiplied;
    multiplies_ = kind == EXTRASAMPLE_UNASSALPHA && !is_straight;
  }
  ~RgbaReader() {
    if (begun_) TIFFRGBAImageEnd(&state_);
  }
  RgbaReader(const RgbaReader&) = delete;
  RgbaReader& operator=(const RgbaReader&) = delete;

  // Returns the kind of alpha in the pixels that Read returns.
  Alpha alpha() const { return alpha_; }
  // Returns true if libtiff has multiplied alpha into the colours, which it does except for grey.
  bool multiplies() const { return multiplies_; }

  // Reads the image as RGBA, with rows in stored order.
  bool Read(StoredSize size, uint8_t* pixels) {
    if (!begun_) return false;
    state_.orientation = ORIENTATION_TOPLEFT;
    state_.req_orientation = ORIENTATION_TOPLEFT;
    return TIFFRGBAImageGet(&state_, reinterpret_cast<uint32_t*>(pixels), size.width, size.height) != 0;
  }

 private:
  TIFFRGBAImage state_{};
  bool begun_ = false;
  Alpha alpha_ = Alpha::kNone;
  bool multiplies_ = false;
};

// Reads the image. If alpha is 0 everywhere, libtiff has multiplied the colours by 0. In that case reads the
// image again as if its colours were already multiplied, so that they are kept.
bool ReadPixels(TIFF* tiff, StoredSize size, Alpha* alpha, Image* image) {
  RgbaReader reader(tiff);
  *alpha = reader.alpha();
  if (!reader.Read(size, image->pixels.data())) return false;
  if (!reader.multiplies() || !HasNoAlpha(*image)) return true;
  const uint16_t multiplied = EXTRASAMPLE_ASSOCALPHA;
  TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &multiplied);
  return RgbaReader(tiff).Read(size, image->pixels.data());
}

void Flatten(Alpha alpha, Image* image) {
  switch (alpha) {
    case Alpha::kNone:
      return DropFourthSample(image);
    case Alpha::kStraight:
      return FlattenOverWhite(image);
    case Alpha::kPremultiplied:
      return FlattenPremultipliedOverWhite(image);
  }
}

// Returns the number of zeros to append. libtiff rejects a page whose link to the next page is missing. If
// the file ends before the link, zeros stand for a link to nothing.
uint64_t CountSpareBytes(const TiffDirectory& page) {
  constexpr uint64_t kLinkBytes = 8;
  return page.HasLink() ? 0 : kLinkBytes;
}

}  // namespace

Status DecodeTiff(Bytes bytes, StoredSize size, const Cancellation& cancellation, Image* image) {
  const std::optional<TiffDirectory> page = TiffDirectory::Main(bytes);
  if (!page) return CannotDecode(ImageFormat::kTiff);
  std::optional<std::vector<uint8_t>> bounded;
  if (ClaimsTooMuch(bytes, *page)) bounded = WithBoundedPieces(bytes, *page);
  if (bounded) bytes = *bounded;
  TiffSource source{bytes, cancellation, CountSpareBytes(*page)};
  const Tiff tiff = Open(&source);
  if (!tiff || TIFFSetSubDirectory(tiff.get(), page->offset()) == 0 || !IsBearable(tiff.get(), bytes, size) ||
      cancellation.IsOver())
    return CannotDecode(ImageFormat::kTiff);
  Allocate(size, 4, image);
  Alpha alpha = Alpha::kNone;
  if (!ReadPixels(tiff.get(), size, &alpha, image) || source.damaged) return CannotDecode(ImageFormat::kTiff);
  Flatten(alpha, image);
  return Status();
}

}  // namespace telltale
