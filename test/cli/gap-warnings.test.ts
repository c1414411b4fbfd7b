import { expect, test } from 'vitest';
import type { ExtractCoverage } from '../../builder/extract/extract-coverage.ts';
import { gapWarnings } from '../../infra/cli/gap-warnings.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import { boxRing } from '../support/rings.ts';

const release = (routable: number) => {
  const county = { blocks: 10, routable_blocks: routable, block_box: [-76.8, 39.1, -76.5, 39.4] };
  return { counties: { '24510': county } } as unknown as Pick<Manifest, 'counties'>;
};
const extract: ExtractCoverage = {
  name: 'maryland.osm.pbf',
  box: { minLon: -80, minLat: 37, maxLon: -75, maxLat: 40 },
  outline: null,
  cutMs: 0,
};
const outline = { polygons: [[boxRing(-79.5, 38.5, -77, 39.75)]] };

test('a county with few routable blocks is named with its extent, and the extracts with theirs', () => {
  expect(gapWarnings(release(3), [extract, { ...extract, box: null }])).toEqual([
    'county 24510: only 30 % of its blocks are near a street (3 of 10); the county extends over 76.80°W to 76.50°W, 39.10°N to 39.40°N',
    'the extract maryland.osm.pbf covers 80.00°W to 75.00°W, 37.00°N to 40.00°N; use one that covers the counties',
    'the extract maryland.osm.pbf does not state its coverage; use one that covers the counties',
  ]);
});

test('an extract with a polygon is named with the bounds of its polygon, not of its header', () => {
  expect(gapWarnings(release(3), [{ ...extract, outline }])[1]).toBe(
    'the extract maryland.osm.pbf covers the polygon of its .poly file, within 79.50°W to 77.00°W, 38.50°N to 39.75°N; use one that covers the counties, or remove the .poly file if it is another extract’s',
  );
});

test('a county with most blocks near a street gives no warning', () => {
  expect(gapWarnings(release(9), [extract])).toEqual([]);
});
