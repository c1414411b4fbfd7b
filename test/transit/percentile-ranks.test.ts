import { expect, test } from 'vitest';
import { rankOfPercentile } from '../../builder/routing-parameters.ts';

test('the rank of a percentile is the least with that share of the departures', () => {
  for (let departures = 1; departures <= 60; departures++) {
    for (let percentile = 1; percentile <= 99; percentile++) {
      let rank = 1;
      while (100 * rank < percentile * departures) rank++;
      expect([percentile, departures, rankOfPercentile(percentile, departures)]).toEqual([
        percentile,
        departures,
        rank,
      ]);
    }
  }
});
