// Reading JavaScript values.
#include "binding/from_js.h"

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "inference/ort_session.h"

namespace telltale {
namespace {

double ReadNumber(const Napi::Object& object, const char* name) {
  return object.Get(name).As<Napi::Number>().DoubleValue();
}
int ReadInt(const Napi::Object& object, const char* name) {
  return object.Get(name).As<Napi::Number>().Int32Value();
}
std::string ReadString(const Napi::Object& object, const char* name) {
  return object.Get(name).As<Napi::String>().Utf8Value();
}
Napi::Object ReadObject(const Napi::Object& object, const char* name) {
  return object.Get(name).As<Napi::Object>();
}

Box ReadBox(const Napi::Value& value) {
  const auto box = value.As<Napi::Array>();
  const auto at = [&](uint32_t i) { return box.Get(i).As<Napi::Number>().Int32Value(); };
  return {at(0), at(1), at(2), at(3)};
}

EncoderModel ReadEncoderModel(const Napi::Object& value) {
  EncoderModel model;
  model.cpu_path = ReadString(value, "cpuPath");
  model.gpu_path = ReadString(value, "gpuPath");
  model.logits_output = ReadString(value, "logitsOutput");
  model.tokens_output = ReadString(value, "tokensOutput");
  model.columns = ReadInt(value, "columns");
  model.size_px = ReadInt(value, "sizePx");
  return model;
}

CalibratedHead ReadHead(const Napi::Object& value) {
  return {ReadInt(value, "column"), ReadNumber(value, "scale"), ReadNumber(value, "offset")};
}

// [photographed, drawn].
std::array<double, 2> ReadByMedium(const Napi::Object& value, const char* name) {
  const auto by_medium = value.Get(name).As<Napi::Array>();
  return {by_medium.Get(0U).As<Napi::Number>().DoubleValue(),
          by_medium.Get(1U).As<Napi::Number>().DoubleValue()};
}

ViewRound ReadRound(const Napi::Object& value) {
  ViewRound round;
  const auto shares = value.Get("shares").As<Napi::Array>();
  for (uint32_t i = 0; i < shares.Length(); ++i) {
    const auto share = shares.Get(i).As<Napi::Object>();
    round.shares.push_back({ReadInt(share, "count"), ReadNumber(share, "weight")});
  }
  round.bias = ReadNumber(value, "bias");
  if (value.Get("earlyExit").IsObject()) {
    const Napi::Object bounds = ReadObject(value, "earlyExit");
    round.early_exit = {ReadByMedium(bounds, "below"), ReadByMedium(bounds, "above")};
  }
  return round;
}

FullImageModel ReadFullImageModel(const Napi::Object& value) {
  FullImageModel model;
  const auto kinds = value.Get("kinds").As<Napi::Array>();
  for (uint32_t i = 0; i < kinds.Length(); ++i) {
    const auto kind = kinds.Get(i).As<Napi::Object>();
    model.kinds.push_back({{ReadInt(kind, "shortSidePx"), ReadInt(kind, "count")},
                           ReadInt(kind, "column"),
                           kind.Get("tellsDrawn").As<Napi::Boolean>().Value()});
  }
  const auto rounds = value.Get("rounds").As<Napi::Array>();
  for (uint32_t i = 0; i < rounds.Length(); ++i)
    model.rounds.push_back(ReadRound(rounds.Get(i).As<Napi::Object>()));
  model.drawn = ReadHead(ReadObject(value, "drawn"));
  if (value.Get("part").IsObject()) {
    const Napi::Object part = ReadObject(value, "part");
    model.part = {ReadInt(part, "kind"), ReadInt(part, "side"), ReadByMedium(part, "scale"),
                  ReadByMedium(part, "offset")};
  }
  const Napi::Object panels = ReadObject(value, "panels");
  model.panels = {ReadInt(panels, "leastPx"), ReadNumber(panels, "drawnOdds")};
  return model;
}

FaceDetectorModel ReadFaceDetectorModel(const Napi::Object& value) {
  FaceDetectorModel model;
  model.path = ReadString(value, "path");
  model.scores_output = ReadString(value, "scoresOutput");
  model.boxes_output = ReadString(value, "boxesOutput");
  model.points_output = ReadString(value, "pointsOutput");
  model.long_side_px = ReadInt(value, "longSidePx");
  model.multiple = ReadInt(value, "multiple");
  model.score_threshold = static_cast<float>(ReadNumber(value, "scoreThreshold"));
  model.nms_iou = static_cast<float>(ReadNumber(value, "nmsIou"));
  model.max_faces = ReadInt(value, "maxFaces");
  return model;
}

FaceSpecialistModel ReadFaceSpecialistModel(const Napi::Object& value) {
  FaceSpecialistModel model;
  model.size_px = ReadInt(value, "sizePx");
  const auto points = value.Get("template").As<Napi::Array>();
  for (uint32_t i = 0; i < model.crop_template.size(); ++i) {
    const auto point = points.Get(i).As<Napi::Array>();
    model.crop_template[i] = {point.Get(0U).As<Napi::Number>().DoubleValue(),
                              point.Get(1U).As<Napi::Number>().DoubleValue()};
  }
  model.manipulated = ReadHead(ReadObject(value, "manipulated"));
  model.generated = ReadHead(ReadObject(value, "generated"));
  const Napi::Object confirm = ReadObject(value, "confirm");
  model.confirm = {ReadInt(confirm, "column"), ReadNumber(confirm, "leastLogit")};
  const Napi::Object joining = ReadObject(value, "joining");
  model.joining = {ReadNumber(joining, "sharing"), ReadNumber(joining, "contrast"),
                   ReadNumber(joining, "genuine")};
  return model;
}

std::optional<Device> ReadDevice(const std::string& name) {
  for (const Device device : {Device::kCpu, Device::kCuda, Device::kTensorRt}) {
    if (name == DeviceName(device)) return device;
  }
  return std::nullopt;
}

}  // namespace

EngineConfig ReadConfig(const Napi::Object& value) {
  EngineConfig config;
  config.encoder = ReadEncoderModel(ReadObject(value, "encoder"));
  config.full_image = ReadFullImageModel(ReadObject(value, "fullImage"));
  config.face_detector = ReadFaceDetectorModel(ReadObject(value, "faceDetector"));
  config.face_specialist = ReadFaceSpecialistModel(ReadObject(value, "faceSpecialist"));
  config.device = ReadDevice(ReadString(value, "device"));
  config.threads = ReadInt(value, "threads");
  config.queue_limit = ReadInt(value, "queueLimit");
  config.memory_bytes = static_cast<uint64_t>(ReadNumber(value, "memoryMb") * 1'000'000);
  config.cache_dir = ReadString(value, "cacheDir");
  return config;
}

Annotation ReadAnnotation(const Napi::Object& value) {
  Annotation annotation;
  annotation.caption = ReadString(value, "caption");
  annotation.long_side_px = ReadInt(value, "longSidePx");
  const auto faces = value.Get("faces").As<Napi::Array>();
  for (uint32_t i = 0; i < faces.Length(); ++i) {
    const auto face = faces.Get(i).As<Napi::Object>();
    annotation.faces.push_back(
        {ReadBox(face.Get("box")), ReadString(face, "label"), face.Get("alarm").As<Napi::Boolean>().Value()});
  }
  const auto patches = value.Get("patches").As<Napi::Array>();
  for (uint32_t i = 0; i < patches.Length(); ++i) {
    const auto patch = patches.Get(i).As<Napi::Object>();
    annotation.patches.push_back({ReadBox(patch.Get("box")), ReadNumber(patch, "score")});
  }
  return annotation;
}

std::shared_ptr<Cancellation> ReadCancellation(const Napi::Value& value, const Napi::Value& is_background) {
  const Urgency urgency = is_background.As<Napi::Boolean>().Value() ? Urgency::kBackground : Urgency::kCaller;
  if (value.IsNull()) return std::make_shared<Cancellation>(TimePoint::max(), urgency);
  const std::chrono::duration<double, std::milli> left(value.As<Napi::Number>().DoubleValue());
  return std::make_shared<Cancellation>(
      std::chrono::steady_clock::now() +
          std::chrono::duration_cast<std::chrono::steady_clock::duration>(left),
      urgency);
}

Bytes ReadBytes(const Napi::Uint8Array& value) { return {value.Data(), value.ByteLength()}; }

}  // namespace telltale
