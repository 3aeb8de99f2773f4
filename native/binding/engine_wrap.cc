// Settling promises, keeping JavaScript objects from garbage collection while work runs, and shutting down.
#include "binding/engine_wrap.h"

#include <exception>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "binding/from_js.h"
#include "binding/to_js.h"

namespace telltale {
namespace {

// Id of a running call that loads or closes the engine. Ids from JavaScript begin at 1, so they never equal
// this id.
constexpr uint32_t kApartId = 0;

// Returns the result type T of an engine method, whose last argument is a std::function<void(Result<T>)>.
// Declared only for use in decltype.
template <typename T>
T DeliveredTo(const std::function<void(Result<T>)>&);
template <typename... Arguments>
auto LastOf(void (Engine::*)(Arguments...))
    -> std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
template <auto method>
using Delivered = decltype(DeliveredTo(LastOf(method)));

// Settles a promise. Never throws. Node-API refuses a call for two reasons: the environment is ending, so
// nobody waits for the promise, or the value needs more memory than is available.
template <typename MakeValue>
void SettlePromise(Napi::Env env, const Napi::Promise::Deferred& deferred, Status status,
                   const MakeValue& make_value) {
  if (status.ok()) {
    try {
      return deferred.Resolve(make_value(env));
    } catch (const std::exception&) {
      status = Status(StatusCode::kInternalError, kOutOfMemory);
    }
  }
  try {
    deferred.Reject(ToJsError(env, status).Value());
  } catch (const std::exception&) {
  }
}

}  // namespace

Napi::Function EngineWrap::Define(Napi::Env env) {
  return DefineClass(
      env, "NativeEngine",
      {
          InstanceMethod<&EngineWrap::Start>("start"),
          InstanceMethod<&EngineWrap::Run<&Engine::Sniff>>("sniff"),
          InstanceMethod<&EngineWrap::Run<&Engine::ReadMetadata>>("readMetadata"),
          InstanceMethod<&EngineWrap::Run<&Engine::Inspect, InspectionOptions>>("inspect"),
          InstanceMethod<&EngineWrap::Run<&Engine::Annotate, Annotation>>("annotate"),
          InstanceMethod<&EngineWrap::Run<&Engine::Recompress, RecompressOptions>>("recompress"),
          InstanceMethod<&EngineWrap::Run<&Engine::MakePreview, PreviewOptions>>("makePreview"),
          InstanceMethod<&EngineWrap::Run<&Engine::HashScene>>("hashScene"),
          InstanceMethod<&EngineWrap::Run<&Engine::LocateScene, SceneSearch>>("locateScene"),
          InstanceMethod<&EngineWrap::Run<&Engine::CompareScenes, SceneComparison>>("compareScenes"),
          InstanceMethod<&EngineWrap::Run<&Engine::SearchPixels>>("searchPixels"),
          InstanceMethod<&EngineWrap::Cancel>("cancel"),
          InstanceMethod<&EngineWrap::Stats>("stats"),
          InstanceMethod<&EngineWrap::Close>("close"),
      });
}

EngineWrap::EngineWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<EngineWrap>(info), config_(FromJs<EngineConfig>(info[0])) {
  settler_ = Settler::New(info.Env(), "telltale", 0, 1, this);
  settler_.Unref(info.Env());
  // Node runs hooks in reverse order of registration. This hook is registered after the thread-safe function.
  // It therefore joins every thread that may call the function before Node frees the function.
  napi_add_env_cleanup_hook(info.Env(), &EngineWrap::OnEnvironmentEnd, this);
}

EngineWrap::~EngineWrap() {
  if (environment_ended_) return;
  napi_remove_env_cleanup_hook(Env(), &EngineWrap::OnEnvironmentEnd, this);
  Shutdown();
  settler_.Release();
}

void EngineWrap::OnEnvironmentEnd(void* wrap) {
  auto* self = static_cast<EngineWrap*>(wrap);
  self->environment_ended_ = true;
  self->Shutdown();
}

// Drops waiting work, finishes running work and joins the threads. Blocks meanwhile.
void EngineWrap::Shutdown() {
  for (auto& [id, pending] : pending_) {
    if (pending.cancellation) pending.cancellation->Cancel();
  }
  if (apart_.joinable()) apart_.join();
  engine_.reset();
  pending_.clear();
}

Napi::Promise EngineWrap::AddPending(std::unique_ptr<Completion> completion, Napi::Uint8Array bytes,
                                     std::shared_ptr<Cancellation> cancellation) {
  const uint32_t id = completion->id;
  auto reference = bytes.IsEmpty() ? Napi::Reference<Napi::Uint8Array>() : Napi::Persistent(bytes);
  const auto [entry, added] =
      pending_.emplace(id, Pending{Napi::Promise::Deferred::New(Env()), std::move(cancellation),
                                   std::move(reference), std::move(completion)});
  if (pending_.size() == 1) {
    Ref();
    settler_.Ref(Env());
  }
  return entry->second.deferred.Promise();
}

// Passes the outcome of finished work to the JS thread, which settles the promise. Runs on any thread.
void EngineWrap::Complete(Completion* completion) {
  // The call is refused only if the environment is ending. Nobody waits for the promise then.
  static_cast<void>(settler_.BlockingCall(completion));
}

void EngineWrap::Settle(Napi::Env env, Napi::Function, EngineWrap* wrap, Completion* completion) {
  // If the environment has ended, the completion is already freed.
  if (static_cast<napi_env>(env) == nullptr || wrap->environment_ended_) return;
  const auto entry = wrap->pending_.find(completion->id);
  const Pending pending = std::move(entry->second);
  wrap->pending_.erase(entry);
  SettlePromise(env, pending.deferred, std::move(completion->status), completion->make_value);
  if (wrap->pending_.empty()) {
    wrap->settler_.Unref(env);
    wrap->Unref();
  }
}

// Runs work on a separate thread. TypeScript never calls this function while earlier work is running.
Napi::Promise EngineWrap::RunApart(std::function<Status()> work,
                                   std::function<Napi::Value(Napi::Env)> make_value) {
  auto owned = std::make_unique<Completion>(Completion{kApartId, std::move(make_value), Status()});
  Completion* const completion = owned.get();
  if (apart_.joinable()) apart_.join();
  const Napi::Promise promise = AddPending(std::move(owned), Napi::Uint8Array(), nullptr);
  apart_ = std::thread([this, completion, work = std::move(work)] {
    try {
      completion->status = work();
    } catch (const std::exception&) {
      completion->status = Status(StatusCode::kInternalError, kOutOfMemory);
    }
    Complete(completion);
  });
  return promise;
}

Napi::Value EngineWrap::Start(const Napi::CallbackInfo&) {
  return RunApart(
      [this] {
        auto engine = Engine::Create(config_);
        if (engine.ok()) engine_ = std::move(engine).value();
        return std::move(engine).status();
      },
      [](Napi::Env env) { return env.Undefined(); });
}

Napi::Value EngineWrap::Close(const Napi::CallbackInfo&) {
  return RunApart(
      [this] {
        engine_->Close();
        return Status();
      },
      [this](Napi::Env env) {
        const EngineStats last = engine_->stats();
        engine_.reset();
        return ToJs(env, last);
      });
}

template <auto method, typename... Options>
Napi::Value EngineWrap::Run(const Napi::CallbackInfo& info) {
  using Value = Delivered<method>;
  const auto job = info[0].As<Napi::Object>();
  const auto id = FromJs<uint32_t>(job, "id");
  const auto bytes = job.Get("bytes").As<Napi::Uint8Array>();
  const Bytes data = ReadBytes(bytes);
  const std::shared_ptr<Cancellation> cancellation = ReadCancellation(job);
  // Options are read before anything is registered as pending, because a value of a wrong type throws.
  std::tuple<Options...> options(FromJs<Options>(job)...);
  const auto value = std::make_shared<std::optional<Value>>();
  const auto make_value = [value](Napi::Env env) { return ToJs(env, *std::move(*value)); };
  auto owned = std::make_unique<Completion>(Completion{id, make_value, Status()});
  Completion* const completion = owned.get();
  const auto done = [this, completion, value](Result<Value> result) {
    if (result.ok()) {
      value->emplace(std::move(result).value());
    } else {
      completion->status = std::move(result).status();
    }
    Complete(completion);
  };
  const Napi::Promise promise = AddPending(std::move(owned), bytes, cancellation);
  try {
    if constexpr (std::is_invocable_v<decltype(method), Engine&, Bytes, decltype(done)>) {
      std::invoke(method, *engine_, data, done);  // reads a header, too briefly to be cancelled
    } else {
      std::invoke(method, *engine_, data, std::get<Options>(std::move(options))..., cancellation, done);
    }
  } catch (const std::exception&) {  // the engine has not accepted the work
    completion->status = Status(StatusCode::kInternalError, kOutOfMemory);
    Complete(completion);
  }
  return promise;
}

Napi::Value EngineWrap::Cancel(const Napi::CallbackInfo& info) {
  const auto entry = pending_.find(info[0].As<Napi::Number>().Uint32Value());
  if (entry != pending_.end() && entry->second.cancellation) entry->second.cancellation->Cancel();
  return info.Env().Undefined();
}

Napi::Value EngineWrap::Stats(const Napi::CallbackInfo& info) { return ToJs(info.Env(), engine_->stats()); }

}  // namespace telltale
