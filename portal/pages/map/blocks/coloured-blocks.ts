import { BEYOND, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { keepUntilFailed } from '../../../../shards/concurrency/on-demand.ts';
import { ApiError, type Client, type DataOf } from '../../../client/src/index.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import { CountyBands, type CountyUrls } from './block-bands.ts';

/** Maximum number of counties that are read at once; a nation has thousands. */
export const MAX_COUNTIES = 16;

export interface CountyBlocks {
  /** GEOIDs as numbers, ascending in each county. */
  readonly geoids: Float64Array;
  /** Null where unknown. */
  readonly population: readonly (number | null)[];
  /** Centres, degrees. */
  readonly lon: Float64Array;
  readonly lat: Float64Array;
  readonly isWater: Uint8Array;
  readonly counties: readonly NamedCounty[];
}

type Listed = DataOf<'getBlockBands'>['counties'];

const opened = new Map<string, Promise<CountyBands>>();
/** Counties of other releases, by release and codes. */
const others = new Map<string, Promise<Listed>>();
let listed: { readonly box: Box; readonly counties: Promise<Listed | null> } | null = null;

/**
 * Opens the block bands of the counties that may have blocks in a box; null if there are too many.
 * Heads and columns are kept, so that a map that moves, or another type, reads only what is new.
 */
export async function countiesIn(api: Client, box: Box): Promise<readonly CountyBands[] | null> {
  const counties = await listedIn(api, box);
  return counties && Promise.all(counties.map(open));
}

/** A county, and its name, or its code if the release has no names. */
export interface NamedCounty {
  readonly code: string;
  readonly name: string;
}

/** The counties that may have blocks in a box; none if there are too many. */
export async function countyNamesIn(api: Client, box: Box): Promise<readonly NamedCounty[]> {
  const counties = (await listedIn(api, box)) ?? [];
  return counties.map(named);
}

function named({ county, name }: Listed[number] | CountyBands): NamedCounty {
  return { code: county, name: name ?? `County ${county}` };
}

/**
 * Opens the block bands of counties in a box, given their codes; null if one of them is not there.
 */
export async function countiesNear(
  api: Client,
  box: Box,
  codes: ReadonlySet<number>,
): Promise<readonly CountyBands[] | null> {
  const { data } = await api.getBlockBands({ bbox: boxText(box) });
  const wanted = data.counties.filter(({ county }) => codes.has(Number(county)));
  return wanted.length < codes.size ? null : Promise.all(wanted.map(open));
}

/**
 * Opens some counties in another release, by their codes; without those that it lacks, and none of
 * a release that the store lacks.
 */
export async function countiesOf(
  api: Client,
  release: string,
  counties: readonly CountyBands[],
): Promise<ReadonlyMap<string, CountyBands>> {
  const codes = counties.map(({ county }) => county);
  const all = await keepUntilFailed(others, `${release} ${codes}`, async () => {
    const bbox = boxText(boxAround(counties));
    return (await api.getBlockBands({ bbox, release })).data.counties;
  }).catch((error) => {
    if (error instanceof ApiError && error.slug === 'invalid-parameters') return [];
    throw error;
  });
  const wanted = all.filter(({ county }) => codes.includes(county));
  return new Map(
    await Promise.all(wanted.map(async (one) => [one.county, await open(one)] as const)),
  );
}

/** The box around the centres of all blocks of counties. */
function boxAround(counties: readonly CountyBands[]): Box {
  const ends = (of: 'lon' | 'lat', end: 'min' | 'max') =>
    counties.flatMap((county) => [county[of].reduce((a, b) => Math[end](a, b))]);
  const [west, south] = [Math.min(...ends('lon', 'min')), Math.min(...ends('lat', 'min'))];
  return [west, south, Math.max(...ends('lon', 'max')), Math.max(...ends('lat', 'max'))];
}

export interface KnownBlock {
  readonly isThere: true;
  /** Its centre, degrees. */
  readonly at: { readonly lat: number; readonly lon: number };
  /** Null if unknown. */
  readonly population: number | null;
  /** Reads the bands of the nearest POIs of some types; null for a type without bands. */
  bandsOf(service: string, types: readonly number[]): Promise<readonly (number | null)[]>;
}

/** Whether the release has a block. */
export type FoundBlock = KnownBlock | { readonly isThere: false };

/** Finds a block whose county is in a box; null if there are too many counties to tell. */
export async function findBlock(api: Client, box: Box, geoid: number): Promise<FoundBlock | null> {
  const { data } = await api.getBlockBands({ bbox: boxText(box) });
  const county = data.counties.find((one) => Number(one.county) === countyOf(geoid));
  if (county === undefined) {
    return data.counties_found > data.counties.length ? null : { isThere: false };
  }
  const bands = await open(county);
  const at = bands.geoids.indexOf(geoid);
  if (at === -1) return { isThere: false };
  return {
    isThere: true,
    at: { lat: bands.lat[at], lon: bands.lon[at] },
    population: bands.population[at],
    bandsOf: (service, types) =>
      Promise.all(types.map(async (type) => (await bands.bands(service, type))?.[at] ?? null)),
  };
}

/** The code of a block's county, as a number: the first five digits of its GEOID. */
export function countyOf(geoid: number): number {
  return Math.floor(geoid / 1e10);
}

export function join(counties: readonly CountyBands[]): CountyBlocks {
  const blocks = counties.reduce((sum, { geoids }) => sum + geoids.length, 0);
  const [geoids, lon, lat] = [0, 0, 0].map(() => new Float64Array(blocks));
  const isWater = new Uint8Array(blocks);
  let at = 0;
  for (const county of counties) {
    geoids.set(county.geoids, at);
    lon.set(county.lon, at);
    lat.set(county.lat, at);
    isWater.set(county.isWater, at);
    at += county.geoids.length;
  }
  const population = counties.flatMap((county) => county.population);
  return { geoids, population, lon, lat, isWater, counties: counties.map(named) };
}

/** Concatenates a column of counties; 0 for a county without such a column. */
export async function joinedColumns(
  counties: readonly CountyBands[],
  columnOf: (county: CountyBands) => Promise<Uint8Array> | Uint8Array | null,
): Promise<Uint8Array> {
  const all = new Uint8Array(counties.reduce((sum, { geoids }) => sum + geoids.length, 0));
  const columns = await Promise.all(counties.map(columnOf));
  let at = 0;
  for (const [i, { geoids }] of counties.entries()) {
    all.set(columns[i] ?? [], at);
    at += geoids.length;
  }
  return all;
}

export function blocksWithin({ lon, lat, isWater }: CountyBlocks, box: Box): number[] {
  const [west, south, east, north] = box;
  const found: number[] = [];
  for (let i = 0; i < lon.length; i++) {
    const isIn = lon[i] >= west && lon[i] <= east && lat[i] >= south && lat[i] <= north;
    if (isIn && isWater[i] === 0) found.push(i);
  }
  return found;
}

export interface Tally {
  /** People by class or band: 0 without a street near, 7 over 30 minutes. */
  readonly people: readonly number[];
  readonly allPeople: number;
}

/** Classes that a tally has, at most. */
const TALLIED = BEYOND + 2;

/** Counts the people of some blocks by class; an unknown population counts as 0. */
export function tallyOf(
  classes: Uint8Array,
  population: readonly (number | null)[],
  blocks: readonly number[],
): Tally {
  const people = new Array<number>(TALLIED).fill(0);
  for (const i of blocks) people[classes[i]] += population[i] ?? 0;
  return { people, allPeople: people.reduce((sum, one) => sum + one, 0) };
}

/** Share of people within the first `classes` classes of five minutes; 0 if there are no people. */
export function shareWithin({ people, allPeople }: Tally, classes: number): number {
  const near = people.slice(UNROUTED + 1, classes + 1).reduce((sum, one) => sum + one, 0);
  return allPeople === 0 ? 0 : near / allPeople;
}

function open(of: CountyUrls): Promise<CountyBands> {
  return keepUntilFailed(opened, of.url, () => CountyBands.open(of));
}

/** Lists the counties that may have blocks in a box; null if there are too many. */
async function listedIn(api: Client, box: Box): Promise<Listed | null> {
  const inBox = (await listOf(api, box))?.filter(({ bounds }) => meets(bounds, box)) ?? null;
  return inBox && inBox.length <= MAX_COUNTIES ? inBox : null;
}

/** Lists the counties of a larger box, so that small moves request nothing. */
function listOf(api: Client, box: Box): Promise<Listed | null> {
  if (listed !== null && holds(listed.box, box)) return listed.counties;
  const wide = grown(box);
  const request = api.getBlockBands({ bbox: boxText(wide) });
  const counties = request.then(({ data }) =>
    data.counties_found > data.counties.length ? null : data.counties,
  );
  const mine = { box: wide, counties };
  listed = mine;
  counties.catch(() => {
    if (listed === mine) listed = null;
  });
  return counties;
}

function grown([west, south, east, north]: Box): Box {
  const [x, y] = [(east - west) / 2, (north - south) / 2];
  return [west - x, south - y, east + x, north + y];
}

/** Formats a box as a parameter, clamped to the edges of the world. */
function boxText([west, south, east, north]: Box): string {
  const edges = [
    Math.max(-180, west),
    Math.max(-90, south),
    Math.min(180, east),
    Math.min(90, north),
  ];
  return edges.map((edge) => edge.toFixed(6)).join();
}

function holds(outer: Box, inner: Box): boolean {
  return (
    outer[0] <= inner[0] && outer[1] <= inner[1] && outer[2] >= inner[2] && outer[3] >= inner[3]
  );
}

function meets([west, south, east, north]: readonly number[], box: Box): boolean {
  return west <= box[2] && east >= box[0] && south <= box[3] && north >= box[1];
}
