// The runtime's own limit: ONNX Runtime called with a ready tensor, its outputs left where it puts them.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <string>
#include <vector>

#include "inference/pixel_batch.h"

namespace telltale::bench {

// Run is thread-safe.
class BareNetwork {
 public:
  // `outputs` are those that a check needs. Throws Ort::Exception.
  BareNetwork(const std::string& path, const std::vector<std::string>& outputs, int intra_op_threads);

  // Throws Ort::Exception.
  void Run(const PixelBatch& batch);

 private:
  std::vector<std::string> names_;
  std::vector<const char*> name_pointers_;
  Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  Ort::Session session_;
};

}  // namespace telltale::bench
