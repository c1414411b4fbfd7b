import fc from 'fast-check';

type Arbitraries<Values> = { [At in keyof Values]: fc.Arbitrary<Values[At]> };

/**
 * Checks the given number of generated examples; a failing one is shrunk. A check fails by
 * throwing, or by returning a value other than `true` or undefined.
 */
export function forAll<Values extends [unknown, ...unknown[]]>(
  runs: number,
  ...property: [...Arbitraries<Values>, (...values: Values) => unknown]
): Promise<void> {
  const arbitraries = property.slice(0, -1) as Arbitraries<Values>;
  const check = property.at(-1) as (...values: Values) => Promise<boolean>;
  const checked = fc.asyncProperty(...arbitraries, async (...values: Values) => check(...values));
  return fc.assert(checked, { numRuns: runs });
}
