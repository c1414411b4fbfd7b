/** Prints one figure of the benchmark as a line of JSON. */
export function figure(name: string, value: number, unit: string, about: object = {}): void {
  const rounded = Number(value.toPrecision(4));
  process.stdout.write(`${JSON.stringify({ figure: name, value: rounded, unit, ...about })}\n`);
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
