// A macro that lists a struct's fields for generic code, such as the binding to JavaScript.
#pragma once

#include <string>
#include <tuple>
#include <vector>

// Lists fields within a struct: TELLTALE_FIELDS(size_px, columns). JavaScript sees them in camel case:
// sizePx.
#define TELLTALE_FIELDS(...)                                \
  static constexpr const char kFieldNames[] = #__VA_ARGS__; \
  auto Fields() { return std::tie(__VA_ARGS__); }           \
  auto Fields() const { return std::tie(__VA_ARGS__); }

namespace telltale {

// Returns the names in a TELLTALE_FIELDS list in camel case.
std::vector<std::string> ToCamelCase(const char* field_names);

}  // namespace telltale
