// Metadata blocks that several containers share: EXIF, IPTC-IIM, XMP.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "metadata/collector.h"

namespace telltale {

// Prefix of an XMP packet in a JPEG's APP1, the segment type that also holds EXIF.
inline constexpr std::string_view kXmpPrefix{"http://ns.adobe.com/xap/1.0/\0", 29};

// Prefix of a part of an extended packet, which JPEG writers use if XMP exceeds one segment.
inline constexpr std::string_view kExtendedXmpPrefix{"http://ns.adobe.com/xmp/extension/\0", 35};

// Adds an XMP packet in any encoding that XML allows: UTF-8, UTF-16 or UTF-32, with or without a byte order
// mark.
void AddXmp(Bytes packet, MetadataCollector* collector);

// Joins the parts of a JPEG's extended packets. Source: XMP Specification Part 3, 1.1.3.1.
class ExtendedXmp {
 public:
  // Adds a segment after its prefix: GUID (32), length of the whole packet (4), offset of this part (4),
  // data.
  void Add(Bytes part);
  void AddTo(MetadataCollector* collector) const;

 private:
  std::map<std::string, std::string, std::less<>> packets_;  // by GUID
};

// Reads an EXIF block or a TIFF file, which starts with a TIFF header or with JPEG's "Exif\0\0" and a TIFF
// header. Reads IFD0 and the EXIF IFD; in a TIFF file, also its XMP and IPTC tags. Never reads the GPS IFD.
void ReadExifTexts(Bytes exif, MetadataCollector* collector);

// Reads Photoshop's image resources (APP13 without its signature); only IPTC-IIM (0x0404).
void ReadPhotoshopResources(Bytes resources, MetadataCollector* collector);

// Reads IPTC-IIM records from resource 0x0404 or TIFF tag 33723.
void ReadIptcTexts(Bytes records, MetadataCollector* collector);

// Reads Samsung's trailer, which ends the file with "SEFT": texts by the name of their block.
void ReadSamsungTrailer(Bytes file, MetadataCollector* collector);

}  // namespace telltale
