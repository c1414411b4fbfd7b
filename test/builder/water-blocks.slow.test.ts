import { expect, test } from 'vitest';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { silent } from '../../builder/progress.ts';
import { linkRegion } from '../../builder/region/link-region.ts';
import { Impassable } from '../../builder/streets/impassable.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { BASE_MODES } from '../../shards/modes.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import { cityOfTests } from '../demo/written-city.ts';
import { readFiles } from '../support/prepared-city.ts';

const city = cityOfTests(500, 7);

test('no trip starts or ends in a water block, however near a street is', async () => {
  const { osm, blocks } = city.files;
  const region = await readFiles({ osm: [osm], blocks, feeds: null, counties: [] });
  const linked = linkRegion(region, BASE_MODES, new Taxonomy(TAXONOMY), silent);
  const water = linked.blocks.flatMap(({ isWater }, ordinal) => (isWater ? [ordinal] : []));
  const besideStreet = water.filter((ordinal) => {
    const { lon, lat } = linked.blocks[ordinal];
    return typeof region.networks[0].linker.linkStop(lon, lat) !== 'string';
  });
  expect(besideStreet.length).toBeGreaterThan(5);
  for (const streets of linked.searchRegion.streets) {
    const targets = new Set(streets.targets.entries.filter((_, i) => i % 2 === 0));
    for (const ordinal of water) {
      expect(streets.blockLinks[ordinal * 4]).toBe(-1);
      expect(targets.has(linked.searchRegion.destinationCount + ordinal)).toBe(false);
    }
    expect(targets.size).toBeGreaterThan(300);
  }
});

test('a land block surrounded by water is linked to the streets, and so is a stop there, but no shop', async () => {
  const { osm, blocks } = city.files;
  const read = await readFiles({ osm: [osm], blocks, feeds: null, counties: [] });
  // A block more than 20 m off its street, so that the shore comes first.
  const block = [...read.targets.values()].flat().find(({ lon, lat, isWater }) => {
    const link = read.networks[0].linker.linkStop(lon, lat);
    return !isWater && typeof link !== 'string' && link.snap > 20;
  })!;
  const [lon, lat] = [block.lon, block.lat];
  const shore = [-1, 1, 1, -1, -1].map((east, i) => [
    lon + east * 5e-5,
    lat + [-1, -1, 1, 1, -1][i] * 5e-5,
  ]);
  const impassable = new Impassable({
    count: 1,
    firstPoint: Uint32Array.of(0, shore.length),
    lon: Float64Array.from(shore, ([x]) => x),
    lat: Float64Array.from(shore, ([, y]) => y),
  });
  const { streets, coverage } = read;
  const labels = ['frequent_transit', 'ferry_terminals', 'rail_stations', 'health_food_shops'];
  const destinations = labels.map((label, i) => ({
    destId: i + 1,
    source: `node ${i + 1}`,
    name: label,
    brand: null,
    address: { street: null, city: null, state: null, zip: null },
    types: [TAXONOMY.find((type) => type.label === label)!.dest_type_id],
    lon,
    lat,
    entrances: [{ lon, lat }],
  }));
  const region = {
    ...read,
    destinations,
    targets: new Map([[block.county, [block]]]),
    networks: (['walk', 'bike'] as const).map((mode) =>
      buildModeNetwork(streets, mode, { coverage, impassable }),
    ),
  };
  const { links, searchRegion } = linkRegion(region, BASE_MODES, new Taxonomy(TAXONOMY), silent);
  expect(links[0].map(({ status }) => status)).toEqual(['linked', 'linked']);
  for (const { targets } of searchRegion.streets) {
    const tied = new Set(targets.entries.filter((_, i) => i % 2 === 0));
    expect([0, 1, 2, 3, 4].filter((target) => tied.has(target))).toEqual([0, 1, 2, 4]);
  }
});
