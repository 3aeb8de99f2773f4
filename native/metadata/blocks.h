// Readers for the kinds of metadata that several file formats share: EXIF, IPTC-IIM, XMP.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "metadata/collector.h"

namespace telltale {

// Text before an XMP packet in a JPEG. It distinguishes XMP from EXIF, which uses the same segment type
// (APP1).
inline constexpr std::string_view kXmpPrefix{"http://ns.adobe.com/xap/1.0/\0", 29};

// Text before a part of an extended XMP packet, which JPEG writers use if XMP exceeds one segment.
inline constexpr std::string_view kExtendedXmpPrefix{"http://ns.adobe.com/xmp/extension/\0", 35};

// Adds the text of an XMP packet: UTF-8, UTF-16 or UTF-32, with or without a byte order mark.
void AddXmp(Bytes packet, MetadataCollector* collector);

// Joins the parts of extended XMP packets. Source: XMP Specification Part 3, 1.1.3.1.
class ExtendedXmp {
 public:
  // Adds one part without its prefix: GUID (32 bytes), packet length (4), offset of the part (4), data.
  void Add(Bytes part);
  void AddTo(MetadataCollector* collector) const;

 private:
  std::map<std::string, std::string, std::less<>> packets_;  // by GUID
};

// Reads the texts of an EXIF block or a TIFF file. JPEG writes "Exif\0\0" before its TIFF header. Reads the
// directories IFD0 and EXIF, in a TIFF file also XMP and IPTC tags, and never GPS positions.
void ReadExifTexts(Bytes exif, MetadataCollector* collector);

// Reads Photoshop's image resources (APP13 without its signature), of which only IPTC-IIM (0x0404) is used.
void ReadPhotoshopResources(Bytes resources, MetadataCollector* collector);

// Reads IPTC-IIM records, which are in Photoshop's resource 0x0404 or in TIFF tag 33723.
void ReadIptcTexts(Bytes records, MetadataCollector* collector);

// Reads the named texts that Samsung's cameras append to a file. Such a file ends with "SEFT".
void ReadSamsungTrailer(Bytes file, MetadataCollector* collector);

}  // namespace telltale
