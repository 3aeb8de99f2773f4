// The functions of c2pa-node that read Content Credentials, over C2PA's C library. For processors for which
// c2pa-node has no native file.
#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Declarations of C2PA's C library, which is published without a header. Source: c2pa_c_ffi of c2pa-rs
// 0.91.0.
extern "C" {
struct C2paContext;
struct C2paContextBuilder;
struct C2paReader;
struct C2paSettings;
struct C2paStream;
C2paStream* c2pa_create_stream(void* context, intptr_t (*read)(void*, uint8_t*, intptr_t),
                               intptr_t (*seek)(void*, intptr_t, int),
                               intptr_t (*write)(void*, const uint8_t*, intptr_t), intptr_t (*flush)(void*));
void c2pa_release_stream(C2paStream* stream);
char* c2pa_error();
C2paSettings* c2pa_settings_new();
int c2pa_settings_update_from_string(C2paSettings* settings, const char* text, const char* format);
C2paContextBuilder* c2pa_context_builder_new();
int c2pa_context_builder_set_settings(C2paContextBuilder* builder, C2paSettings* settings);
C2paContext* c2pa_context_builder_build(C2paContextBuilder* builder);
C2paReader* c2pa_reader_from_context(C2paContext* context);
C2paReader* c2pa_reader_with_stream(C2paReader* reader, const char* format, C2paStream* stream);
C2paReader* c2pa_reader_with_manifest_data_and_stream(C2paReader* reader, const char* format,
                                                      C2paStream* stream, const uint8_t* manifest,
                                                      size_t manifest_size);
char* c2pa_reader_json(C2paReader* reader);
int64_t c2pa_reader_resource_to_stream(C2paReader* reader, const char* uri, C2paStream* stream);
int c2pa_free(const void* pointer);
}

namespace {

struct Free {
  void operator()(const void* pointer) const { c2pa_free(pointer); }
  void operator()(C2paStream* stream) const { c2pa_release_stream(stream); }
};

// Takes a pointer that the library returns. Throws the library's last error if the pointer is null.
template <typename T>
std::unique_ptr<T, Free> Take(Napi::Env env, T* pointer) {
  if (pointer != nullptr) return std::unique_ptr<T, Free>(pointer);
  const std::unique_ptr<char, Free> text(c2pa_error());
  throw Napi::Error::New(env, text ? text.get() : "C2PA's library failed without a message");
}

// A file in memory. Its methods are the library's callbacks, which return -1 for an error.
struct MemoryFile {
  std::vector<uint8_t> bytes;
  intptr_t position = 0;

  intptr_t Size() const { return static_cast<intptr_t>(bytes.size()); }

  static intptr_t Read(void* context, uint8_t* to, intptr_t most) {
    auto& file = *static_cast<MemoryFile*>(context);
    const auto count = std::clamp<intptr_t>(file.Size() - file.position, 0, most);
    if (count > 0) std::memcpy(to, file.bytes.data() + file.position, static_cast<size_t>(count));
    file.position += count;
    return count;
  }

  // `origin` is 0 for the start of the file, 1 for the position, and 2 for the end.
  static intptr_t Seek(void* context, intptr_t offset, int origin) {
    auto& file = *static_cast<MemoryFile*>(context);
    const intptr_t from = origin == 0 ? 0 : origin == 1 ? file.position : file.Size();
    intptr_t position;
    if (__builtin_add_overflow(from, offset, &position) || position < 0) return -1;
    return file.position = position;
  }

  // Appends only: a reader writes a resource from its start to its end.
  static intptr_t Write(void* context, const uint8_t* from, intptr_t count) {
    auto& file = *static_cast<MemoryFile*>(context);
    if (file.position != file.Size()) return -1;
    file.bytes.insert(file.bytes.end(), from, from + count);
    file.position += count;
    return count;
  }

  static intptr_t Flush(void*) { return 0; }

  std::unique_ptr<C2paStream, Free> Open(Napi::Env env) {
    return Take(env, c2pa_create_stream(this, Read, Seek, Write, Flush));
  }
};

// A reader as JavaScript holds it. The stream refers to the file, and the reader to the stream.
struct Reader {
  MemoryFile file;
  std::unique_ptr<C2paStream, Free> stream;
  std::unique_ptr<C2paReader, Free> reader;
};

std::unique_ptr<C2paReader, Free> MakeReader(Napi::Env env, const std::string& settings_json) {
  const auto settings = Take(env, c2pa_settings_new());
  auto builder = Take(env, c2pa_context_builder_new());
  if (c2pa_settings_update_from_string(settings.get(), settings_json.c_str(), "json") != 0 ||
      c2pa_context_builder_set_settings(builder.get(), settings.get()) != 0)
    Take<char>(env, nullptr);
  const auto context = Take(env, c2pa_context_builder_build(builder.release()));
  return Take(env, c2pa_reader_from_context(context.get()));
}

std::vector<uint8_t> BytesOf(Napi::Value value) {
  const auto array = value.As<Napi::Uint8Array>();
  return {array.Data(), array.Data() + array.ByteLength()};
}

// Reads the credentials of `asset`, from `manifest` if it is not null. Returns null for an asset without
// credentials.
Napi::Value Read(Napi::Env env, const std::vector<uint8_t>* manifest, Napi::Object asset,
                 const std::string& settings) {
  auto made = std::make_unique<Reader>();
  made->file.bytes = BytesOf(asset.Get("buffer"));
  made->stream = made->file.Open(env);
  const std::string format = asset.Get("mimeType").As<Napi::String>();
  // The library frees the first reader, also if it fails.
  C2paReader* const empty = MakeReader(env, settings).release();
  C2paReader* const full =
      manifest == nullptr
          ? c2pa_reader_with_stream(empty, format.c_str(), made->stream.get())
          : c2pa_reader_with_manifest_data_and_stream(empty, format.c_str(), made->stream.get(),
                                                      manifest->data(), manifest->size());
  try {
    made->reader = Take(env, full);
  } catch (const Napi::Error& error) {
    if (manifest == nullptr && error.Message().find("no JUMBF data found") != std::string::npos)
      return env.Null();
    throw;
  }
  return Napi::External<Reader>::New(env, made.release(), [](Napi::Env, Reader* reader) { delete reader; });
}

Napi::Value ReaderFromAsset(const Napi::CallbackInfo& info) {
  return Read(info.Env(), nullptr, info[0].As<Napi::Object>(), info[1].As<Napi::String>());
}

Napi::Value ReaderFromManifestDataAndAsset(const Napi::CallbackInfo& info) {
  const auto manifest = BytesOf(info[0]);
  return Read(info.Env(), &manifest, info[1].As<Napi::Object>(), info[2].As<Napi::String>());
}

C2paReader* ReaderOf(const Napi::CallbackInfo& info) {
  return info.This().As<Napi::External<Reader>>().Data()->reader.get();
}

Napi::Value ReaderJson(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), Take(info.Env(), c2pa_reader_json(ReaderOf(info))).get());
}

Napi::Value ReaderResourceToAsset(const Napi::CallbackInfo& info) {
  const auto env = info.Env();
  const std::string label = info[0].As<Napi::String>();
  MemoryFile file;
  if (c2pa_reader_resource_to_stream(ReaderOf(info), label.c_str(), file.Open(env).get()) < 0)
    Take<char>(env, nullptr);
  auto result = Napi::Object::New(env);
  result.Set("buffer", Napi::Buffer<uint8_t>::Copy(env, file.bytes.data(), file.bytes.size()));
  return result;
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("readerFromAsset", Napi::Function::New<ReaderFromAsset>(env));
  exports.Set("readerFromManifestDataAndAsset", Napi::Function::New<ReaderFromManifestDataAndAsset>(env));
  exports.Set("readerJson", Napi::Function::New<ReaderJson>(env));
  exports.Set("readerResourceToAsset", Napi::Function::New<ReaderResourceToAsset>(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(c2pa, Init)
