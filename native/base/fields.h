// A macro that lists a struct's fields, so that generic code such as the JavaScript binding can convert it.
#pragma once

#include <string>
#include <tuple>
#include <vector>

// Lists fields inside a struct, as in TELLTALE_FIELDS(size_px, columns). JavaScript code sees the names in
// camel case, such as sizePx.
#define TELLTALE_FIELDS(...)                                \
  static constexpr const char kFieldNames[] = #__VA_ARGS__; \
  auto Fields() { return std::tie(__VA_ARGS__); }           \
  auto Fields() const { return std::tie(__VA_ARGS__); }

namespace telltale {

// Converts the names in a TELLTALE_FIELDS list to camel case.
std::vector<std::string> ToCamelCase(const char* field_names);

}  // namespace telltale
