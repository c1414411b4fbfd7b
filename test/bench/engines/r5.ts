import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type GeoidNumber, isGeoid } from '../../../shards/geoid.ts';
import type { Position } from '../../../shards/geometry/polygon.ts';
import type { Millis, Minutes } from '../../../shards/units.ts';
import { ensureDebianPackage } from '../../support/debian.ts';

const run = promisify(execFile);
const R5 = path.resolve('test/bench/engines/r5');
const MAX_OUTPUT_BYTES = 1 << 28;

const R5_MODES = [
  'walk',
  'step-free',
  'bike',
  'bike-anywhere',
  'transit',
  'transit-median',
  'transit-early',
] as const;
export type R5Mode = (typeof R5_MODES)[number];

/** Whole minutes to each target, rounded down, by mode and origin; Infinity beyond an hour. */
export type R5Minutes = Readonly<Record<R5Mode, readonly (readonly Minutes[])[]>>;

export interface R5Times {
  /** Centres of the cells of R5's grid. */
  readonly cells: readonly Position[];
  readonly minutes: R5Minutes;
  /** Milliseconds of processor time for an origin, by mode. */
  readonly processorTime: Readonly<Record<R5Mode, Millis>>;
}

/** Minutes between blocks that R5 computed earlier. */
export interface R5Table {
  readonly origins: readonly GeoidNumber[];
  readonly targets: readonly GeoidNumber[];
  readonly minutes: R5Minutes;
}

/**
 * Computes times with R5 on one thread. R5 is installed from Maven Central into `cache`, with
 * Debian's JDK and Maven.
 */
export async function r5Times(
  osm: string,
  gtfs: readonly string[],
  date: string,
  origins: readonly Position[],
  { folder, cache }: { readonly folder: string; readonly cache: string },
): Promise<R5Times> {
  await ensureDebianPackage('openjdk-17-jdk-headless', 'javac');
  await ensureDebianPackage('maven', 'mvn');
  const jars = path.join(cache, 'r5-4.8.1');
  if (!existsSync(jars)) {
    const pom = path.join(R5, 'pom.xml');
    const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${jars}`];
    await run('mvn', ['-B', '-q', '-f', pom, ...copy]);
  }
  const classes = path.join(folder, 'r5-classes');
  const stubs = readdirSync(path.join(R5, 'stubs')).map((file) => path.join(R5, 'stubs', file));
  const sources = [path.join(R5, 'R5Times.java'), ...stubs];
  await run('javac', ['-nowarn', '-d', classes, '-cp', `${jars}/*`, ...sources]);
  // R5 keeps a database next to the map.
  const map = path.join(folder, 'r5.osm.pbf');
  copyFileSync(osm, map);
  const [points, out] = ['r5-origins.csv', 'r5-minutes.csv'].map((file) => path.join(folder, file));
  writeFileSync(points, origins.map((at) => at.join(',')).join('\n'));
  await run(
    'java',
    [
      ...['-Xmx4g', '-XX:ActiveProcessorCount=1', '-XX:+UseSerialGC'],
      ...['-cp', `${classes}:${jars}/*`, 'R5Times', map, date, points, out, ...gtfs],
    ],
    { maxBuffer: MAX_OUTPUT_BYTES },
  );
  return parse(readFileSync(out, 'utf8'));
}

function parse(text: string): R5Times {
  const cells: Position[] = [];
  const minutes = noMinutes();
  const processorTime: Record<string, Millis> = {};
  for (const line of text.trim().split('\n')) {
    const [kind, ...numbers] = line.split(',');
    if (kind === 'cell') cells.push([Number(numbers[0]), Number(numbers[1])]);
    else if (kind.startsWith('ms-')) processorTime[kind.slice(3)] = Number(numbers[0]);
    else minutes[kind as R5Mode].push(numbers.map(toMinutes));
  }
  return { cells, minutes, processorTime: processorTime as R5Times['processorTime'] };
}

/**
 * Reads a gzipped table with the columns `origin`, `mode` and one for each target, of which only
 * blocks are read. The mode `bike4` rides at any traffic stress; fields are blank beyond an hour.
 */
export function readR5Table(file: string): R5Table {
  const [head, ...rows] = gunzipSync(readFileSync(file)).toString().trim().split('\n');
  const isBlock = head.split(',').map(isGeoid);
  const blocksOf = (row: string) => row.split(',').filter((_, column) => isBlock[column]);
  const origins = new Set<GeoidNumber>();
  const minutes = noMinutes();
  for (const row of rows) {
    const [origin, mode] = row.split(',', 2);
    origins.add(Number(origin));
    minutes[mode === 'bike4' ? 'bike-anywhere' : (mode as R5Mode)].push(
      blocksOf(row).map(toMinutes),
    );
  }
  return { origins: [...origins], targets: blocksOf(head).map(Number), minutes };
}

function noMinutes(): Record<R5Mode, Minutes[][]> {
  const none = R5_MODES.map((mode) => [mode, [] as Minutes[][]]);
  return Object.fromEntries(none) as Record<R5Mode, Minutes[][]>;
}

function toMinutes(field: string): Minutes {
  return field === '' || Number(field) > 60 ? Infinity : Number(field);
}
