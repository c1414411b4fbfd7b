/** Prints one figure of the benchmark as a line of JSON. */
export function figure(name: string, value: number, unit: string, about: object = {}): void {
  const rounded = Number(value.toPrecision(4));
  process.stdout.write(`${JSON.stringify({ figure: name, value: rounded, unit, ...about })}\n`);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The exponent `b` of `y = a · xᵇ`, by least squares of the logarithms. */
export function exponentOf(points: readonly (readonly [x: number, y: number])[]): number {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)]);
  const mean = (column: 0 | 1) => logs.reduce((sum, log) => sum + log[column], 0) / logs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let [xy, xx] = [0, 0];
  for (const [x, y] of logs) {
    xy += (x - meanX) * (y - meanY);
    xx += (x - meanX) ** 2;
  }
  return xy / xx;
}
