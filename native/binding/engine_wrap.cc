// Promises, references and shutting down.
#include "binding/engine_wrap.h"

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
  return DefineClass(env, "NativeEngine",
                     {
                         InstanceMethod<&EngineWrap::Start>("start"),
                         InstanceMethod<&EngineWrap::Sniff>("sniff"),
                         InstanceMethod<&EngineWrap::ReadMetadata>("readMetadata"),
                         InstanceMethod<&EngineWrap::Inspect>("inspect"),
                         InstanceMethod<&EngineWrap::Annotate>("annotate"),
                         InstanceMethod<&EngineWrap::Recompress>("recompress"),
                         InstanceMethod<&EngineWrap::MakePreview>("makePreview"),
                         InstanceMethod<&EngineWrap::SearchPixels>("searchPixels"),
                         InstanceMethod<&EngineWrap::Cancel>("cancel"),
                         InstanceMethod<&EngineWrap::Stats>("stats"),
                         InstanceMethod<&EngineWrap::Close>("close"),
                     });
}

EngineWrap::EngineWrap(const Napi::CallbackInfo& info)
    : Napi::ObjectWrap<EngineWrap>(info), config_(ReadConfig(info[0].As<Napi::Object>())) {
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

template <typename T>
std::function<void(Result<T>)> EngineWrap::CompleteWith(uint32_t id) {
  return [this, id](Result<T> result) {
    const Status status = result.status();
    Complete({id, status, [found = std::move(result)](Napi::Env env) mutable {
                return ToJs(env, std::move(found).value());
              }});
  };
}

Napi::Value EngineWrap::Sniff(const Napi::CallbackInfo& info) {
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const Napi::Promise promise = AddPending(id, bytes, nullptr);
  engine_->Sniff(ReadBytes(bytes), CompleteWith<SniffedImage>(id));
  return promise;
}

Napi::Value EngineWrap::ReadMetadata(const Napi::CallbackInfo& info) {
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const Napi::Promise promise = AddPending(id, bytes, nullptr);
  engine_->ReadMetadata(ReadBytes(bytes), CompleteWith<std::vector<MetadataText>>(id));
  return promise;
}

Napi::Value EngineWrap::Inspect(const Napi::CallbackInfo& info) {
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const std::shared_ptr<Cancellation> cancellation = ReadCancellation(info[2], info[3]);
  const Napi::Promise promise = AddPending(id, bytes, cancellation);
  const InspectionWishes wishes{info[4].As<Napi::Number>().Int32Value(), info[5].As<Napi::Boolean>().Value()};
  engine_->Inspect(ReadBytes(bytes), cancellation, CompleteWith<Inspection>(id), wishes);
  return promise;
}

Napi::Value EngineWrap::Annotate(const Napi::CallbackInfo& info) {
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const std::shared_ptr<Cancellation> cancellation = ReadCancellation(info[2], info[3]);
  Annotation annotation = ReadAnnotation(info[4].As<Napi::Object>());
  const Napi::Promise promise = AddPending(id, bytes, cancellation);
  engine_->Annotate(ReadBytes(bytes), std::move(annotation), cancellation,
                    CompleteWith<std::vector<uint8_t>>(id));
  return promise;
}

Napi::Value EngineWrap::Recompress(const Napi::CallbackInfo& info) {
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const auto cancellation = std::make_shared<Cancellation>();
  const Napi::Promise promise = AddPending(id, bytes, cancellation);
  engine_->Recompress(ReadBytes(bytes), info[2].As<Napi::Number>().Int32Value(),
                      info[3].As<Napi::Number>().Int32Value(), cancellation,
                      CompleteWith<std::vector<uint8_t>>(id));
  return promise;
}

Napi::Value EngineWrap::MakePreview(const Napi::CallbackInfo& info) {
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const std::shared_ptr<Cancellation> cancellation = ReadCancellation(info[2], info[3]);
  const Napi::Promise promise = AddPending(id, bytes, cancellation);
  engine_->MakePreview(ReadBytes(bytes), info[4].As<Napi::Number>().Int32Value(), cancellation,
                       CompleteWith<Preview>(id));
  return promise;
}

Napi::Value EngineWrap::SearchPixels(const Napi::CallbackInfo& info) {
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const auto bytes = info[1].As<Napi::Uint8Array>();
  const std::shared_ptr<Cancellation> cancellation = ReadCancellation(info[2], info[3]);
  const Napi::Promise promise = AddPending(id, bytes, cancellation);
  engine_->SearchPixels(ReadBytes(bytes), cancellation, CompleteWith<PixelMarks>(id));
  return promise;
}

Napi::Value EngineWrap::Cancel(const Napi::CallbackInfo& info) {
  const auto entry = pending_.find(info[0].As<Napi::Number>().Uint32Value());
  if (entry != pending_.end() && entry->second.cancellation) entry->second.cancellation->Cancel();
  return info.Env().Undefined();
}

Napi::Value EngineWrap::Stats(const Napi::CallbackInfo& info) { return ToJs(info.Env(), engine_->stats()); }

}  // namespace telltale
