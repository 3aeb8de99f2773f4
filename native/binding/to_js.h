// Conversion of plain structs to JavaScript values, on the JS thread only.
#pragma once

#include <napi.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "binding/from_js.h"
#include "engine/engine.h"
#include "image/sniff.h"

namespace telltale {

Napi::Value ToJs(Napi::Env env, Device device);
Napi::Value ToJs(Napi::Env env, ImageFormat format);
Napi::Value ToJs(Napi::Env env, const Box& box);                          // [x, y, width, height]
Napi::Value ToJs(Napi::Env env, const Colour& colour);                    // such as #ff8000
Napi::Value ToJs(Napi::Env env, const ScoredFace& face);                  // includes the fields of its Face
Napi::Value ToJs(Napi::Env env, const std::vector<PatchScore>& patches);  // Float64Array, five for each
Napi::Value ToJs(Napi::Env env, const Preview& preview);
// `hashes` is a Uint32Array: the words of the hash of the image's middle, then the words of each window.
Napi::Value ToJs(Napi::Env env, const Scene& scene);
Napi::Value ToJs(Napi::Env env, const SniffedImage& image);
Napi::Value ToJs(Napi::Env env, const EngineStats& stats);
// Returns a Node Buffer that uses the vector's memory without copying it.
Napi::Value ToJs(Napi::Env env, std::vector<uint8_t> bytes);
template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_convertible_v<T, std::string>)
Napi::Value ToJs(Napi::Env env, const T& value) {
  return Napi::Value::From(env, value);
}
template <typename T>
Napi::Value ToJs(Napi::Env env, const std::vector<T>& values);
template <typename T>
Napi::Value ToJs(Napi::Env env, const std::optional<T>& value);  // nullopt: null
// Converts a struct that has TELLTALE_FIELDS to a JavaScript object.
template <typename T>
  requires requires { T::kFieldNames; }
Napi::Value ToJs(Napi::Env env, const T& value);
// Returns a JavaScript Error whose member `code` is the name of the status code.
Napi::Error ToJsError(Napi::Env env, const Status& status);

template <typename T>
Napi::Value ToJs(Napi::Env env, const std::vector<T>& values) {
  auto array = Napi::Array::New(env, values.size());
  for (uint32_t i = 0; i < values.size(); ++i) array.Set(i, ToJs(env, values[i]));
  return array;
}

template <typename T>
Napi::Value ToJs(Napi::Env env, const std::optional<T>& value) {
  return value ? ToJs(env, *value) : env.Null();
}

// Copies the fields of a struct to a JavaScript object.
template <typename T>
void SetFields(Napi::Object object, const T& value) {
  static const std::vector<std::string> names = ToCamelCase(T::kFieldNames);
  auto name = names.begin();
  const auto set = [&](const auto& field) { object.Set(*name++, ToJs(object.Env(), field)); };
  std::apply([&](const auto&... fields) { (set(fields), ...); }, value.Fields());
}

template <typename T>
  requires requires { T::kFieldNames; }
Napi::Value ToJs(Napi::Env env, const T& value) {
  auto object = Napi::Object::New(env);
  SetFields(object, value);
  return object;
}

}  // namespace telltale
