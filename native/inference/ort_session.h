// Networks run by ONNX Runtime. Only the ort_* files and fixed_batches depend on ONNX Runtime.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inference/device.h"
#include "inference/session.h"

namespace telltale {

// Name of the only input of every network.
inline constexpr const char* kInputName = "pixels";

// A float output required of a network.
struct WantedOutput {
  std::string name;
  int columns = 0;  // shape [N, columns]; 0: any shape [N, ...]
};

// Options for loading a network.
struct SessionOptions {
  std::string name;                   // name of the model, for messages
  std::string path;                   // path of the ONNX file
  std::vector<WantedOutput> outputs;  // in this order
  Device device = Device::kCpu;
  int intra_op_threads = 1;  // threads that share one run on the CPU
  // GPU only: ascending batch sizes to which runs are padded, so that kernels are chosen and engines built
  // once per size. The last is the largest batch.
  std::vector<int> batch_buckets;
  // Runs use only the sizes in batch_buckets and buffers that never move; on CUDA they replay graphs
  // (fixed_batches.h).
  bool fixed_batches = false;
  // GPU only: int8 weights of a graph are converted to floats once rather than at every run.
  bool unpack_weights = false;
  // Pixels of a row if the network takes a single size; needed for warm-up and TensorRT profiles.
  int height = 0;
  int width = 0;
  std::string ep_library;  // TensorRT only: library whose provider replaces the built-in one
  std::string cache_dir;   // TensorRT's engine and timing caches; empty: no caches
};

// Loads a network whose only input is `pixels`, uint8 [N,H,W,3]. On a GPU, every bucket has run once on
// return. Blocks until then (TensorRT without a cache: minutes). Errors: kModelInvalid (the file is not such
// a network), kDeviceUnavailable (the device cannot run it).
Result<std::unique_ptr<Session>> LoadOrtSession(const SessionOptions& options);

// Returns the version of the library in use, such as "1.21.0".
std::string OnnxRuntimeVersion();

// Returns the reason why this build of ONNX Runtime does not support `device`; empty if it does.
std::string WhyProviderNotBuiltIn(Device device);

// Returns the reason why the provider for `device` or its libraries cannot be loaded; empty if they can.
std::string WhyProviderDoesNotLoad(Device device);

}  // namespace telltale
