// Networks run by ONNX Runtime; with ort_providers.cc the only place that knows it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "inference/device.h"
#include "inference/session.h"

namespace telltale {

// Of every network.
inline constexpr const char* kInputName = "pixels";

// A float output that is wanted of a network.
struct WantedOutput {
  std::string name;
  int columns = 0;  // it is [N, columns]; 0: any shape [N, ...]
};

// How a network is loaded.
struct SessionOptions {
  std::string name;                   // the model's, for messages
  std::string path;                   // of the ONNX file
  std::vector<WantedOutput> outputs;  // in this order
  Device device = Device::kCpu;
  int intra_op_threads = 1;  // threads that share one run on the CPU
  // A GPU alone: batch sizes, ascending, to which runs are padded. So kernels are chosen and engines built
  // once for each; the last is the largest batch.
  std::vector<int> batch_buckets;
  // Runs have the sizes of batch_buckets alone and buffers that never move; on CUDA, graphs
  // (fixed_batches.h).
  bool fixed_batches = false;
  // A GPU alone: weights that a graph keeps in int8 are made floats once, not at every run.
  bool unpack_weights = false;
  // Pixels of a row: those of the network where it takes one size only; warm-up and TensorRT profiles need
  // them.
  int height = 0;
  int width = 0;
  std::string ep_library;  // TensorRT alone: a library whose provider takes the place of the one built in
  std::string cache_dir;   // TensorRT's engine and timing caches; empty: none kept
};

// Loads a network whose one input is `pixels`, uint8 [N,H,W,3]. On a GPU every bucket has run once when this
// returns. Blocks for as long as that takes (TensorRT without a cache: minutes). Errors: kModelInvalid (the
// file is no such network), kDeviceUnavailable (the device does not run it).
Result<std::unique_ptr<Session>> LoadOrtSession(const SessionOptions& options);

// The version of the library in use, such as "1.21.0".
std::string OnnxRuntimeVersion();

// Why this build of ONNX Runtime can't drive `device`; empty if it has the provider.
std::string WhyProviderNotBuiltIn(Device device);

// Why the provider for `device` and the libraries it needs don't load; empty if they do.
std::string WhyProviderDoesNotLoad(Device device);

}  // namespace telltale
