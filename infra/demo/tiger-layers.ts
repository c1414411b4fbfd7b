import { FICTIONAL_STATE } from '../../shards/states.ts';
import type { Degrees } from '../../shards/units.ts';
import { blocksOf, countyRing, type DemoBlock, ringAround } from './census-blocks.ts';
import { countiesOf, type DemoCounty } from './census-ids.ts';
import type { CityPlan } from './city-plan.ts';
import type { Cell, Corner } from './lattice.ts';
import type { ShapefileField, ShapefileLayer } from './shapefile-writer.ts';

const text = (name: string): ShapefileField => ({ name, type: 'C', width: 80, decimals: 0 });
const number = (name: string): ShapefileField => ({ name, type: 'N', width: 24, decimals: 15 });

const BLOCK_FIELDS = [
  ...['STATEFP20', 'COUNTYFP20', 'TRACTCE20', 'BLOCKCE20', 'GEOID20', 'NAME20', 'MTFCC20'].map(
    text,
  ),
  text('UR20'),
  ...['ALAND20', 'AWATER20'].map(number),
  ...['INTPTLAT20', 'INTPTLON20'].map(text),
  ...['HOUSING20', 'POP20'].map(number),
];

const PLACE_FIELDS = [
  ...['STATEFP', 'PLACEFP', 'PLACENS', 'GEOID', 'NAME', 'NAMELSAD', 'LSAD', 'CLASSFP'].map(text),
  ...['PCICBSA', 'MTFCC', 'FUNCSTAT'].map(text),
  ...['ALAND', 'AWATER'].map(number),
  ...['INTPTLAT', 'INTPTLON'].map(text),
];

const COUNTY_FIELDS = [
  ...['STATEFP', 'COUNTYFP', 'COUNTYNS', 'GEOID', 'NAME', 'NAMELSAD', 'LSAD', 'CLASSFP'].map(text),
  text('FUNCSTAT'),
  ...['ALAND', 'AWATER'].map(number),
  ...['INTPTLAT', 'INTPTLON'].map(text),
];

/** A block with fewer people than this is classified as rural. */
const URBAN_PEOPLE = 25;

/** A city or town: the cells of a rectangle of the lattice. */
interface Place {
  readonly fips: string;
  readonly gnis: string;
  readonly name: string;
  readonly kind: 'city' | 'town';
  readonly from: Corner;
  readonly to: Corner;
}

export function blockLayer(plan: CityPlan, county: DemoCounty): ShapefileLayer {
  return {
    name: `tl_${FICTIONAL_STATE}${county.fips}_tabblock20`,
    fields: BLOCK_FIELDS,
    *records() {
      for (const block of blocksOf(plan, county)) {
        yield { polygon: [block.ring], values: blockValues(block) };
      }
    },
  };
}

export function countyLayer(plan: CityPlan): ShapefileLayer {
  return {
    name: 'tl_us_county',
    fields: COUNTY_FIELDS,
    *records() {
      for (const county of countiesOf(plan)) {
        const { fips, name, classCode, gnis } = county;
        const { land, water, middle } = sumUp(blocksOf(plan, county));
        yield {
          polygon: [countyRing(plan, county)],
          values: [
            FICTIONAL_STATE,
            fips,
            gnis,
            `${FICTIONAL_STATE}${fips}`,
            name,
            `${name} County`,
            '06',
            classCode,
            'A',
            land,
            water,
            ...point(middle),
          ],
        };
      }
    },
  };
}

/**
 * The layer of places: the city in the western county and the town in the eastern. Some blocks are
 * in neither.
 */
export function placeLayer(plan: CityPlan): ShapefileLayer {
  return {
    name: `tl_${FICTIONAL_STATE}_place`,
    fields: PLACE_FIELDS,
    *records() {
      for (const { fips, gnis, name, kind, from, to } of placesOf(plan)) {
        const { land, water, middle } = sumUp(blocksWithin(plan, from, to));
        yield {
          polygon: [ringAround(plan.lattice, from, to)],
          values: [
            FICTIONAL_STATE,
            fips,
            gnis,
            `${FICTIONAL_STATE}${fips}`,
            name,
            `${name} ${kind}`,
            kind === 'city' ? '25' : '43',
            'C1',
            '',
            'G4110',
            'A',
            land,
            water,
            ...point(middle),
          ],
        };
      }
    },
  };
}

function placesOf({ countyLine, columns, rows }: CityPlan): Place[] {
  return [
    {
      fips: '57600',
      gnis: '99057600',
      name: 'Port Meridian',
      kind: 'city',
      from: { column: 0, row: 0 },
      to: { column: countyLine, row: rows },
    },
    {
      fips: '31200',
      gnis: '99031200',
      name: 'Halcyon',
      kind: 'town',
      from: { column: countyLine, row: Math.round(rows * 0.15) },
      to: { column: columns - 1, row: Math.round(rows * 0.9) },
    },
  ];
}

function blockValues(block: DemoBlock): (string | number)[] {
  const { geoid } = block;
  return [
    geoid.slice(0, 2),
    geoid.slice(2, 5),
    geoid.slice(5, 11),
    geoid.slice(11),
    geoid,
    `Block ${geoid.slice(11)}`,
    'G5040',
    block.population >= URBAN_PEOPLE ? 'U' : 'R',
    block.land,
    block.water,
    ...point(block.centre),
    block.housing,
    block.population,
  ];
}

function* blocksWithin(plan: CityPlan, from: Corner, to: Corner): Generator<DemoBlock> {
  const isWithin = ({ column, row }: Cell) =>
    column >= from.column && column < to.column && row >= from.row && row < to.row;
  for (const county of countiesOf(plan)) {
    for (const block of blocksOf(plan, county)) {
      if (block.cell && isWithin(block.cell)) yield block;
    }
  }
}

/** Sums the land and the water of some blocks, and averages their centres, weighted by land. */
function sumUp(blocks: Iterable<DemoBlock>) {
  let [land, water, lon, lat] = [0, 0, 0, 0];
  for (const block of blocks) {
    land += block.land;
    water += block.water;
    lon += block.centre[0] * block.land;
    lat += block.centre[1] * block.land;
  }
  return { land, water, middle: [lon / land, lat / land] as const };
}

/** Formats a coordinate as the census does: `+39.2904384`, `-076.6121893`. */
function point([lon, lat]: readonly [Degrees, Degrees]): [lat: string, lon: string] {
  const signed = (value: number, digits: number) =>
    `${value < 0 ? '-' : '+'}${Math.abs(value)
      .toFixed(7)
      .padStart(digits + 8, '0')}`;
  return [signed(lat, 2), signed(lon, 3)];
}
