// The addon's exports.
#include <napi.h>

#include "binding/engine_wrap.h"
#include "binding/js_values.h"
#include "image/sniff.h"

namespace telltale {
namespace {

Napi::Value SniffBytes(const Napi::CallbackInfo& info) {
  const auto sniffed = Sniff(ReadBytes(info[0].As<Napi::Uint8Array>()));
  if (!sniffed.ok()) throw ToJsError(info.Env(), sniffed.status());
  return ToJs(info.Env(), sniffed.value());
}

Napi::Value ReadMetadataTexts(const Napi::CallbackInfo& info) {
  return ToJs(info.Env(), ReadMetadata(ReadBytes(info[0].As<Napi::Uint8Array>())));
}

// Holds no state: whatever lives, lives in an EngineWrap of one environment, so worker threads may load it
// too.
Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("sniff", Napi::Function::New<SniffBytes>(env, "sniff"));
  exports.Set("readMetadata", Napi::Function::New<ReadMetadataTexts>(env, "readMetadata"));
  exports.Set("NativeEngine", EngineWrap::Define(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(telltale, Init)

}  // namespace telltale
