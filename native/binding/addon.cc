// Functions and classes that the addon exports to JavaScript.
#include <napi.h>
#include <sys/resource.h>

#include "binding/engine_wrap.h"

namespace telltale {
namespace {

// Limits the private memory of the process `pid` to `bytes`. The limit cannot be raised again. Returns false
// if the operating system refuses.
Napi::Value LimitMemory(const Napi::CallbackInfo& info) {
  const auto bytes = static_cast<rlim_t>(info[1].As<Napi::Number>().Int64Value());
  const rlimit limit{bytes, bytes};
  const auto pid = info[0].As<Napi::Number>().Int32Value();
  return Napi::Boolean::New(info.Env(), prlimit(pid, RLIMIT_DATA, &limit, nullptr) == 0);
}

// Each EngineWrap belongs to one Node environment, and the addon has no global state. Worker threads can
// therefore load the addon too.
Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("NativeEngine", EngineWrap::Define(env));
  exports.Set("limitMemory", Napi::Function::New<LimitMemory>(env, "limitMemory"));
  return exports;
}

}  // namespace

NODE_API_MODULE(telltale, Init)

}  // namespace telltale
