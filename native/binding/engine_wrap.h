// The engine as a JavaScript object: promises on the JS thread, work on the engine's own.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/cancellation.h"
#include "base/status.h"
#include "engine/engine.h"

namespace telltale {

// All methods run on the JS thread of one Node environment. Work settles its promise through one thread-safe
// function, which keeps the process alive only while something is pending. While something is pending the
// object is kept from the garbage collector too, and so are the input bytes. Where the environment ends
// first, a clean-up hook cancels what waits and joins every thread.
class EngineWrap : public Napi::ObjectWrap<EngineWrap> {
 public:
  // The constructor, for the addon's exports.
  static Napi::Function Define(Napi::Env env);

  explicit EngineWrap(const Napi::CallbackInfo& info);
  ~EngineWrap() override;

 private:
  // The outcome that an engine thread hands to the JS thread. Made before the work begins, so that the end of
  // the work needs no memory.
  struct Completion {
    uint32_t id;
    std::function<Napi::Value(Napi::Env)> make_value;  // runs on the JS thread if `status` is OK
    Status status;
  };
  struct Pending {
    Napi::Promise::Deferred deferred;
    std::shared_ptr<Cancellation> cancellation;
    Napi::Reference<Napi::Uint8Array> bytes;
    std::unique_ptr<Completion> completion;
  };
  static void Settle(Napi::Env env, Napi::Function, EngineWrap* wrap, Completion* completion);
  using Settler = Napi::TypedThreadSafeFunction<EngineWrap, Completion, &EngineWrap::Settle>;

  // Has the engine do a job, an object with `id`, `bytes`, `deadlineMs`, `isBackground` and the fields of
  // `Options`. Settles `id` with what ToJs makes of the result.
  template <auto method, typename... Options>
  Napi::Value Run(const Napi::CallbackInfo& info);
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value Cancel(const Napi::CallbackInfo& info);
  Napi::Value Stats(const Napi::CallbackInfo& info);
  Napi::Value Close(const Napi::CallbackInfo& info);

  Napi::Promise AddPending(std::unique_ptr<Completion> completion, Napi::Uint8Array bytes,
                           std::shared_ptr<Cancellation> cancellation);
  Napi::Promise RunApart(std::function<Status()> work, std::function<Napi::Value(Napi::Env)> make_value);
  void Complete(Completion* completion);
  void Shutdown();
  static void OnEnvironmentEnd(void* wrap);

  const EngineConfig config_;
  Settler settler_;
  std::unique_ptr<Engine> engine_;  // from a start that succeeded to the end of close
  std::thread apart_;               // loads or closes the engine: neither may block JavaScript
  std::unordered_map<uint32_t, Pending> pending_;
  bool environment_ended_ = false;
};

}  // namespace telltale
