// The addon's exports.
#include <napi.h>

#include "binding/engine_wrap.h"

namespace telltale {
namespace {

// Holds no state: whatever lives, lives in an EngineWrap of one environment, so worker threads may load it
// too.
Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("NativeEngine", EngineWrap::Define(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(telltale, Init)

}  // namespace telltale
