// Signatures of files that people send instead of a supported image.
#include "image/foreign_format.h"

#include <algorithm>

#include "image/avif_boxes.h"
#include "image/tiff_directory.h"

namespace telltale {
namespace {

constexpr const char* kConvert = ": convert it to JPEG or PNG, at full size";
constexpr const char* kDevelop = ": develop it to JPEG, or send the camera's own JPEG";
constexpr const char* kDraw = ": export it as PNG";
constexpr const char* kTakeOut = ": send the images in it by themselves";
constexpr const char* kStill = ": send a frame of it as PNG or JPEG";

struct Signature {
  uint64_t at;
  std::string_view text;
  const char* name;
  const char* advice;
};

using namespace std::string_view_literals;

constexpr Signature kSignatures[] = {
    {0, "\xFF\x0A"sv, "JPEG XL", kConvert},
    {0, "\0\0\0\x0CJXL \r\n\x87\n"sv, "JPEG XL", kConvert},
    {0, "\0\0\0\x0CjP  \r\n\x87\n"sv, "JPEG 2000", kConvert},
    {0, "\xFF\x4F\xFF\x51"sv, "JPEG 2000", kConvert},
    {0, "8BPS"sv, "a Photoshop document (PSD)", kConvert},
    {0, "gimp xcf "sv, "a GIMP document (XCF)", kConvert},
    {0, "\x76\x2F\x31\x01"sv, "OpenEXR", kConvert},
    {0, "#?RADIANCE"sv, "Radiance HDR", kConvert},
    {0, "\0\0\1\0"sv, "an icon (ICO)", kConvert},
    {0, "%PDF-"sv, "a PDF", kTakeOut},
    {0, "%!PS"sv, "PostScript", kDraw},
    {0, "PK\3\4"sv, "a ZIP archive or an office document", kTakeOut},
    {0, "\x1F\x8B"sv, "a gzip archive", kTakeOut},
    {0, "FUJIFILMCCD-RAW"sv, "a raw file of a camera", kDevelop},
    {0, "IIRO"sv, "a raw file of a camera", kDevelop},
    {0, "IIRS"sv, "a raw file of a camera", kDevelop},
    {0, "MMOR"sv, "a raw file of a camera", kDevelop},
    {0, "IIU\0"sv, "a raw file of a camera", kDevelop},
    {0, "FOVb"sv, "a raw file of a camera", kDevelop},
    {0, "\0MRM"sv, "a raw file of a camera", kDevelop},
    {6, "HEAPCCDR"sv, "a raw file of a camera", kDevelop},
    {0, "\x1A\x45\xDF\xA3"sv, "a video (WebM or Matroska)", kStill},
    {8, "AVI "sv, "a video (AVI)", kStill},
    {4, "moov"sv, "a video (QuickTime)", kStill},
    {4, "mdat"sv, "a video (QuickTime)", kStill},
    {4, "wide"sv, "a video (QuickTime)", kStill},
};

bool HasBrand(Bytes type_box, std::initializer_list<std::string_view> brands) {
  for (uint64_t at = 8; Holds(type_box, at, 4); at += at == 8 ? 8 : 4) {  // skips the version
    for (const std::string_view brand : brands) {
      if (HasText(type_box, at, brand)) return true;
    }
  }
  return false;
}

// Names a file of the ISO base media format by its brands.
std::optional<std::string> NameMediaFile(Bytes bytes) {
  if (!HasText(bytes, 4, "ftyp")) return std::nullopt;
  const std::optional<BmffBox> box = ReadBox(bytes, 0);
  const Bytes type_box = bytes.first(std::min<uint64_t>(box ? box->end : bytes.size(), 1024));
  if (HasBrand(type_box, {"crx "})) return std::string("a raw file of a camera") + kDevelop;
  if (HasBrand(type_box, {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"}))
    return std::string("HEIC") + kConvert;
  return std::string("a video (MP4 or QuickTime)") + kStill;
}

// Names SVG and HTML files, which start with a tag, possibly after declarations or comments.
std::optional<std::string> NameMarkup(Bytes bytes) {
  std::string head(bytes.begin(), bytes.begin() + std::min<std::ptrdiff_t>(std::ssize(bytes), 1024));
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  const size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || head[start] != '<') return std::nullopt;
  if (head.find("<svg") != std::string::npos) return std::string("SVG") + kDraw;
  if (head.find("<html") != std::string::npos || head.find("<!doctype html") != std::string::npos)
    return std::string("a web page") + kTakeOut;
  return std::nullopt;
}

// Returns true if the directory holds sensor data, which viewers do not show unprocessed.
bool HoldsSensorData(const TiffDirectory& directory) {
  constexpr uint16_t kPhotometric = 262;
  constexpr uint64_t kColourFilterArray = 32803, kLinearRaw = 34892;
  const uint64_t photometric = directory.Value(kPhotometric).value_or(0);
  return photometric == kColourFilterArray || photometric == kLinearRaw;
}

}  // namespace

std::optional<std::string> NameForeignFormat(Bytes bytes) {
  if (IsRawTiff(bytes)) return std::string("a raw file of a camera") + kDevelop;
  for (const Signature& signature : kSignatures) {
    if (HasText(bytes, signature.at, signature.text)) return std::string(signature.name) + signature.advice;
  }
  if (std::optional<std::string> media = NameMediaFile(bytes)) return media;
  return NameMarkup(bytes);
}

bool IsRawTiff(Bytes bytes) {
  if (HasText(bytes, 0, {"II*\0", 4}) && HasText(bytes, 8, "CR\2")) return true;
  const std::optional<TiffDirectory> first = TiffDirectory::First(bytes);
  if (!first) return false;
  constexpr uint16_t kDngVersion = 0xC612;
  // A raw file without a preview begins with the sensor data.
  if (HoldsSensorData(*first) || (first->IsReduced() && first->Has(kDngVersion))) return true;
  constexpr uint16_t kSubDirectories = 330;
  if (!first->IsReduced() || !first->Has(kSubDirectories)) return false;
  // Chosen: cameras write three or four.
  constexpr uint64_t kMaxChildren = 16;
  bool has_image = false;
  for (uint64_t i = 0; i < kMaxChildren; ++i) {
    const std::optional<TiffDirectory> child = first->Child(i);
    if (!child) break;
    if (HoldsSensorData(*child)) return true;
    has_image |= !child->IsReduced();
  }
  return !has_image;
}

}  // namespace telltale
