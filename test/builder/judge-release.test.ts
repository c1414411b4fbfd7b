import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reasonsAgainst, THRESHOLDS } from '../../builder/publish/judge-release.ts';
import type { ReleaseChanges, ReleaseNotes } from '../../shards/release/release-notes.ts';
import { forAll } from '../support/for-all.ts';

const UNCHANGED: ReleaseChanges = {
  counties: { both: 3, changed: 0, added: [], gone: [] },
  feeds: { used_before: 20, added: [], lost: [] },
  cut_off: [],
  times: { compared: 1_000, moved: 0, moved_much: 0 },
  objects: { all: 30, kept: 30, new_bytes: 0 },
};

const notes = (changes: Partial<ReleaseChanges> | null, more: Partial<ReleaseNotes> = {}) => ({
  release: 'after',
  manifest: 'manifests/after-0123456789abcdef.json',
  before: { release: 'before', manifest: 'manifests/before-0123456789abcdef.json' },
  blocks_without_streets: [],
  pois: [],
  changes: changes && { ...UNCHANGED, ...changes },
  history: [],
  ...more,
});
const reasons = (changes: Partial<ReleaseChanges> | null, more: Partial<ReleaseNotes> = {}) =>
  reasonsAgainst(notes(changes, more), THRESHOLDS);
const lost = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    file: `${i}.zip`,
    reason: i === 0 ? 'expired' : null,
  }));
const cafes = (pois: number, pois_before: number | null) => ({
  pois: [{ dest_type_id: 7, label: 'cafes', pois, pois_before }],
});

test('an ordinary week has no reason against it, nor has the first release', () => {
  const ordinary = {
    feeds: { used_before: 20, added: ['new.zip'], lost: lost(2) },
    cut_off: [{ county: '24001', blocks: 5, linked_before: 100 }],
    times: { compared: 1_000, moved: 900, moved_much: 100 },
  };
  expect(reasons(ordinary, cafes(70, 100))).toEqual([]);
  expect(reasons(null, { before: null, ...cafes(70, null) })).toEqual([]);
});

test.each<[string, Partial<ReleaseChanges> | null, Partial<ReleaseNotes>, string]>([
  [
    'three of twenty feeds',
    { feeds: { used_before: 20, added: [], lost: lost(3) } },
    {},
    'lost 3 of 20 feeds: 0.zip (expired); 1.zip (not among the inputs); 2.zip (not among the inputs)',
  ],
  [
    'a county',
    { counties: { ...UNCHANGED.counties, gone: ['24003'] } },
    {},
    'lacks 1 county: 24003',
  ],
  [
    'streets',
    { cut_off: [{ county: '24001', blocks: 6, linked_before: 100 }] },
    {},
    'county 24001: 6 of 100 blocks with a street nearby have none any more',
  ],
  [
    'times',
    { times: { compared: 1_000, moved: 101, moved_much: 101 } },
    {},
    '101 of 1,000 times to the nearest moved by five minutes or more, came or went',
  ],
  ['POIs of a type', {}, cafes(69, 100), 'cafes: 69 POIs, 100 before'],
  ['POIs that were all doubled', {}, cafes(200, 100), 'cafes: 200 POIs, 100 before'],
  ['a damaged predecessor', null, {}, 'release before is damaged, so that changes are not known'],
])('more than an ordinary change is refused with the reason: %s', (_, changes, more, reason) => {
  expect(reasons(changes, more)).toEqual([reason]);
});

test('what is too small for a percentage is no reason', () => {
  expect(reasons({ cut_off: [{ county: '24001', blocks: 9, linked_before: 9 }] })).toEqual([]);
  expect(reasons({}, cafes(0, 9))).toEqual([]);
});

test('higher thresholds never add a reason, and those of 100 % allow anything', async () => {
  const percent = fc.nat(100);
  await forAll(
    200,
    fc.nat(20),
    fc.nat(200),
    fc.nat(1_000),
    fc.nat(200),
    percent,
    percent,
    async (feeds, blocks, moved, pois, one, other) => {
      const change = notes(
        {
          feeds: { used_before: 20, added: [], lost: lost(feeds) },
          cut_off: [{ county: '24001', blocks, linked_before: 200 }],
          times: { compared: 1_000, moved, moved_much: moved },
        },
        cafes(pois, 100),
      );
      const all = (threshold: number) => ({
        feedsLost: threshold,
        blocksCutOff: threshold,
        timesMoved: threshold,
        poisChanged: threshold,
      });
      const [low, high] = [one, other].sort((a, b) => a - b);
      const [strict, lax] = [low, high].map((threshold) => reasonsAgainst(change, all(threshold)));
      expect(strict).toEqual(expect.arrayContaining(lax));
      expect(reasonsAgainst(change, all(100))).toEqual([]);
    },
  );
});
