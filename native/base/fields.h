// Names the fields of a struct for code that goes over them, such as the binding to JavaScript.
#pragma once

#include <string>
#include <tuple>
#include <vector>

// Within a struct: TELLTALE_FIELDS(size_px, columns). JavaScript spells them in its own case: sizePx.
#define TELLTALE_FIELDS(...)                                \
  static constexpr const char kFieldNames[] = #__VA_ARGS__; \
  auto Fields() { return std::tie(__VA_ARGS__); }           \
  auto Fields() const { return std::tie(__VA_ARGS__); }

namespace telltale {

// The names of TELLTALE_FIELDS in JavaScript's case.
std::vector<std::string> ToCamelCase(const char* field_names);

}  // namespace telltale
