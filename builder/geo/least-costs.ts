import FlatQueue from 'flatqueue';

/**
 * Finds the least cost from a place to each that it leads to, by Dijkstra's algorithm. `onward` is
 * asked once about each place, in ascending order of their costs, where it leads to.
 */
export function leastCosts<Place>(
  start: Place,
  onward: (place: Place, cost: number) => Iterable<readonly [next: Place, more: number]>,
): Map<Place, number> {
  const costs = new Map<Place, number>([[start, 0]]);
  const queue = new FlatQueue<Place>();
  queue.push(start, 0);
  while (queue.length > 0) {
    const cost = queue.peekValue()!;
    const place = queue.pop()!;
    if (cost > costs.get(place)!) continue;
    for (const [next, more] of onward(place, cost)) {
      if (cost + more >= (costs.get(next) ?? Number.POSITIVE_INFINITY)) continue;
      costs.set(next, cost + more);
      queue.push(next, cost + more);
    }
  }
  return costs;
}
