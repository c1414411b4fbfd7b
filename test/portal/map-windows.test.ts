import { expect, test } from 'vitest';
import {
  serviceOf,
  speedWords,
  timingOf,
  timingWords,
} from '../../portal/pages/map/catalogue/windows.ts';
import { BASE_TIMING } from '../../shards/services.ts';

const SUNDAY = { name: 'sunday', label: 'Sunday 9:30–10:15', percentiles: [10, 50] };

test('a window and a percentile are told in words, which name the percentile', () => {
  expect(timingWords([SUNDAY], { departure: 'sunday', percentile: 10 })).toBe(
    'Sunday 9:30–10:15, fast departure (10th percentile)',
  );
  expect(timingWords([SUNDAY], { departure: 'sunday', percentile: 50 })).toBe(
    'Sunday 9:30–10:15, typical departure (median)',
  );
  expect(timingWords([], BASE_TIMING)).toBeNull();
  expect([1, 2, 3, 11, 12, 13, 21, 22, 33].map((one) => speedWords(one))).toEqual(
    ['1st', '2nd', '3rd', '11th', '12th', '13th', '21st', '22nd']
      .map((nth) => `fast departure (${nth} percentile)`)
      .concat('typical departure (33rd percentile)'),
  );
  expect(speedWords(90)).toBe('slow departure (90th percentile)');
});

test('requests name the window and the percentile only of transit, and only other than those of every release', () => {
  const timing = { departure: 'sunday', percentile: 50 };
  expect(timingOf(['walk', 'transit'], timing)).toEqual(timing);
  expect(timingOf(['walk', 'bike'], timing)).toEqual({});
  expect(timingOf(['transit'], BASE_TIMING)).toEqual({});
  expect(['walk', 'transit'].map((mode) => serviceOf(mode, timing))).toEqual([
    'walk',
    'transit.sunday.50',
  ]);
  expect(serviceOf('transit', BASE_TIMING)).toBe('transit');
});
