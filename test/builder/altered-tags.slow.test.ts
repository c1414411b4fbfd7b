import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildRelease } from '../../builder/build.ts';
import { silent } from '../../builder/progress.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { pointAt, type SmallCity, writeSmallCity } from '../transit/small-city.ts';

const folder = folderOfTests();
const [CORNERS, SPACING] = [60, 100];
/** The street and the corner that are altered, in the middle. */
const [STREET, CORNER] = [30, 31];

/**
 * A row of streets, with a quiet street parallel to the middle one. Blocks lie in the west, in the
 * east, and near the middle street, to which that block is 10 m closer than to a side street.
 */
function row(streetTags: object, cornerTags: object): SmallCity {
  const along = Array.from({ length: CORNERS }, (_, i) => pointAt(i * SPACING, 0));
  const beside = [STREET, STREET + 1].map((i) => pointAt(i * SPACING, 20));
  const middle = (STREET + 0.5) * SPACING;
  const side = [pointAt(STREET * SPACING, 60)];
  return {
    corners: [...along, ...beside, ...side],
    streets: [
      ...along.slice(1).map((_, i): [number, number] => [i, i + 1]),
      [CORNERS, CORNERS + 1],
      [STREET, CORNERS + 2],
    ],
    streetTags: { [STREET]: streetTags as Record<string, string> },
    cornerTags: { [CORNER]: cornerTags as Record<string, string> },
    blocks: [pointAt(100, 5), pointAt((CORNERS - 2) * SPACING, 5), pointAt(middle - 10, 30)],
    shops: [pointAt(0, 5), pointAt((CORNERS - 1) * SPACING, 5)],
  };
}

async function built(store: string, city: SmallCity): Promise<string> {
  mkdirSync(path.join(folder, 'inputs'), { recursive: true });
  const inputs = await writeSmallCity(path.join(folder, 'inputs'), city);
  const opened = new FolderStore(path.join(folder, store));
  const request = { ...inputs, counties: [], release: 'r', tiles: false };
  const { manifest } = await buildRelease(request, opened, silent);
  await opened.close();
  return JSON.stringify(manifest.counties);
}

const PRIMARY = { highway: 'primary' };
const LIGHTS = { highway: 'traffic_signals' };

test.each<[string, [before: object, after: object], [before: object, after: object]]>([
  ['cycleway=track', [PRIMARY, { ...PRIMARY, cycleway: 'track' }], [LIGHTS, LIGHTS]],
  ['bicycle=use_sidepath', [{}, { bicycle: 'use_sidepath' }], [{}, {}]],
  ['barrier=stile', [{}, {}], [{}, { barrier: 'stile' }]],
  ['bridge=yes', [{}, { bridge: 'yes' }], [{}, {}]],
  ['sidewalk=both', [{ highway: 'trunk' }, { highway: 'trunk', sidewalk: 'both' }], [{}, {}]],
])('a change to %s on a map that was built before takes effect', async (tag, [a, b], [c, d]) => {
  const before = await built(tag, row(a, c));
  const after = await built(tag, row(b, d));
  expect(after).not.toBe(before);
  expect(after).toBe(await built(`${tag}-fresh`, row(b, d)));
});
