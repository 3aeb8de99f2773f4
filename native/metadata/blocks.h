// The blocks that several containers share: EXIF, IPTC-IIM, XMP.
#pragma once

#include "metadata/collector.h"

namespace telltale {

// Before the packet in a JPEG's APP1, where EXIF stands, too.
inline constexpr std::string_view kXmpPrefix{"http://ns.adobe.com/xap/1.0/\0", 29};

// An EXIF block or a TIFF file: starts with a TIFF header, or with JPEG's "Exif\0\0" before it. Reads IFD0
// and the EXIF IFD; of a TIFF file also its XMP and IPTC tags. Never the GPS IFD.
void ReadExifTexts(Bytes exif, MetadataCollector* collector);

// Photoshop's image resources (APP13 without its signature); IPTC-IIM (0x0404) alone is read.
void ReadPhotoshopResources(Bytes resources, MetadataCollector* collector);

// IPTC-IIM records as they stand in resource 0x0404 or TIFF tag 33723.
void ReadIptcTexts(Bytes records, MetadataCollector* collector);

// Samsung's trailer, which ends the file with "SEFT": texts by the name of their block.
void ReadSamsungTrailer(Bytes file, MetadataCollector* collector);

}  // namespace telltale
