// Building JavaScript objects.
#include "binding/to_js.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "inference/ort_session.h"

namespace telltale {
namespace {

Napi::Array ToJs(Napi::Env env, const Box& box) {
  auto array = Napi::Array::New(env, 4);
  const int members[] = {box.x, box.y, box.width, box.height};
  for (uint32_t i = 0; i < 4; ++i) array.Set(i, members[i]);
  return array;
}

Napi::Object ToJs(Napi::Env env, const BatcherCounts& counts) {
  auto object = Napi::Object::New(env);
  object.Set("batches", static_cast<double>(counts.batches));
  object.Set("rows", static_cast<double>(counts.rows));
  object.Set("dropped", static_cast<double>(counts.dropped));
  return object;
}

}  // namespace

Napi::Value ToJs(Napi::Env env, const SniffedImage& image) {
  auto object = Napi::Object::New(env);
  object.Set("format", ImageFormatName(image.format));
  object.Set("width", image.width);
  object.Set("height", image.height);
  object.Set("orientation", image.orientation);
  object.Set("frameCount", image.frame_count);
  object.Set("jpegQuality",
             image.format == ImageFormat::kJpeg ? Napi::Number::New(env, image.jpeg_quality) : env.Null());
  object.Set("hasManifest", image.has_manifest);
  return object;
}

Napi::Value ToJs(Napi::Env env, const std::vector<MetadataText>& texts) {
  auto array = Napi::Array::New(env, texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    auto object = Napi::Object::New(env);
    object.Set("where", texts[i].where);
    object.Set("name", texts[i].name);
    object.Set("text", texts[i].text);
    array.Set(static_cast<uint32_t>(i), object);
  }
  return array;
}

Napi::Value ToJs(Napi::Env env, const PixelMarks& marks) {
  auto watermarks = Napi::Array::New(env, marks.watermarks.size());
  for (size_t i = 0; i < marks.watermarks.size(); ++i) {
    auto watermark = Napi::Object::New(env);
    watermark.Set("generator", marks.watermarks[i].generator);
    watermark.Set("matchingBits", marks.watermarks[i].matching_bits);
    watermark.Set("bits", marks.watermarks[i].bits);
    watermarks.Set(static_cast<uint32_t>(i), watermark);
  }
  auto visible = Napi::Array::New(env, marks.visible.size());
  for (size_t i = 0; i < marks.visible.size(); ++i) {
    auto mark = Napi::Object::New(env);
    mark.Set("generator", marks.visible[i].generator);
    mark.Set("sign", marks.visible[i].sign);
    mark.Set("box", ToJs(env, marks.visible[i].box));
    visible.Set(static_cast<uint32_t>(i), mark);
  }
  auto object = Napi::Object::New(env);
  object.Set("visible", visible);
  object.Set("watermarks", watermarks);
  return object;
}

Napi::Value ToJs(Napi::Env env, const Preview& preview) {
  std::ostringstream hash;
  hash << std::hex << std::setw(16) << std::setfill('0') << preview.perceptual_hash;
  auto object = Napi::Object::New(env);
  object.Set("width", preview.width);
  object.Set("height", preview.height);
  object.Set("jpeg", Napi::Buffer<uint8_t>::Copy(env, preview.jpeg.data(), preview.jpeg.size()));
  object.Set("perceptualHash", hash.str());
  return object;
}

Napi::Value ToJs(Napi::Env env, const Inspection& inspection) {
  auto object = Napi::Object::New(env);
  object.Set("width", inspection.width);
  object.Set("height", inspection.height);
  object.Set("fullImageScore", inspection.full_image_score);
  object.Set("drawn", inspection.drawn);
  object.Set("isBlank", inspection.is_blank);
  object.Set("isTransparent", inspection.is_transparent);
  object.Set("views", inspection.views);
  auto faces = Napi::Array::New(env, inspection.faces.size());
  for (uint32_t i = 0; i < inspection.faces.size(); ++i) {
    auto face = Napi::Object::New(env);
    face.Set("box", ToJs(env, inspection.faces[i].face.box));
    face.Set("confidence", inspection.faces[i].face.confidence);
    face.Set("score", inspection.faces[i].score);
    face.Set("manipulated", inspection.faces[i].manipulated);
    face.Set("generated", inspection.faces[i].generated);
    faces.Set(i, face);
  }
  object.Set("faces", faces);
  auto panels = Napi::Array::New(env, inspection.panels.size());
  for (uint32_t i = 0; i < inspection.panels.size(); ++i) {
    auto panel = Napi::Object::New(env);
    panel.Set("box", ToJs(env, inspection.panels[i].box));
    panel.Set("score", inspection.panels[i].score);
    panel.Set("drawn", inspection.panels[i].drawn);
    panels.Set(i, panel);
  }
  object.Set("panels", panels);
  object.Set("panel", inspection.panel ? ToJs(env, *inspection.panel) : env.Null());
  object.Set("part", env.Null());
  if (inspection.part) {
    auto part = Napi::Object::New(env);
    part.Set("box", ToJs(env, inspection.part->box));
    part.Set("score", inspection.part->score);
    object.Set("part", part);
  }
  auto patches = Napi::Float64Array::New(env, inspection.patches.size() * 5);
  double* number = patches.Data();
  for (const auto& [box, score] : inspection.patches) {
    for (const int side : {box.x, box.y, box.width, box.height}) *number++ = side;
    *number++ = score;
  }
  object.Set("patches", patches);
  auto colours = Napi::Array::New(env, inspection.colours.size());
  for (uint32_t i = 0; i < inspection.colours.size(); ++i) {
    std::ostringstream colour;
    colour << '#' << std::hex << std::setfill('0');
    for (const int level : inspection.colours[i]) colour << std::setw(2) << level;
    colours.Set(i, colour.str());
  }
  object.Set("colours", colours);
  object.Set("preview", inspection.preview ? ToJs(env, *inspection.preview) : env.Null());
  auto timings = Napi::Object::New(env);
  timings.Set("queue", inspection.timings.queue);
  timings.Set("decode", inspection.timings.decode);
  timings.Set("faces", inspection.timings.faces);
  timings.Set("inference", inspection.timings.inference);
  object.Set("timings", timings);
  return object;
}

Napi::Value ToJs(Napi::Env env, const EngineStats& stats) {
  auto object = Napi::Object::New(env);
  object.Set("device", DeviceName(stats.device));
  object.Set("deviceReason", stats.device_reason);
  object.Set("onnxRuntimeVersion", OnnxRuntimeVersion());
  auto threads = Napi::Object::New(env);
  threads.Set("decode", stats.plan.decode_threads);
  threads.Set("intraOp", stats.plan.intra_op_threads);
  threads.Set("batchers", stats.plan.batcher_threads);
  object.Set("threads", threads);
  object.Set("queued", static_cast<double>(stats.queued));
  object.Set("running", static_cast<double>(stats.running));
  object.Set("inspected", static_cast<double>(stats.inspected));
  object.Set("refused", static_cast<double>(stats.refused));
  auto memory = Napi::Object::New(env);
  memory.Set("budgetBytes", static_cast<double>(stats.memory.limit_bytes));
  memory.Set("takenBytes", static_cast<double>(stats.memory.taken_bytes));
  memory.Set("waits", static_cast<double>(stats.memory.waits));
  object.Set("memory", memory);
  auto batchers = Napi::Object::New(env);
  batchers.Set("encoder", ToJs(env, stats.encoder));
  batchers.Set("face_detector", ToJs(env, stats.detector));
  object.Set("batchers", batchers);
  return object;
}

Napi::Value ToJs(Napi::Env env, std::vector<uint8_t> bytes) {
  auto* owner = new std::vector<uint8_t>(std::move(bytes));
  return Napi::Buffer<uint8_t>::NewOrCopy(
      env, owner->data(), owner->size(), [](Napi::Env, uint8_t*, std::vector<uint8_t>* data) { delete data; },
      owner);
}

Napi::Error ToJsError(Napi::Env env, const Status& status) {
  Napi::Error error = Napi::Error::New(env, status.message());
  error.Set("code", StatusCodeName(status.code()));
  return error;
}

}  // namespace telltale
