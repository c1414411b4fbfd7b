import { expect, test } from 'vitest';
import { TAXONOMY } from '../../builder/destinations/taxonomy.ts';
import { silent } from '../../builder/progress.ts';
import { linkRegion } from '../../builder/region/link-region.ts';
import { OriginSearch } from '../../builder/search/origin-search.ts';
import { buildModeNetwork } from '../../builder/streets/mode-network.ts';
import { RIDE } from '../../builder/streets/trait-bits.ts';
import { BASE_MODES } from '../../shards/modes.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import { readFiles } from '../support/prepared-city.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { pointAt, writeSmallCity } from '../transit/small-city.ts';

const [CORNERS, SPACING, ACROSS] = [30, 100, 20];
const folder = folderOfTests();

/** A street, and a sidewalk south of it that meets it at both ends. */
function besideASidewalk(blocks: readonly number[]) {
  const corners = [0, ACROSS].flatMap((north) =>
    Array.from({ length: CORNERS }, (_, i) => pointAt(i * SPACING, north)),
  );
  const along = corners.flatMap((_, i): [number, number][] =>
    (i + 1) % CORNERS === 0 ? [] : [[i, i + 1]],
  );
  const streets: [number, number][] = [...along, [0, CORNERS], [CORNERS - 1, 2 * CORNERS - 1]];
  const places = blocks.map((east) => pointAt(east, -5));
  return { corners, streets, blocks: places, shops: [pointAt(0, -5)] };
}

test('a bicycle starts and ends in the street, or is pushed along the sidewalk, whichever is faster', async () => {
  const inputs = await writeSmallCity(folder, besideASidewalk([1_000, 1_050, 2_000]));
  const region = await readFiles({ ...inputs, feeds: null, counties: [] });
  const { lat } = pointAt(0, ACROSS / 2);
  const traits = region.streets.traits.map((own, edge) => {
    const first = region.streets.firstPoint[edge];
    const isSouth = [first, first + 1].every((point) => region.streets.pointLat[point] < lat);
    return isSouth ? own & ~RIDE : own;
  });
  const streets = { ...region.streets, traits };
  const bike = buildModeNetwork(streets, 'bike', region);
  const { searchRegion } = linkRegion(
    { ...region, streets, networks: [region.networks[0], bike] },
    BASE_MODES,
    new Taxonomy(TAXONOMY),
    silent,
  );
  const search = new OriginSearch(searchRegion);
  search.run([0], [], () => {});
  const [, near, far] = search.reached[1].times.subarray(searchRegion.destinationCount);
  const seconds = (pushed: number, ridden: number) => pushed / (4.8 / 3.6) + ridden / (15 / 3.6);
  expect(near / 1000).toBeCloseTo(seconds(5 + 50 + 5, 0), 0);
  expect(far / 1000).toBeCloseTo(seconds(25 + 25, 1_000), 0);
});
