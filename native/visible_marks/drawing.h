// Signs as geometric shapes that report which points they cover.
#pragma once

#include <functional>

namespace telltale {

// A sign in its own pixel coordinates, from its upper left corner.
struct Drawing {
  double width = 0;
  double height = 0;
  // Returns true if the point has the sign's colour, which is lighter than the background.
  std::function<bool(double x, double y)> covers;
};

// Returns a four-pointed star with concave sides.
Drawing DrawSparkle();

// Returns a pill with the letters "ai" cut out.
Drawing DrawAiPill();

// Returns a ring with a slash through it, followed by the word "Grok".
Drawing DrawGrok();

}  // namespace telltale
