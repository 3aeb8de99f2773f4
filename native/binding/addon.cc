// The addon's exports.
#include <napi.h>
#include <sys/resource.h>

#include "binding/engine_wrap.h"

namespace telltale {
namespace {

// Limits the private memory of the process `pid` to `bytes`, for good. Returns false if the system refuses.
Napi::Value LimitMemory(const Napi::CallbackInfo& info) {
  const auto bytes = static_cast<rlim_t>(info[1].As<Napi::Number>().Int64Value());
  const rlimit limit{bytes, bytes};
  const auto pid = info[0].As<Napi::Number>().Int32Value();
  return Napi::Boolean::New(info.Env(), prlimit(pid, RLIMIT_DATA, &limit, nullptr) == 0);
}

// Stores no state in the addon: each EngineWrap belongs to one Node environment, so worker threads can load
// the addon too.
Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("NativeEngine", EngineWrap::Define(env));
  exports.Set("limitMemory", Napi::Function::New<LimitMemory>(env, "limitMemory"));
  return exports;
}

}  // namespace

NODE_API_MODULE(telltale, Init)

}  // namespace telltale
