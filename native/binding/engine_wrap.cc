// Promises, references and shutting down.
#include "binding/engine_wrap.h"

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "binding/from_js.h"
#include "binding/to_js.h"

namespace telltale {
namespace {

// Starting and closing count as one pending piece of work; JavaScript counts its own from 1.
constexpr uint32_t kApartId = 0;

Napi::Value Undefined(Napi::Env env) { return env.Undefined(); }

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
  // Hooks run last in, first out: registered after the thread-safe function, this one joins every thread that
  // may call it before Node takes it away.
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

// Everything that waits is dropped, what runs is finished; blocks until the threads are joined.
void EngineWrap::Shutdown() {
  for (auto& [id, pending] : pending_) {
    if (pending.cancellation) pending.cancellation->Cancel();
  }
  if (apart_.joinable()) apart_.join();
  engine_.reset();
  pending_.clear();
}

Napi::Promise EngineWrap::AddPending(uint32_t id, Napi::Uint8Array bytes,
                                     std::shared_ptr<Cancellation> cancellation) {
  if (pending_.empty()) {
    Ref();
    settler_.Ref(Env());
  }
  auto reference = bytes.IsEmpty() ? Napi::Reference<Napi::Uint8Array>() : Napi::Persistent(bytes);
  const auto [entry, added] = pending_.emplace(
      id, Pending{Napi::Promise::Deferred::New(Env()), std::move(cancellation), std::move(reference)});
  return entry->second.deferred.Promise();
}

// From any thread.
void EngineWrap::Complete(Completion completion) {
  auto* owned = new Completion(std::move(completion));
  // Refused only where the environment is going away: nobody waits for the promise any more.
  if (settler_.BlockingCall(owned) != napi_ok) delete owned;
}

void EngineWrap::Settle(Napi::Env env, Napi::Function, EngineWrap* wrap, Completion* completion) {
  const std::unique_ptr<Completion> owned(completion);
  if (static_cast<napi_env>(env) == nullptr) return;
  const auto entry = wrap->pending_.find(owned->id);
  if (entry == wrap->pending_.end()) return;
  const Pending pending = std::move(entry->second);
  wrap->pending_.erase(entry);
  if (owned->status.ok()) {
    pending.deferred.Resolve(owned->make_value(env));
  } else {
    pending.deferred.Reject(ToJsError(env, owned->status).Value());
  }
  if (wrap->pending_.empty()) {
    wrap->settler_.Unref(env);
    wrap->Unref();
  }
}

// One piece of work at a time on a thread of its own; TypeScript never asks for two.
Napi::Promise EngineWrap::RunApart(std::function<Completion()> work) {
  const Napi::Promise promise = AddPending(kApartId, Napi::Uint8Array(), nullptr);
  if (apart_.joinable()) apart_.join();
  apart_ = std::thread([this, work = std::move(work)] { Complete(work()); });
  return promise;
}

Napi::Value EngineWrap::Start(const Napi::CallbackInfo&) {
  return RunApart([this]() -> Completion {
    auto engine = Engine::Create(config_);
    if (!engine.ok()) return {kApartId, engine.status(), nullptr};
    engine_ = std::move(engine).value();
    return {kApartId, Status(), Undefined};
  });
}

Napi::Value EngineWrap::Close(const Napi::CallbackInfo&) {
  return RunApart([this]() -> Completion {
    engine_->Close();
    return {kApartId, Status(), [this](Napi::Env env) {
              const EngineStats last = engine_->stats();
              engine_.reset();
              return ToJs(env, last);
            }};
  });
}

template <auto method, typename... Options>
Napi::Value EngineWrap::Run(const Napi::CallbackInfo& info) {
  const auto job = info[0].As<Napi::Object>();
  const auto id = FromJs<uint32_t>(job, "id");
  const auto bytes = job.Get("bytes").As<Napi::Uint8Array>();
  const std::shared_ptr<Cancellation> cancellation = ReadCancellation(job);
  // Before anything is pending: what is of a wrong type throws.
  std::tuple<Options...> options(FromJs<Options>(job)...);
  const Napi::Promise promise = AddPending(id, bytes, cancellation);
  const auto done = [this, id](auto result) {
    const Status status = result.status();
    Complete({id, status, [found = std::move(result)](Napi::Env env) mutable {
                return ToJs(env, std::move(found).value());
              }});
  };
  if constexpr (std::is_invocable_v<decltype(method), Engine&, Bytes, decltype(done)>) {
    std::invoke(method, *engine_, ReadBytes(bytes),
                done);  // a header's, which is read too soon to be cancelled
  } else {
    std::invoke(method, *engine_, ReadBytes(bytes), std::get<Options>(std::move(options))..., cancellation,
                done);
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
