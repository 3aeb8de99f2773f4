// Converting the names of C++ fields to camel case, the convention of JavaScript.
#include "base/fields.h"

#include <cctype>

namespace telltale {

std::vector<std::string> ToCamelCase(const char* field_names) {
  std::vector<std::string> names(1);
  for (const char* at = field_names; *at != '\0'; ++at) {
    if (*at == ',') {
      names.emplace_back();
      ++at;  // skips the space after the comma
    } else if (*at == '_') {
      names.back() += static_cast<char>(std::toupper(*++at));
    } else {
      names.back() += *at;
    }
  }
  return names;
}

}  // namespace telltale
