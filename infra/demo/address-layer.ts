import { FICTIONAL_STATE } from '../../shards/states.ts';
import { countyAt, type DemoCounty } from './census-ids.ts';
import type { CityPlan } from './city-plan.ts';
import type { Cell } from './lattice.ts';
import type { StreetNames } from './names.ts';
import { cityAt } from './poi-placement.ts';
import type { ShapefileField, ShapefileLayer } from './shapefile-writer.ts';
import { streetEdges } from './streets.ts';

const text = (name: string, width: number): ShapefileField => {
  return { name, type: 'C', width, decimals: 0 };
};
const SIDES = ['L', 'R'] as const;
const FIELDS = [
  text('LINEARID', 22),
  text('FULLNAME', 100),
  ...SIDES.flatMap((side) => [
    text(`${side}FROMHN`, 12),
    text(`${side}TOHN`, 12),
    text(`PARITY${side}`, 1),
    text(`ZIP${side}`, 5),
  ]),
];

/** House numbers of a block, after its hundred: odd on the left side, even on the right. */
const NUMBERS = { L: { from: 1, to: 99, parity: 'O' }, R: { from: 2, to: 98, parity: 'E' } };

/**
 * The layer of the address ranges along the streets of a county. A hundred begins at each corner:
 * along a street from the west, across the city from the south.
 */
export function addressLayer(
  plan: CityPlan,
  names: StreetNames,
  county: DemoCounty,
): ShapefileLayer {
  const isOwn = (cell: Cell) =>
    cell.column >= 0 &&
    cell.column < plan.columns &&
    cell.row >= 0 &&
    cell.row < plan.rows &&
    countyAt(plan, cell) === county.fips;
  return {
    name: `tl_2024_${FICTIONAL_STATE}${county.fips}_addrfeat`,
    fields: FIELDS,
    isOfLines: true,
    *records() {
      let id = 0;
      for (const { name, from, to, left, right } of streetEdges(plan, names)) {
        id++;
        if (!isOwn(left) && !isOwn(right)) continue;
        const hundred = 100 * (1 + (from.row === to.row ? from.column : from.row));
        const line = [from, to].map(({ column, row }) => plan.lattice.degrees(column, row));
        yield {
          polygon: [line],
          values: [
            `1103${id}`,
            name,
            ...SIDES.flatMap((side) => {
              const cell = side === 'L' ? left : right;
              const { from, to, parity } = NUMBERS[side];
              if (!isOwn(cell)) return ['', '', '', ''];
              const [, zip] = cityAt(plan, cell.column);
              return [`${hundred + from}`, `${hundred + to}`, parity, zip];
            }),
          ],
        };
      }
    },
  };
}
