// The visible signs of image generators, as shapes.
#pragma once

#include <functional>

namespace telltale {

// The shape of a sign, in pixels from its upper left corner.
struct Drawing {
  double width = 0;
  double height = 0;
  // Returns true if the point belongs to the sign. The sign is lighter than the image behind it.
  std::function<bool(double x, double y)> covers;
};

// Returns Gemini's sign: a four-pointed star with concave sides.
Drawing DrawSparkle();

// Returns Gemini's other sign: a pill from which the letters "ai" are cut out.
Drawing DrawAiPill();

// Returns Grok's sign: a ring with a slash, followed by the word "Grok".
Drawing DrawGrok();

}  // namespace telltale
