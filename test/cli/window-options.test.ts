import { describe, expect, test } from 'vitest';
import { rankOfPercentile } from '../../builder/routing-parameters.ts';
import { parsePercentiles, parseWindows } from '../../infra/cli/window-options.ts';
import { parseService } from '../../shards/services.ts';

test('windows are known by name, or spelled with time, departures and day; am is always there', () => {
  expect(parseWindows(undefined)).toEqual([]);
  expect(parseWindows('am,sunday,early=06:30+45@weekday')).toEqual([
    { name: 'sunday', opens: 660, departures: 60, day: 'sunday' },
    { name: 'early', opens: 390, departures: 45, day: 'weekday' },
  ]);
});

test.each([
  ['noon', 'is not a window: give am, midday, pm, evening, saturday, sunday, or your own'],
  ['am=07:00+60@weekday', 'cannot be another window'],
  ['early=06:30+61@weekday', 'needs 1 to 60 minutes'],
  ['early=06:30+60@monday', 'needs a day: weekday, saturday, sunday'],
  ['late=23:30+60@weekday', 'does not end by midnight'],
  ['Early=06:30+60@weekday', 'needs a name'],
  ['pm,pm', 'pm is listed twice'],
])('%s is refused: %s', (list, fault) => {
  expect(() => parseWindows(list)).toThrow(fault);
});

describe('percentiles', () => {
  const windows = parseWindows('midday');

  test('are of all windows, or of one', () => {
    expect(parsePercentiles(undefined, windows)).toEqual({});
    expect(parsePercentiles(['50', 'midday:10,90'], windows)).toEqual({
      am: [50],
      midday: [50, 10, 90],
    });
  });

  test.each([['night:50'], ['0'], ['100'], ['10,x'], ['12.5']])('%s is refused', (list) => {
    expect(() => parsePercentiles([list], windows)).toThrow('--percentiles');
  });
});

test('a service has one name', () => {
  expect(parseService('transit.am.50')).toMatchObject({ departure: 'am', percentile: 50 });
  for (const name of ['transit.am', 'transit.midday.10', 'walk.am', 'transit..50', 'drive', '']) {
    expect(parseService(name)).toBeUndefined();
  }
});

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
