// The engine as a JavaScript object. Work runs on the engine's threads, and promises settle on the JS thread.
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

// A JavaScript object that owns an engine. All methods run on the JS thread of one Node environment. Finished
// work settles its promise through one thread-safe function, which keeps the process alive only while a
// promise is pending. Pending work also protects the object and the input bytes from garbage collection. If
// the environment ends first, a clean-up hook cancels waiting work and joins every thread.
class EngineWrap : public Napi::ObjectWrap<EngineWrap> {
 public:
  static Napi::Function Define(Napi::Env env);

  explicit EngineWrap(const Napi::CallbackInfo& info);
  ~EngineWrap() override;

 private:
  // Outcome of work, passed from an engine thread to the JS thread. Allocated before the work begins, so that
  // finishing the work cannot fail for lack of memory.
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

  // Makes the engine run one job. The argument is an object with `id`, `bytes`, `deadlineMs`, `isBackground`
  // and the fields of `Options`. Returns a promise of the result, which ToJs converts.
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
  std::unique_ptr<Engine> engine_;  // set from a successful start until the end of close
  std::thread apart_;               // loads or closes the engine without blocking JavaScript
  std::unordered_map<uint32_t, Pending> pending_;
  bool environment_ended_ = false;
};

}  // namespace telltale
