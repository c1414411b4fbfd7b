import { type ScaleCity, type ScaleRecord, totalSeconds } from './scale-record.ts';

/** The fifty states and the District of Columbia, as counted in the 2020 census. */
export const NATION = { counties: 3_143, blocks: 8_132_968 };

/** Assumptions, each of which SCALE.md states with its reason. */
export const ASSUMED = {
  /** Blocks per square kilometre around a block: half of all are urban. */
  density: { urban: 20, other: 0.46 },
  /** Square kilometres within an hour and half an hour, on foot, by bicycle and by transit. */
  reach: { hour: 41 + 350 + 100, halfHour: 11 + 97 + 25 },
  poisPerBlock: 0.7,
  /** Twice as many as in Baltimore, since rural blocks have long shorelines. */
  outlineBytes: 2 * 474,
  /** Bytes of the timetables of an urban block. */
  transitBytes: 1_000,
  extractMegabytes: 11_000,
  dollarsPerGigabyteMonth: 0.023,
};

/**
 * Seconds of one core for a megabyte of OpenStreetMap: slicing it (90 copies of Baltimore), and
 * keeping and writing its contents once (the demo country and Baltimore); and bytes of slices per
 * byte of the files.
 */
export const READING = { megabyteSliced: 0.39, megabyteInCells: 0.8, slicesOverFiles: 1.3 };

/** Unit costs of a build: seconds of processor time and bytes, of the largest city measured. */
export interface UnitCosts {
  readonly searchedPair: number;
  readonly reachToPair: number;
  readonly catchmentPair: number;
  readonly blockInTiles: number;
  readonly blockRead: number;
  readonly blockMadeReady: number;
  readonly bytes: {
    readonly blockPair: number;
    readonly poiPair: number;
    /** Bytes of a block in objects of one kind. */
    readonly block: (kind: string) => number;
  };
}

export function unitCosts({ cities }: Pick<ScaleRecord, 'cities'>): UnitCosts {
  const city = cities.at(-1)!;
  const { blocks, pairs, seconds, bytes } = city;
  const of = (kind: string) => bytes[kind] ?? 0;
  return {
    searchedPair: seconds.search / (pairs.blocks + pairs.pois),
    reachToPair: seconds.reachTo / pairs.blocks,
    catchmentPair: seconds.catchment / pairs.pois,
    blockInTiles: seconds.tiles / blocks,
    blockRead: seconds.blocks / blocks,
    blockMadeReady: seconds.network / blocks,
    bytes: {
      blockPair: (of('reach-from') + of('reach-to')) / (2 * pairs.blocks),
      poiPair: (of('pois') + of('catchment')) / (2 * pairs.pois),
      block: (kind) => of(kind) / blocks,
    },
  };
}

/** Pairs of a nation in all modes and one direction: blocks with blocks, and with POIs. */
export function nationalPairs(): { readonly blocks: number; readonly pois: number } {
  const { density, reach, poisPerBlock } = ASSUMED;
  const around = (NATION.blocks / 2) * (density.urban + density.other);
  return { blocks: around * reach.hour, pois: around * poisPerBlock * reach.halfHour };
}

/** Bytes of a national release, by kind of object. */
export function nationalBytes({ bytes }: UnitCosts): Readonly<Record<string, number>> {
  const pairs = nationalPairs();
  const { blocks } = NATION;
  const perBlock = (kind: string) => blocks * bytes.block(kind);
  return {
    '`reach-from`, `reach-to`': 2 * pairs.blocks * bytes.blockPair,
    '`pois`, `catchment`': 2 * pairs.pois * bytes.poiPair,
    'tiles, block bands': perBlock('tiles'),
    '`blocks`': blocks * ASSUMED.outlineBytes,
    '`nearest`': perBlock('nearest'),
    '`nth-nearest`': perBlock('nth-nearest'),
    '`transit`': (blocks / 2) * ASSUMED.transitBytes,
    '`index`, `poi-map`, others': ['index', 'poi-map', 'dest-ids', 'weights']
      .map(perBlock)
      .reduce((sum, one) => sum + one, 0),
  };
}

/** Hours of one core that a national build takes, by kind of work. */
export function nationalHours(costs: UnitCosts): Readonly<Record<string, number>> {
  const pairs = nationalPairs();
  const { blocks } = NATION;
  const seconds = {
    search: (pairs.blocks + pairs.pois) * costs.searchedPair,
    transposition: pairs.blocks * costs.reachToPair + pairs.pois * costs.catchmentPair,
    'reading streets and POIs, once': ASSUMED.extractMegabytes * READING.megabyteInCells,
    'making units ready for the search': blocks * costs.blockMadeReady,
    'reading blocks, once': blocks * costs.blockRead,
    tiles: blocks * costs.blockInTiles,
  };
  return Object.fromEntries(
    Object.entries(seconds).map(([work, time]) => [work, time / 3_600] as const),
  );
}

/** Nanoseconds of processor time that a pair of a city costs over the whole build. */
export function nanosecondsPerPair(city: ScaleCity): number {
  return (1e9 * totalSeconds(city)) / (city.pairs.blocks + city.pairs.pois);
}
