// Conversion of JavaScript values to plain structs, on the JS thread only.
#pragma once

#include <napi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/cancellation.h"
#include "base/fields.h"
#include "engine/engine.h"

namespace telltale {

// Each overload reads a JavaScript value into `out`. TypeScript passes complete and valid values. A wrong
// type or a missing field is therefore an error in this project and throws a JavaScript TypeError.
void FromJs(const Napi::Value& value, bool* out);
void FromJs(const Napi::Value& value, std::string* out);
void FromJs(const Napi::Value& value, Device* out);
void FromJs(const Napi::Value& value, Box* out);                   // [x, y, width, height]
void FromJs(const Napi::Value& value, Point* out);                 // [x, y]
void FromJs(const Napi::Value& value, std::vector<uint8_t>* out);  // Uint8Array
template <typename T>
  requires(std::is_arithmetic_v<T>)
void FromJs(const Napi::Value& value, T* out);
template <typename T>
void FromJs(const Napi::Value& value, std::vector<T>* out);
template <typename T, size_t size>
void FromJs(const Napi::Value& value, std::array<T, size>* out);
template <typename T>
void FromJs(const Napi::Value& value, std::optional<T>* out);  // null: nullopt
// Reads an object into a struct that has TELLTALE_FIELDS. Ignores the object's other fields.
template <typename T>
  requires requires { T::kFieldNames; }
void FromJs(const Napi::Value& value, T* out);

template <typename T>
T FromJs(const Napi::Value& value) {
  T result{};
  FromJs(value, &result);
  return result;
}

// Reads the field `name` of a JavaScript object.
template <typename T>
T FromJs(const Napi::Value& object, const char* name) {
  return FromJs<T>(object.As<Napi::Object>().Get(name));
}

// Makes a job's Cancellation: it expires `deadlineMs` from now (null: never). `isBackground` is its priority.
std::shared_ptr<Cancellation> ReadCancellation(const Napi::Object& job);
// Returns a Uint8Array's bytes without copying. They are valid until JavaScript drops or detaches the array.
Bytes ReadBytes(const Napi::Uint8Array& value);

template <typename T>
  requires(std::is_arithmetic_v<T>)
void FromJs(const Napi::Value& value, T* out) {
  *out = static_cast<T>(value.As<Napi::Number>().DoubleValue());
}

template <typename T>
void FromJs(const Napi::Value& value, std::vector<T>* out) {
  const auto array = value.As<Napi::Array>();
  out->resize(array.Length());
  for (uint32_t i = 0; i < out->size(); ++i) FromJs(array.Get(i), &(*out)[i]);
}

template <typename T, size_t size>
void FromJs(const Napi::Value& value, std::array<T, size>* out) {
  const auto array = value.As<Napi::Array>();
  for (uint32_t i = 0; i < size; ++i) FromJs(array.Get(i), &(*out)[i]);
}

template <typename T>
void FromJs(const Napi::Value& value, std::optional<T>* out) {
  if (value.IsNull()) return out->reset();
  FromJs(value, &out->emplace());
}

template <typename T>
  requires requires { T::kFieldNames; }
void FromJs(const Napi::Value& value, T* out) {
  static const std::vector<std::string> names = ToCamelCase(T::kFieldNames);
  const auto object = value.As<Napi::Object>();
  auto name = names.begin();
  const auto read = [&](auto& field) {
    const Napi::Value found = object.Get(*name);
    if (found.IsUndefined()) throw Napi::TypeError::New(value.Env(), "the field " + *name + " is missing");
    FromJs(found, &field);
    ++name;
  };
  std::apply([&](auto&... fields) { (read(fields), ...); }, out->Fields());
}

}  // namespace telltale
