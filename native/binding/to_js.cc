// Building the JavaScript values whose form differs from the C++ struct.
#include "binding/to_js.h"

#include <algorithm>
#include <iomanip>
#include <memory>
#include <sstream>

#include "inference/ort_session.h"

namespace telltale {

Napi::Value ToJs(Napi::Env env, Device device) { return Napi::String::New(env, DeviceName(device)); }

Napi::Value ToJs(Napi::Env env, ImageFormat format) {
  return Napi::String::New(env, ImageFormatName(format));
}

Napi::Value ToJs(Napi::Env env, const Box& box) {
  return ToJs(env, std::vector<int>{box.x, box.y, box.width, box.height});
}

Napi::Value ToJs(Napi::Env env, const Colour& colour) {
  std::ostringstream text;
  text << '#' << std::hex << std::setfill('0');
  for (const int level : colour) text << std::setw(2) << level;
  return Napi::String::New(env, text.str());
}

Napi::Value ToJs(Napi::Env env, const ScoredFace& face) {
  auto object = Napi::Object::New(env);
  SetFields(object, face.face);
  SetFields(object, face);
  return object;
}

Napi::Value ToJs(Napi::Env env, const std::vector<PatchScore>& patches) {
  auto numbers = Napi::Float64Array::New(env, patches.size() * 5);
  double* number = numbers.Data();
  for (const auto& [box, score] : patches) {
    for (const int side : {box.x, box.y, box.width, box.height}) *number++ = side;
    *number++ = score;
  }
  return numbers;
}

Napi::Value ToJs(Napi::Env env, const Preview& preview) {
  std::ostringstream hash;
  hash << std::hex << std::setw(16) << std::setfill('0') << preview.perceptual_hash;
  auto object = Napi::Object::New(env);
  SetFields(object, preview);
  object.Set("perceptualHash", hash.str());
  return object;
}

Napi::Value ToJs(Napi::Env env, const Scene& scene) {
  const size_t words = scene.middle.size();
  auto numbers = Napi::Uint32Array::New(env, words * (1 + scene.windows.size()));
  uint32_t* to = std::copy_n(scene.middle.begin(), words, numbers.Data());
  for (const SceneHash& window : scene.windows) to = std::copy_n(window.begin(), words, to);
  auto object = Napi::Object::New(env);
  object.Set("hashes", numbers);
  object.Set("isFlat", scene.is_flat);
  object.Set("levels", ToJs(env, scene.levels));
  return object;
}

Napi::Value ToJs(Napi::Env env, const SniffedImage& image) {
  auto object = Napi::Object::New(env);
  SetFields(object, image);
  if (image.format != ImageFormat::kJpeg) object.Set("jpegQuality", env.Null());
  return object;
}

Napi::Value ToJs(Napi::Env env, const EngineStats& stats) {
  auto object = Napi::Object::New(env);
  SetFields(object, stats);
  object.Set("onnxRuntimeVersion", OnnxRuntimeVersion());
  auto batchers = Napi::Object::New(env);
  batchers.Set("encoder", ToJs(env, stats.encoder));
  batchers.Set("face_detector", ToJs(env, stats.detector));
  object.Set("batchers", batchers);
  return object;
}

Napi::Value ToJs(Napi::Env env, std::vector<uint8_t> bytes) {
  auto owner = std::make_unique<std::vector<uint8_t>>(std::move(bytes));
  const auto buffer = Napi::Buffer<uint8_t>::NewOrCopy(
      env, owner->data(), owner->size(), [](Napi::Env, uint8_t*, std::vector<uint8_t>* data) { delete data; },
      owner.get());
  owner.release();  // freed with the buffer
  return buffer;
}

Napi::Error ToJsError(Napi::Env env, const Status& status) {
  Napi::Error error = Napi::Error::New(env, status.message());
  error.Set("code", StatusCodeName(status.code()));
  error.Set("values", ToJs(env, status.values()));
  return error;
}

}  // namespace telltale
