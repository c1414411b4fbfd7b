import { expect, test } from 'vitest';
import type { TilesRequest } from '../../builder/tiles/tile-drawer.ts';
import { tileWorkOf } from '../../builder/tiles/tile-work.ts';

const ref = (name: string, sha256: string) => ({ name, bytes: 1, sha256 });

/** Counties in a row, each a degree wide, so that a tile of zoom 6 touches up to seven of them. */
const COUNTIES = Array.from({ length: 24 }, (_, i) => String(99_001 + 2 * i));

/** `changed`: the county whose streets, and thus times, are others. */
function row(changed?: string): TilesRequest {
  const type = { dest_type_id: 101, name: 'Shops', label: 'shops', parent_id: null };
  const counties = COUNTIES.map((county, i) => {
    const nearest = ref(`nearest/${county}`, county === changed ? 'b' : 'a');
    const objects = { index: ref('index', 'a'), blocks: ref('blocks', 'a'), nearest };
    const west = -100 + i;
    return [county, { block_box: [west, 39, west + 0.99, 39.9] as const, objects }];
  });
  return {
    modes: ['walk', 'bike'],
    taxonomy: { version: '1', types: [type] },
    counties: Object.fromEntries(counties),
    baseMap: { features: { overview: {}, detail: {}, wide: [] }, places: {} },
  };
}

const units = (size: number) =>
  Array.from({ length: COUNTIES.length / size }, (_, i) =>
    COUNTIES.slice(size * i, size * (i + 1)),
  );

test('every pyramid is drawn in one unit, and every archive joined in one group, however counties are cut', () => {
  const all = tileWorkOf(row(), [COUNTIES]).units[0].pyramids;
  expect(all.length).toBeGreaterThan(100);
  for (const size of [1, 3, 8]) {
    const { units: cut, groups } = tileWorkOf(row(), units(size));
    const drawn = cut.flatMap(({ pyramids }) => pyramids.map(({ tile }) => JSON.stringify(tile)));
    expect(drawn.sort()).toEqual(all.map(({ tile }) => JSON.stringify(tile)).sort());
    for (const { counties, pyramids } of cut) {
      expect(pyramids.every((pyramid) => counties.includes(pyramid.counties[0]))).toBe(true);
    }
    const archives = groups.flatMap(({ firstArchive, endArchive }) =>
      Array.from({ length: endArchive - firstArchive }, (_, i) => firstArchive + i),
    );
    // Two bands, blocks, the POIs of one type, the base map.
    expect(archives).toEqual([0, 1, 2, 3, 4]);
  }
});

test('a county that changes has only the tiles around it drawn again', () => {
  const before = tileWorkOf(row(), units(3)).units;
  const after = tileWorkOf(row('99025'), units(3)).units;
  const changed = after.filter(({ drawnFrom }, i) => drawnFrom !== before[i].drawnFrom);
  const touching = after.filter(({ pyramids }) =>
    pyramids.some(({ counties }) => counties.includes('99025')),
  );
  expect(changed).toEqual(touching);
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.length).toBeLessThan(5);
});
