// Old encodings of metadata to UTF-8.
#pragma once

#include <string>

#include "image/byte_reader.h"

namespace telltale {

// ISO 8859-1, as PNG's tEXt has it; bytes that are valid UTF-8 as a whole are taken for that, as most writers
// mean it.
std::string Latin1ToUtf8(Bytes bytes);

// UTF-16 up to the first NUL; lone surrogates become U+FFFD.
std::string Utf16ToUtf8(Bytes bytes, ByteOrder order);

// An XML text in UTF-8, UTF-16 or UTF-32, told by its mark or by the zeros in its first character.
std::string XmlToUtf8(Bytes bytes);

// The byte order of a UTF-16 text without a mark: the one under which more characters are ASCII; a mark wins.
ByteOrder GuessUtf16Order(Bytes bytes);

}  // namespace telltale
