import { blockGeoid } from '../../infra/demo/census-ids.ts';
import type { CityPlan } from '../../infra/demo/city-plan.ts';
import { planCity } from '../../infra/demo/city-plan.ts';
import type { Cell } from '../../infra/demo/lattice.ts';
import { streetNames } from '../../infra/demo/names.ts';
import { streetEdges } from '../../infra/demo/streets.ts';
import { DEMO_CITY } from '../support/demo-release.setup.ts';
import type { PlainAddress } from './misspell.ts';

/** Last digits of the house numbers of POIs, which are where these are and not where ranges say. */
const OF_POIS = new Set([25, 30, 72]);

/**
 * Every house number along the streets of the shared demo city, with its block by the city's plan:
 * a cell, or a half of one that is cut from the south-west to the north-east.
 */
export function demoAddresses(): PlainAddress[] {
  const plan = planCity(DEMO_CITY);
  const list: PlainAddress[] = [];
  for (const { name, from, to, left, right } of streetEdges(plan, streetNames(plan))) {
    const isAlong = from.row === to.row;
    const hundred = 100 * (1 + (isAlong ? from.column : from.row));
    for (let n = 1; n <= 99; n++) {
      const cell = n % 2 === 1 ? left : right;
      if (!isInCity(plan, cell) || OF_POIS.has(n)) continue;
      // The streets that have a cell on their right are those to its north and its west.
      const isCut = plan.useOf(cell).kind === 'diagonal';
      const block = blockGeoid(plan, cell, isCut && cell === right ? 1 : 0);
      const isWest = cell.column < plan.countyLine;
      list.push({
        number: hundred + n,
        street: name,
        city: isWest ? 'Port Meridian' : 'Halcyon',
        state: 'XA',
        zip: isWest ? '00101' : '00103',
        block,
      });
    }
  }
  return list;
}

function isInCity({ columns, rows }: CityPlan, { column, row }: Cell): boolean {
  return column >= 0 && column < columns && row >= 0 && row < rows;
}
