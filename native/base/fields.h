// Names the fields of a struct for code that goes over them, such as the binding to JavaScript.
#pragma once

#include <tuple>

// Within a struct: TELLTALE_FIELDS(size_px, columns). JavaScript spells them in its own case: sizePx.
#define TELLTALE_FIELDS(...)                                \
  static constexpr const char kFieldNames[] = #__VA_ARGS__; \
  auto Fields() { return std::tie(__VA_ARGS__); }           \
  auto Fields() const { return std::tie(__VA_ARGS__); }
