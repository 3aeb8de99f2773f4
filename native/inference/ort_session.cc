// Loading and running a network with ONNX Runtime.
#include "inference/ort_session.h"

#include <algorithm>
#include <utility>

#include "inference/fixed_batches.h"
#include "inference/ort_providers.h"

namespace telltale {
namespace {

class OrtSession : public Session {
 public:
  // Loads the network. Throws Ort::Exception.
  explicit OrtSession(const SessionOptions& options)
      : buckets_(options.batch_buckets), outputs_(options.outputs), session_(Create(options)) {
    for (const WantedOutput& output : outputs_) output_pointers_.push_back(output.name.c_str());
  }

  // Returns the reason why the file is not the expected network. Returns an empty string if it is.
  std::string FindFault(const SessionOptions& options) const {
    Ort::AllocatorWithDefaultOptions allocator;
    if (session_.GetInputCount() != 1) return "it must have one input";
    if (session_.GetInputNameAllocated(0, allocator).get() != std::string(kInputName))
      return "its input must be 'pixels'";
    const auto input_type = session_.GetInputTypeInfo(0);
    const auto input = input_type.GetTensorTypeAndShapeInfo();
    if (input.GetElementType() != ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8) return "its input must be uint8";
    const std::vector<int64_t> shape = input.GetShape();
    if (shape.size() != 4) return "its input must be [N,H,W,3]";
    const auto takes = [](int64_t side, int wanted) { return side < 0 || side == wanted; };  // -1: any size
    if (!takes(shape[1], options.height) || !takes(shape[2], options.width)) {
      return "its input is " + std::to_string(shape[2]) + "x" + std::to_string(shape[1]) + " px, not " +
             std::to_string(options.width) + "x" + std::to_string(options.height);
    }
    for (const auto& [wanted, columns] : outputs_) {
      bool found = false;
      for (size_t i = 0; i < session_.GetOutputCount(); ++i) {
        if (session_.GetOutputNameAllocated(i, allocator).get() != wanted) continue;
        const auto type = session_.GetOutputTypeInfo(i);
        const auto output = type.GetTensorTypeAndShapeInfo();
        found = output.GetElementType() == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
        if (columns == 0) continue;
        const std::vector<int64_t> sides = output.GetShape();
        if (sides.size() != 2 || sides[1] != columns)
          return "its output '" + wanted + "' has not " + std::to_string(columns) + " columns";
      }
      if (!found) return "it has no float output '" + wanted + "'";
    }
    return "";
  }

  // Limits runs to the batch sizes of `options` (see FixedBatches). Throws std::exception.
  void FixBatches(const SessionOptions& options) {
    fixed_ = std::make_unique<FixedBatches>(session_, options);
  }

  Result<Outputs> Run(const PixelView& batch) override {
    try {
      return fixed_ ? fixed_->Run(batch) : RunPadded(batch);
    } catch (const std::exception& error) {
      return Status(StatusCode::kInternalError, std::string("inference failed: ") + error.what());
    }
  }

 private:
  static Ort::Session Create(const SessionOptions& options) {
    Ort::SessionOptions target;
    target.SetIntraOpNumThreads(options.intra_op_threads);
    target.SetExecutionMode(ORT_SEQUENTIAL);
    target.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
    // Turns spinning off, because spinning threads would use processor time that decoding needs.
    target.AddConfigEntry("session.intra_op.allow_spinning", "0");
    target.AddConfigEntry("session.set_denormal_as_zero", "1");
    if (options.unpack_weights) target.AddConfigEntry("session.disable_quant_qdq", "1");
    if (options.fixed_batches && options.batch_buckets.size() == 1) {
      // Tells ONNX Runtime that the input always has this size. Values that depend on the size then become
      // constants, which saves work. The names are the dimensions of the face detector's input.
      const std::pair<const char*, int> sides[] = {
          {"n", options.batch_buckets[0]}, {"height", options.height}, {"width", options.width}};
      for (const auto& [name, size] : sides)
        Ort::ThrowOnError(Ort::GetApi().AddFreeDimensionOverrideByName(target, name, size));
    }
    AppendProviders(options, &target);
    return Ort::Session(OrtEnvironment(), options.path.c_str(), target);
  }

  Outputs RunPadded(const PixelView& batch) {
    const auto bucket = std::lower_bound(buckets_.begin(), buckets_.end(), batch.rows);
    if (bucket == buckets_.end() || *bucket == batch.rows) return RunExactly(batch, batch.rows);
    PixelBatch padded(*bucket, batch.height, batch.width);
    std::copy_n(batch.pixels, padded.row_size() * batch.rows, padded.pixels.begin());
    return RunExactly({padded.pixels.data(), padded.rows, padded.height, padded.width}, batch.rows);
  }

  // Runs all rows of `batch`, including padding. Returns the outputs of the first `rows` rows.
  Outputs RunExactly(const PixelView& batch, int rows) {
    const int64_t shape[] = {batch.rows, batch.height, batch.width, 3};
    const size_t size = static_cast<size_t>(batch.rows) * batch.height * batch.width * 3;
    // The cast is safe because ONNX Runtime only reads inputs.
    const Ort::Value input = Ort::Value::CreateTensor<uint8_t>(memory_, const_cast<uint8_t*>(batch.pixels),
                                                               size, shape, std::size(shape));
    const std::vector<Ort::Value> values = session_.Run(Ort::RunOptions{nullptr}, &kInputName, &input, 1,
                                                        output_pointers_.data(), output_pointers_.size());
    Outputs outputs;
    for (const Ort::Value& value : values) {
      const size_t row_size = value.GetTensorTypeAndShapeInfo().GetElementCount() / batch.rows;
      const float* data = value.GetTensorData<float>();
      outputs.push_back({row_size, std::vector<float>(data, data + row_size * rows)});
    }
    return outputs;
  }

  const std::vector<int> buckets_;
  const std::vector<WantedOutput> outputs_;
  std::vector<const char*> output_pointers_;
  const Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  Ort::Session session_;
  std::unique_ptr<FixedBatches> fixed_;  // null: runs of any size
};

}  // namespace

Result<std::unique_ptr<Session>> LoadOrtSession(const SessionOptions& options) {
  const bool on_cpu = options.device == Device::kCpu;
  try {
    auto session = std::make_unique<OrtSession>(options);
    if (const std::string fault = session->FindFault(options); !fault.empty()) {
      return Status(StatusCode::kModelInvalid, options.name + ": " + fault);
    }
    if (options.fixed_batches) {
      session->FixBatches(options);
      return std::unique_ptr<Session>(std::move(session));
    }
    for (const int rows : options.batch_buckets) {
      const PixelBatch zeros(rows, options.height, options.width);
      const auto outputs = session->Run({zeros.pixels.data(), rows, options.height, options.width});
      if (!outputs.ok())
        return Status(StatusCode::kDeviceUnavailable, options.name + ": " + outputs.status().message());
    }
    return std::unique_ptr<Session>(std::move(session));
  } catch (const std::exception& error) {
    return Status(on_cpu ? StatusCode::kModelInvalid : StatusCode::kDeviceUnavailable,
                  options.name + ": " + CauseOf(error.what()));
  }
}

}  // namespace telltale
