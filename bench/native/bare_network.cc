// A session with the runtime's defaults, but for the number of threads.
#include "bare_network.h"

#include "inference/ort_providers.h"

namespace telltale::bench {
namespace {

Ort::Session Load(const std::string& path, int intra_op_threads) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(intra_op_threads);
  return Ort::Session(OrtEnvironment(), path.c_str(), options);
}

}  // namespace

BareNetwork::BareNetwork(const std::string& path, const std::vector<std::string>& outputs,
                         int intra_op_threads)
    : names_(outputs), session_(Load(path, intra_op_threads)) {
  for (const std::string& name : names_) name_pointers_.push_back(name.c_str());
}

void BareNetwork::Run(const PixelBatch& batch) {
  const int64_t shape[] = {batch.rows, batch.height, batch.width, 3};
  const Ort::Value input = Ort::Value::CreateTensor<uint8_t>(
      memory_, const_cast<uint8_t*>(batch.pixels.data()), batch.pixels.size(), shape, std::size(shape));
  const char* input_name = "pixels";
  session_.Run(Ort::RunOptions{nullptr}, &input_name, &input, 1, name_pointers_.data(),
               name_pointers_.size());
}

}  // namespace telltale::bench
