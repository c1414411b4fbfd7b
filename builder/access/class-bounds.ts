/** Number of classes of a count: of the colours of a map. */
const CLASSES = 6;

/** The first two digits of round numbers: about ten equal steps of a logarithmic scale. */
const ROUND = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
/** Buckets per power of ten: the numbers of two digits. */
const PER_DECADE = 90;
/** Number of buckets of counts below 2^32. */
export const BUCKETS = 8 * PER_DECADE + 100;

/** The bucket of a count: all that have its first two digits and its length. */
export function bucketOf(count: number): number {
  let [scale, bucket] = [1, 0];
  while (count >= 100 * scale) {
    scale *= 10;
    bucket += PER_DECADE;
  }
  return bucket + Math.floor(count / scale);
}

function leastIn(bucket: number): number {
  if (bucket < 100) return bucket;
  const decade = Math.floor((bucket - 10) / PER_DECADE);
  return (bucket - decade * PER_DECADE) * 10 ** decade;
}

/**
 * Returns the bounds of up to `CLASSES` classes with as many blocks each as round numbers allow:
 * quantiles, rounded down to one of ten numbers per power of ten, or to two digits where those
 * would coincide. No class is empty, but that below the only bound of counts with the same two
 * digits. `blocks`: the number of blocks in each bucket.
 */
export function boundsOf(blocks: ArrayLike<number>): number[] {
  const buckets = Array.from({ length: BUCKETS }, (_, bucket) => bucket);
  const all = buckets.reduce((sum, bucket) => sum + blocks[bucket], 0);
  if (all === 0) return [];
  const quantiles: number[] = [];
  let below = 0;
  for (const bucket of buckets) {
    below += blocks[bucket];
    while (quantiles.length < CLASSES - 1 && below * CLASSES > all * (quantiles.length + 1)) {
      quantiles.push(leastIn(bucket));
    }
  }
  const least = leastIn(buckets.find((bucket) => blocks[bucket] > 0)!);
  const distinct = (bounds: readonly number[]) =>
    [...new Set(bounds)].filter((bound) => bound > least);
  const [round, exact] = [distinct(quantiles.map(roundedDown)), distinct(quantiles)];
  if (exact.length === 0 && least > 0) return [least];
  return round.length >= exact.length ? round : exact;
}

/** Rounds a number of two digits and zeros down to one of `ROUND`, times a power of ten. */
function roundedDown(count: number): number {
  if (count < 10) return count;
  let scale = 1;
  while (count >= 100 * scale) scale *= 10;
  return ROUND.findLast((first) => first * scale <= count)! * scale;
}
