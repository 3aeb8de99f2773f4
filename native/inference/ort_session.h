// Running networks with ONNX Runtime. Only the files ort_* and fixed_batches use ONNX Runtime.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inference/device.h"
#include "inference/session.h"

namespace telltale {

// Name of the input, which every network in this project has.
inline constexpr const char* kInputName = "pixels";

// An output of float values that a network must have.
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
  // GPU only: batch sizes in ascending order, to which smaller batches are padded. Choosing GPU kernels and
  // building TensorRT engines takes long, and is done once per size.
  std::vector<int> batch_buckets;
  // True if only the sizes in batch_buckets run, in memory that never moves. On CUDA, such runs replay
  // recorded graphs (fixed_batches.h).
  bool fixed_batches = false;
  // GPU only: converts int8 weights to floats once, instead of in every run.
  bool unpack_weights = false;
  // Height and width of the input if they are fixed. Required for TensorRT and for the runs during loading.
  int height = 0;
  int width = 0;
  std::string ep_library;  // TensorRT only: library whose provider replaces the built-in one
  std::string cache_dir;   // TensorRT's engine and timing caches; empty: no caches
};

// Loads a network whose only input is `pixels`, uint8 [N,H,W,3]. On a GPU, also runs each batch size once.
// Blocks meanwhile, with TensorRT and without a cache for minutes. Errors: kModelInvalid if the file is not
// the expected network, kDeviceUnavailable if the device cannot run it.
Result<std::unique_ptr<Session>> LoadOrtSession(const SessionOptions& options);

// Returns the version of the loaded ONNX Runtime, such as "1.21.0".
std::string OnnxRuntimeVersion();

// Returns the reason why this build of ONNX Runtime does not support `device`; empty if it does.
std::string WhyProviderNotBuiltIn(Device device);

// Returns the reason why the provider for `device`, or a library of it, cannot be loaded; empty if it can.
std::string WhyProviderDoesNotLoad(Device device);

}  // namespace telltale
