// Readers for the kinds of metadata that several file formats share: EXIF, IPTC-IIM, XMP.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "metadata/collector.h"

namespace telltale {

// Text before an XMP packet in a JPEG. It tells XMP from EXIF, which uses the same segment type (APP1).
inline constexpr std::string_view kXmpPrefix{"http://ns.adobe.com/xap/1.0/\0", 29};

// Text before a part of an extended XMP packet. JPEG writers split XMP into parts if it does not fit into one
// segment.
inline constexpr std::string_view kExtendedXmpPrefix{"http://ns.adobe.com/xmp/extension/\0", 35};

// Adds the text of an XMP packet, in any encoding that XML allows: UTF-8, UTF-16 or UTF-32, with or without a
// byte order mark.
void AddXmp(Bytes packet, MetadataCollector* collector);

// Joins the parts of extended XMP packets. Source: XMP Specification Part 3, 1.1.3.1.
class ExtendedXmp {
 public:
  // Adds one part, a segment without the prefix: GUID (32 bytes), length of the whole packet (4), offset of
  // this part (4), data.
  void Add(Bytes part);
  void AddTo(MetadataCollector* collector) const;

 private:
  std::map<std::string, std::string, std::less<>> packets_;  // by GUID
};

// Reads the texts of an EXIF block or a TIFF file. Either starts with a TIFF header, or in JPEG with
// "Exif\0\0". Reads the directories IFD0 and EXIF, and in a TIFF file also its XMP and IPTC tags. Never reads
// GPS positions.
void ReadExifTexts(Bytes exif, MetadataCollector* collector);

// Reads Photoshop's image resources (APP13 without its signature), of which only IPTC-IIM (0x0404) is used.
void ReadPhotoshopResources(Bytes resources, MetadataCollector* collector);

// Reads IPTC-IIM records, which are in Photoshop's resource 0x0404 or in TIFF tag 33723.
void ReadIptcTexts(Bytes records, MetadataCollector* collector);

// Reads the block that Samsung's cameras append to a file, which ends with "SEFT". Each text has the name of
// its entry.
void ReadSamsungTrailer(Bytes file, MetadataCollector* collector);

}  // namespace telltale
