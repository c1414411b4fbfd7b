import { type Costs, sumOfCosts } from './costs.ts';
import { type ScaleCity, type ScaleNation, type ScaleRecord, secondsOf } from './scale-record.ts';

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
 * keeping and writing its contents once (the demo country and Baltimore); bytes of slices per byte
 * of the files; how often files and slices are read; and bytes of prepared cells per block.
 */
export const READING = {
  megabyteSliced: 0.39,
  megabyteInCells: 0.8,
  slicesOverFiles: 1.3,
  filesRead: 2,
  slicesRead: 3,
  cellsPerBlock: 283,
};

/** Steps of the join; all steps but these and those of inputs are of units. */
const JOIN = ['reachTo', 'catchment', 'tiles'];
const INPUTS = ['blocks', 'preparation'];

/** Bytes that are read and written. */
export type Moved = Pick<Costs, 'read' | 'written'>;

/** Unit costs of a build: seconds of processor time and bytes, of the largest nation measured. */
export interface UnitCosts {
  readonly searchedPair: number;
  readonly reachToPair: number;
  readonly catchmentPair: number;
  readonly blockInTiles: number;
  readonly blockRead: number;
  readonly blockMadeReady: number;
  readonly blockInOthers: number;
  readonly bytes: {
    readonly blockPair: number;
    readonly poiPair: number;
    /** Bytes of a block in objects of one kind. */
    readonly block: (kind: string) => number;
  };
  /** Bytes that a byte of the release moves in units and in the join, and a block that is read. */
  readonly moved: { readonly units: Moved; readonly join: Moved; readonly block: Moved };
  /** The rate at which a disk is written. */
  readonly bytesPerSecond: number;
}

export function unitCosts({ nations }: Pick<ScaleRecord, 'nations'>): UnitCosts {
  const nation = nations.at(-1);
  if (!nation) throw new Error('no made nation was measured: run npm run bench -- nation-30000');
  const { blocks, pairs, steps, bytes } = nation;
  const of = (kind: string) => bytes[kind] ?? 0;
  const seconds = (step: string) => steps[step]?.seconds ?? 0;
  const ofRelease = (isOne: (step: string) => boolean) =>
    scaled(movedIn(steps, isOne), 1 / bytesOf(nation));
  return {
    searchedPair: seconds('search') / (pairs.blocks + pairs.pois),
    reachToPair: seconds('reachTo') / pairs.blocks,
    catchmentPair: seconds('catchment') / pairs.pois,
    blockInTiles: seconds('tiles') / blocks,
    blockRead: seconds('blocks') / blocks,
    blockMadeReady: seconds('network') / blocks,
    blockInOthers: seconds('others') / blocks,
    bytes: {
      blockPair: (of('reach-from') + of('reach-to')) / (2 * pairs.blocks),
      poiPair: (of('pois') + of('catchment')) / (2 * pairs.pois),
      block: (kind) => of(kind) / blocks,
    },
    moved: {
      units: ofRelease((step) => ![...JOIN, ...INPUTS].includes(step)),
      join: ofRelease((step) => JOIN.includes(step)),
      block: scaled(
        movedIn(steps, (step) => step === 'blocks'),
        1 / blocks,
      ),
    },
    bytesPerSecond: nation.syncedBytesPerSecond,
  };
}

function movedIn(steps: ScaleNation['steps'], isOne: (step: string) => boolean): Moved {
  const chosen = Object.entries(steps).filter(([step]) => isOne(step));
  return sumOfCosts(chosen.map(([, costs]) => costs));
}

function scaled({ read, written }: Moved, by: number): Moved {
  return { read: read * by, written: written * by };
}

/** Bytes of all objects of a release. */
export function bytesOf({ bytes }: Pick<ScaleNation, 'bytes'>): number {
  return Object.values(bytes).reduce((sum, one) => sum + one, 0);
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
    'all else': blocks * costs.blockInOthers,
  };
  return Object.fromEntries(
    Object.entries(seconds).map(([work, time]) => [work, time / 3_600] as const),
  );
}

/** Bytes that a national build reads and writes, by step. */
export function nationalMoved(costs: UnitCosts): Readonly<Record<string, Moved>> {
  const release = Object.values(nationalBytes(costs)).reduce((sum, one) => sum + one, 0);
  const files = 1e6 * ASSUMED.extractMegabytes;
  const { slicesOverFiles, filesRead, slicesRead, cellsPerBlock } = READING;
  const slices = slicesOverFiles * files;
  return {
    'OpenStreetMap, prepared': {
      read: filesRead * files + slicesRead * slices,
      written: slices + NATION.blocks * cellsPerBlock,
    },
    'blocks, prepared': scaled(costs.moved.block, NATION.blocks),
    units: scaled(costs.moved.units, release),
    join: scaled(costs.moved.join, release),
  };
}

/** Hours that bytes take to be read and written, one after the other. */
export function hoursMoving({ read, written }: Moved, { bytesPerSecond }: UnitCosts): number {
  return (read + written) / bytesPerSecond / 3_600;
}

/** Nanoseconds of processor time that a pair of a city costs over the whole build. */
export function nanosecondsPerPair(city: ScaleCity): number {
  return (1e9 * secondsOf(city)) / (city.pairs.blocks + city.pairs.pois);
}
