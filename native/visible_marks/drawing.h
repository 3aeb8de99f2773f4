// Signs as our own scripts draw them: which points are inside a shape.
#pragma once

#include <functional>

namespace telltale {

// A sign in pixels of its own, from its upper left corner.
struct Drawing {
  double width = 0;
  double height = 0;
  // Whether the point is covered by the sign's colour, which is lighter than the ground.
  std::function<bool(double x, double y)> covers;
};

// A star of four points with hollow sides.
Drawing DrawSparkle();

// A pill with the letters "ai" cut out.
Drawing DrawAiPill();

// A ring with a slash through it, and the word "Grok" beside it.
Drawing DrawGrok();

}  // namespace telltale
