// Memory for each batch size, which is bound to the network once and never moves.
#include "inference/fixed_batches.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>

namespace telltale {
namespace {

// Name of the option by which ONNX Runtime selects a recorded CUDA graph. The value -1 selects none.
constexpr const char* kGraphId = "gpu_graph_id";
// Maximum difference between the outputs of a CUDA graph and of an ordinary run, relative to 1 + the output.
// Rounding of float16 stays far below this limit, and a graph that reads wrong pixels exceeds the limit.
constexpr float kTolerance = 0.02F;
// Maximum runs that wait for the thread.
constexpr int kQueue = 4096;

// Returns memory that both the CPU and the GPU can access directly (pinned). Copying to the GPU's own memory
// would not be part of a CUDA graph.
Ort::MemoryInfo SharedMemory(Device device) {
  if (device == Device::kCpu) return Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  return Ort::MemoryInfo("CudaPinned", OrtDeviceAllocator, 0, OrtMemTypeCPUOutput);
}

// Returns the type of memory that makes ONNX Runtime use the shared memory on the GPU without copying.
Ort::MemoryInfo DeviceMemory(Device device) {
  if (device == Device::kCpu) return SharedMemory(device);
  return Ort::MemoryInfo("Cuda", OrtDeviceAllocator, 0, OrtMemTypeDefault);
}

Ort::RunOptions RunOfGraph(int id) {
  Ort::RunOptions options;
  options.AddConfigEntry(kGraphId, std::to_string(id).c_str());
  return options;
}

// Returns pseudo-random pixels, the same at every start, to compare the outputs of two runs.
PixelBatch Noise(int rows, const SessionOptions& options) {
  PixelBatch noise(rows, options.height, options.width);
  uint32_t state = 1;
  for (uint8_t& pixel : noise.pixels) pixel = (state = state * 1664525 + 1013904223) >> 24;
  return noise;
}

}  // namespace

// A network with its memory for one batch size. All methods run on one thread.
class FixedBatches::OneSize {
 public:
  OneSize(Ort::Session& session, const SessionOptions& options, int rows)
      : rows(rows),
        session_(session),
        run_options_(RunOfGraph(rows)),
        binding_(session),
        allocator_(session, SharedMemory(options.device)),
        pixels_(allocator_, options.device, {rows, options.height, options.width, 3}) {
    const PixelBatch noise = Noise(rows, options);
    const std::vector<Ort::Value> expected = RunPlainly(noise, options.outputs);
    binding_.BindInput(kInputName, pixels_.bound);
    for (size_t i = 0; i < expected.size(); ++i) {
      outputs_.push_back(std::make_unique<Buffer<float>>(allocator_, options.device,
                                                         expected[i].GetTensorTypeAndShapeInfo().GetShape()));
      binding_.BindOutput(options.outputs[i].name.c_str(), outputs_.back()->bound);
    }
    Run(nullptr, 0);  // captured, with other pixels than those compared later
    Run(noise.pixels.data(), rows);
    for (size_t i = 0; i < expected.size(); ++i) Compare(expected[i].GetTensorData<float>(), *outputs_[i]);
  }

  // Runs the network on `given` rows, at most `rows`, and fills the outputs.
  void Run(const uint8_t* pixels, int given) {
    const size_t bytes = row_size() * given;
    std::copy_n(pixels, bytes, pixels_.data());
    std::fill(pixels_.data() + bytes, pixels_.data() + pixels_.size, 0);
    session_.Run(run_options_, binding_);
  }

  // Appends the first `given` rows of the last run's outputs.
  void TakeOutputs(int given, Outputs* outputs) {
    outputs->resize(outputs_.size());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      Output& output = (*outputs)[i];
      output.row_size = outputs_[i]->size / rows;
      const float* data = outputs_[i]->data();
      output.values.insert(output.values.end(), data, data + output.row_size * given);
    }
  }

  size_t row_size() const { return pixels_.size / rows; }  // bytes of a row of pixels

  const int rows;

 private:
  // A tensor that stays at one address. `bound` is the same memory as the network's input or output.
  template <typename T>
  struct Buffer {
    Buffer(OrtAllocator* allocator, Device device, const std::vector<int64_t>& shape)
        : memory(Ort::Value::CreateTensor<T>(allocator, shape.data(), shape.size())),
          size(memory.GetTensorTypeAndShapeInfo().GetElementCount()),
          bound(Ort::Value::CreateTensor<T>(DeviceMemory(device), data(), size, shape.data(), shape.size())) {
    }
    T* data() { return memory.template GetTensorMutableData<T>(); }

    Ort::Value memory;
    size_t size;
    Ort::Value bound;
  };

  std::vector<Ort::Value> RunPlainly(const PixelBatch& batch, const std::vector<WantedOutput>& wanted) {
    const int64_t shape[] = {batch.rows, batch.height, batch.width, 3};
    const Ort::MemoryInfo memory = SharedMemory(Device::kCpu);
    const Ort::Value input = Ort::Value::CreateTensor<uint8_t>(
        memory, const_cast<uint8_t*>(batch.pixels.data()), batch.pixels.size(), shape, std::size(shape));
    std::vector<const char*> names;
    for (const WantedOutput& output : wanted) names.push_back(output.name.c_str());
    return session_.Run(RunOfGraph(-1), &kInputName, &input, 1, names.data(), names.size());
  }

  void Compare(const float* expected, Buffer<float>& found) const {
    for (size_t i = 0; i < found.size; ++i) {
      // This form of the comparison also rejects NaN.
      if (!(std::abs(found.data()[i] - expected[i]) <= kTolerance * (1 + std::abs(expected[i]))))
        throw std::runtime_error("the graph of " + std::to_string(rows) + " rows gives " +
                                 std::to_string(found.data()[i]) + " where an ordinary run gives " +
                                 std::to_string(expected[i]));
    }
  }

  Ort::Session& session_;
  const Ort::RunOptions run_options_;
  Ort::IoBinding binding_;
  Ort::Allocator allocator_;
  Buffer<uint8_t> pixels_;
  std::vector<std::unique_ptr<Buffer<float>>> outputs_;
};

FixedBatches::FixedBatches(Ort::Session& session, const SessionOptions& options)
    : thread_({.task_threads = 1, .queue_limit = kQueue}, {}) {
  OnThread([&] {
    for (const int rows : options.batch_buckets)
      sizes_.push_back(std::make_unique<OneSize>(session, options, rows));
    return Outputs();
  });
}

FixedBatches::~FixedBatches() = default;

Outputs FixedBatches::Run(const PixelView& batch) {
  return OnThread([&] {
    Outputs outputs;
    const size_t row_size = size_t{3} * batch.height * batch.width;
    if (row_size != sizes_.front()->row_size()) throw std::invalid_argument("rows of another size");
    for (int first = 0; first < batch.rows;) {
      const int left = batch.rows - first;
      const auto fits = [&](const auto& size) { return size->rows >= left; };
      const auto found = std::find_if(sizes_.begin(), sizes_.end(), fits);
      OneSize& size = found == sizes_.end() ? *sizes_.back() : **found;
      const int rows = std::min(left, size.rows);
      size.Run(batch.pixels + row_size * first, rows);
      size.TakeOutputs(rows, &outputs);
      first += rows;
    }
    return outputs;
  });
}

Outputs FixedBatches::OnThread(std::function<Outputs()> work) {
  const auto task = std::make_shared<std::packaged_task<Outputs()>>(std::move(work));
  std::future<Outputs> result = task->get_future();
  if (thread_.TryPost([task] { (*task)(); }) != PushResult::kAccepted)
    throw std::runtime_error("too many runs wait");
  return result.get();
}

}  // namespace telltale
