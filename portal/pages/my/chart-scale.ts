const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [220, 52, 18, 10, 26];
const MAX_STEPS = 4;

/** Geometry of a bar chart in pixels that fills the width and fits the largest value. */
export function chartScale(values: readonly number[], width: number) {
  const most = Math.max(1, ...values);
  const step = roundStep(most);
  const steps = Math.ceil(most / step);
  return {
    width,
    height: HEIGHT,
    left: LEFT,
    top: TOP,
    pitch: (width - LEFT - RIGHT) / values.length,
    lines: Array.from({ length: steps + 1 }, (_, i) => i * step),
    yOf: (value: number) => TOP + (1 - value / (steps * step)) * (HEIGHT - TOP - BOTTOM),
  };
}

/** The smallest of 1, 2 and 5 times a power of ten such that four steps reach `most`. */
function roundStep(most: number): number {
  let power = 1;
  for (;;) {
    for (const step of [1, 2, 5]) if (step * power * MAX_STEPS >= most) return step * power;
    power *= 10;
  }
}
