// Signatures of files that people send instead of a supported image.
#include "image/foreign_format.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

#include "image/avif_boxes.h"
#include "image/tiff_directory.h"

namespace telltale {
namespace {

struct Signature {
  uint64_t at;
  std::string_view text;
  const char* name;
};

using namespace std::string_view_literals;

constexpr Signature kSignatures[] = {
    {0, "\xFF\x0A"sv, "jpeg_xl"},
    {0, "\0\0\0\x0CJXL \r\n\x87\n"sv, "jpeg_xl"},
    {0, "\0\0\0\x0CjP  \r\n\x87\n"sv, "jpeg_2000"},
    {0, "\xFF\x4F\xFF\x51"sv, "jpeg_2000"},
    {0, "8BPS"sv, "psd"},
    {0, "gimp xcf "sv, "xcf"},
    {0, "\x76\x2F\x31\x01"sv, "openexr"},
    {0, "#?RADIANCE"sv, "radiance_hdr"},
    {0, "\0\0\1\0"sv, "ico"},
    {0, "%PDF-"sv, "pdf"},
    {0, "%!PS"sv, "postscript"},
    {0, "PK\3\4"sv, "zip"},
    {0, "\x1F\x8B"sv, "gzip"},
    {0, "FUJIFILMCCD-RAW"sv, "camera_raw"},
    {0, "IIRO"sv, "camera_raw"},
    {0, "IIRS"sv, "camera_raw"},
    {0, "MMOR"sv, "camera_raw"},
    {0, "IIU\0"sv, "camera_raw"},
    {0, "FOVb"sv, "camera_raw"},
    {0, "\0MRM"sv, "camera_raw"},
    {6, "HEAPCCDR"sv, "camera_raw"},
    {0, "\x1A\x45\xDF\xA3"sv, "matroska"},
    {8, "AVI "sv, "avi"},
    {4, "moov"sv, "quicktime"},
    {4, "mdat"sv, "quicktime"},
    {4, "wide"sv, "quicktime"},
};

bool HasBrand(Bytes type_box, std::initializer_list<std::string_view> brands) {
  for (uint64_t at = 8; Holds(type_box, at, 4); at += at == 8 ? 8 : 4) {  // skips the version
    for (const std::string_view brand : brands) {
      if (HasText(type_box, at, brand)) return true;
    }
  }
  return false;
}

// Recognises a file of the ISO base media format by its brands.
const char* FindMediaFile(Bytes bytes) {
  if (!HasText(bytes, 4, "ftyp")) return nullptr;
  const std::optional<BmffBox> box = ReadBox(bytes, 0);
  const Bytes type_box = bytes.first(std::min<uint64_t>(box ? box->end : bytes.size(), 1024));
  if (HasBrand(type_box, {"crx "})) return "camera_raw";
  if (HasBrand(type_box, {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"})) return "heic";
  return "mp4";
}

// Recognises SVG and HTML files, which start with a tag, possibly after declarations or comments.
const char* FindMarkup(Bytes bytes) {
  std::string head(bytes.begin(), bytes.begin() + std::min<std::ptrdiff_t>(std::ssize(bytes), 1024));
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (head.starts_with("\xEF\xBB\xBF")) head.erase(0, 3);
  const size_t start = head.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || head[start] != '<') return nullptr;
  if (head.find("<svg") != std::string::npos) return "svg";
  if (head.find("<html") != std::string::npos || head.find("<!doctype html") != std::string::npos)
    return "web_page";
  return nullptr;
}

// Returns true if the directory holds sensor data, which viewers do not show unprocessed.
bool HoldsSensorData(const TiffDirectory& directory) {
  constexpr uint16_t kPhotometric = 262;
  constexpr uint64_t kColourFilterArray = 32803, kLinearRaw = 34892;
  const uint64_t photometric = directory.Value(kPhotometric).value_or(0);
  return photometric == kColourFilterArray || photometric == kLinearRaw;
}

}  // namespace

const char* FindForeignFormat(Bytes bytes) {
  if (IsRawTiff(bytes)) return "camera_raw";
  for (const Signature& signature : kSignatures) {
    if (HasText(bytes, signature.at, signature.text)) return signature.name;
  }
  const char* const media = FindMediaFile(bytes);
  return media == nullptr ? FindMarkup(bytes) : media;
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
  // Maximum child directories that are examined. Cameras write three or four.
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
