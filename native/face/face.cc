// Selecting the detected faces that the face specialist, a network for faces, may judge.
#include "face/face.h"

#include <algorithm>
#include <cstdint>

namespace telltale {

std::vector<Face> SelectCandidates(std::vector<Face> found) {
  std::erase_if(found,
                [](const Face& face) { return std::min(face.box.width, face.box.height) < kMinFaceSidePx; });
  const auto area = [](const Face& face) { return static_cast<int64_t>(face.box.width) * face.box.height; };
  std::stable_sort(found.begin(), found.end(),
                   [&](const Face& a, const Face& b) { return area(a) > area(b); });
  if (found.size() > kMaxCandidates) found.resize(kMaxCandidates);
  return found;
}

}  // namespace telltale
