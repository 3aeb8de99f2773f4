// libFuzzer target that reads the metadata of arbitrary bytes.
#include "metadata/metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  size_t kept = 0;
  const auto texts = telltale::ReadMetadata({data, size});
  for (const auto& text : texts) kept += text.text.size();
  if (texts.size() > telltale::kMaxMetadataTexts || kept > telltale::kMaxKeptBytes) __builtin_trap();
  return 0;
}
