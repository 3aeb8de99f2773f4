// Converting older encodings of metadata to UTF-8.
#pragma once

#include <string>

#include "image/byte_reader.h"

namespace telltale {

// Converts ISO 8859-1, the encoding of PNG's tEXt. If all bytes are valid UTF-8, returns them unchanged,
// because most writers then mean UTF-8.
std::string Latin1ToUtf8(Bytes bytes);

// Converts UTF-16 up to the first NUL. Invalid characters (lone surrogates) become U+FFFD.
std::string Utf16ToUtf8(Bytes bytes, ByteOrder order);

// Converts an XML text in UTF-8, UTF-16 or UTF-32. Recognises the encoding by the byte order mark, or by the
// zeros in the first character.
std::string XmlToUtf8(Bytes bytes);

// Returns the byte order of a UTF-16 text, from its byte order mark. Without a mark, returns the order that
// makes more characters ASCII.
ByteOrder GuessUtf16Order(Bytes bytes);

}  // namespace telltale
