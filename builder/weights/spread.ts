/**
 * Spreads a count over blocks in proportion to their populations, or evenly if all of these are 0.
 * Returns whole numbers that add up to the count, by the method of largest remainders (Hamilton);
 * ties go to the first blocks.
 */
export function spread(count: number, populations: Uint32Array): Uint32Array {
  const people = populations.reduce((sum, population) => sum + population, 0);
  const shares = people === 0 ? populations.map(() => 1) : populations;
  const all = people === 0 ? populations.length : people;
  const spreadCounts = new Uint32Array(shares.length);
  const remainders = new Float64Array(shares.length);
  let left = count;
  for (let i = 0; i < shares.length; i++) {
    // The product is exact, since it is below 2³² × 2²¹.
    const product = count * shares[i];
    remainders[i] = product % all;
    spreadCounts[i] = (product - remainders[i]) / all;
    left -= spreadCounts[i];
  }
  const byRemainder = Array.from(shares.keys()).sort(
    (a, b) => remainders[b] - remainders[a] || a - b,
  );
  for (const i of byRemainder.slice(0, left)) spreadCounts[i]++;
  return spreadCounts;
}
