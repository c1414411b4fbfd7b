import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type GtfsTable, writeGtfs } from '../../infra/demo/gtfs-writer.ts';
import type { CountyManifest, Manifest } from '../../shards/release/manifest.ts';
import { catalogueFile, serviceArea } from '../fetch/catalogue-file.ts';
import { PATHS } from '../fetch/maryland.ts';
import { Mirror } from '../fetch/mirror.ts';
import { AREA, putCensus, putMap, STATE, servicesOf } from '../fetch/nation-mirror.ts';
import { type MadeArea, type MadeNation, makeNation } from '../support/made-nation.ts';
import { type RunIn, ttaIn } from '../support/tta.ts';
import { EditedNation } from './edited-nation.ts';
import { figure } from './figure.ts';

/** Faults of a bad week. */
export type Fault = 'feed lost' | 'POIs halved';

export interface WeeksRequest {
  readonly areas: readonly MadeArea[];
  readonly weeks: number;
  /** The bad weeks, by number; the first release is of week 0. */
  readonly bad: Readonly<Record<number, Fault>>;
  /** Weeks in which nothing is edited that moves a minute. */
  readonly quiet: readonly number[];
  readonly seed: number;
}

/** Effects of a week of edits on the release, and their cost. */
export interface Week {
  readonly week: number;
  /** Exit code of `tta refresh`. */
  readonly code: number;
  readonly reasons: readonly string[];
  readonly seconds: number;
  /** Counties of the release, those searched, and those with another object. */
  readonly counties: number;
  readonly searched: number;
  readonly changed: number;
  readonly downloaded: number;
  /** Bytes written to the store: of objects of counties, and of all else. */
  readonly uploaded: { readonly objects: number; readonly others: number };
  /** Share of the objects of a kind that are those of the release before. */
  readonly kept: Readonly<Record<string, number>>;
  /** Share of blocks whose responses have the ETags of the release before, by route. */
  readonly etags: Readonly<Record<string, number>>;
}

/** Twelve counties of 250 blocks, so that a year takes minutes: a tenth of the usual number. */
const AREAS: readonly MadeArea[] = [
  { kind: 'metropolis', blocks: 500, counties: 2 },
  { kind: 'urban', blocks: 500, counties: 2 },
  { kind: 'urban', blocks: 500, counties: 2 },
  { kind: 'rural', blocks: 500, counties: 2 },
  { kind: 'rural', blocks: 500, counties: 2 },
  { kind: 'rural', blocks: 500, counties: 2 },
];
const YEAR: WeeksRequest = {
  areas: AREAS,
  weeks: 52,
  bad: { 20: 'feed lost', 37: 'POIs halved' },
  quiet: [],
  seed: 7,
};
const HALVED = 'restaurant';
/** Objects that the response of a route for a block depends on. */
const ROUTES = {
  summary: ['index', 'nearest'],
  pois: ['index', 'pois'],
  reach: ['index', 'reach-from', 'reach-to'],
} as const;

/** Simulates a year of weekly refreshes, and prints what each did and cost. */
export async function benchWeekly(folder: string): Promise<void> {
  const weeks: Week[] = [];
  for await (const week of refreshWeekly(YEAR, folder)) {
    weeks.push(week);
    figure('weekly.week', week.seconds, 's', week);
  }
  const ordinary = weeks.filter(({ code, week }) => code === 0 && week > 0);
  const mean = (of: (week: Week) => number) =>
    ordinary.reduce((sum, week) => sum + of(week), 0) / ordinary.length;
  const about = { weeks: ordinary.length, refused: weeks.filter(({ code }) => code === 4).length };
  figure(
    'weekly.searched',
    mean((week) => (100 * week.searched) / week.counties),
    '%',
    about,
  );
  figure(
    'weekly.changed',
    mean((week) => (100 * week.changed) / week.counties),
    '%',
    about,
  );
  figure(
    'weekly.uploaded',
    mean(({ uploaded }) => uploaded.objects / 1e6),
    'MB',
    about,
  );
  for (const kind of Object.keys(ordinary[0].kept)) {
    figure(
      'weekly.objects_kept',
      mean(({ kept }) => 100 * kept[kind]),
      '%',
      { kind, ...about },
    );
  }
  for (const route of Object.keys(ROUTES)) {
    figure(
      'weekly.etags_kept',
      mean(({ etags }) => 100 * etags[route]),
      '%',
      { route, ...about },
    );
  }
}

/**
 * Serves a nation whose map and feeds change each week, and refreshes a release of it by commands
 * that `runIn` runs.
 */
export async function* refreshWeekly(
  request: WeeksRequest,
  folder: string,
  runIn: RunIn = ttaIn,
): AsyncGenerator<Week> {
  const nation = makeNation(request.areas, STATE, request.seed);
  const edited = new EditedNation(nation);
  const mirror = await Mirror.start();
  try {
    await putCensus(nation, mirror, folder);
    mirror.put(PATHS.catalogue, catalogueOf(nation, mirror));
    const store = path.join(folder, 'store');
    let before: Manifest | null = null;
    for (let week = 0; week <= request.weeks; week++) {
      if (week > 0) edited.edit(request.quiet.includes(week));
      await layOutWeek(edited, request.bad[week], mirror, folder);
      const filesBefore = await filesOf(store);
      const began = performance.now();
      const { code, stdout, stderr } = await refresh(mirror, folder, runIn);
      if (code !== 0 && code !== 4) throw new Error(`week ${week}: ${stderr}`);
      const seconds = (performance.now() - began) / 1_000;
      const written = [...(await filesOf(store))].filter(
        ([name, { at }]) => filesBefore.get(name)?.at !== at,
      );
      const sum = (isWanted: (name: string) => boolean) =>
        written.reduce((sum, [name, { bytes }]) => (isWanted(name) ? sum + bytes : sum), 0);
      const release: string = /(?:promoted|refused) release ([\w.-]+)/.exec(stdout)![1];
      const manifest = await manifestOf(store, release);
      yield {
        week,
        code,
        reasons: [...stdout.matchAll(/ {2}because: (.*)/g)].map(([, reason]) => reason),
        seconds,
        counties: Object.keys(manifest.counties).length,
        // A receipt that was there before has got other names of POIs.
        searched: written.filter(
          ([name]) => name.startsWith('receipts/search-') && !filesBefore.has(name),
        ).length,
        changed: changedCounties(before, manifest),
        downloaded: mirror.takeSent(),
        uploaded: {
          objects: sum((name) => isOfCounty(name)),
          others: sum((name) => !isOfCounty(name)),
        },
        kept: keptOf(before, manifest),
        etags: etagsOf(before, manifest),
      };
      if (code === 0) before = manifest;
    }
  } finally {
    await mirror.close();
  }
}

function refresh(mirror: Mirror, folder: string, runIn: RunIn) {
  const folders = ['--inputs', path.join(folder, 'inputs'), '--out', path.join(folder, 'store')];
  return runIn(servicesOf(mirror), 'refresh', ...folders, ...AREA, '--fresh', '--no-tiles');
}

const feedPath = (feed: number) => `/mdb-${100 + feed}/latest.zip`;

/** The catalogue of the feeds of a nation. */
function catalogueOf(nation: MadeNation, mirror: Mirror): string {
  const rows = nation.feeds.map((_, feed) => ({
    id: `mdb-${100 + feed}`,
    provider: `Transit ${feed + 1}`,
    'urls.latest': `${mirror.url}${feedPath(feed)}`,
    ...serviceArea(nation.osm.box),
  }));
  return catalogueFile(rows);
}

/** Serves the map and the feeds of a week. */
async function layOutWeek(
  edited: EditedNation,
  fault: Fault | undefined,
  mirror: Mirror,
  folder: string,
): Promise<void> {
  let dropped = 0;
  const isKept = (tags: Readonly<Record<string, string>>) =>
    tags.amenity !== HALVED || fault !== 'POIs halved' || dropped++ % 2 === 0;
  await putMap(edited.osm(isKept), mirror, folder);
  for (const [feed, tables] of edited.feeds().entries()) {
    const isLost = fault === 'feed lost' && feed === 0;
    const zip = path.join(folder, 'week.zip');
    await writeGtfs(zip, isLost ? tables.map(onWeekendsOnly) : tables);
    mirror.put(feedPath(feed), await readFile(zip));
  }
}

/** A table of a feed without the service of weekdays, which is the first. */
function onWeekendsOnly(table: GtfsTable): GtfsTable {
  if (table.file === 'calendar.txt') return { ...table, rows: [...table.rows].slice(1) };
  return table.file === 'calendar_dates.txt' ? { ...table, rows: [] } : table;
}

/** Sizes and times of all files of a store. */
async function filesOf(store: string): Promise<Map<string, { bytes: number; at: number }>> {
  const entries = await readdir(store, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const described = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    const { size, mtimeMs } = await stat(file);
    return [path.relative(store, file), { bytes: size, at: mtimeMs }] as const;
  });
  return new Map(await Promise.all(described));
}

async function manifestOf(store: string, release: string): Promise<Manifest> {
  const names = await readdir(path.join(store, 'manifests'));
  const name = names.find((one) => one.startsWith(`${release}-`))!;
  return JSON.parse(await readFile(path.join(store, 'manifests', name), 'utf8'));
}

/** Whether a file is an object of a county that a proxy reads. */
function isOfCounty(name: string): boolean {
  return /^(?!prepared|regions|plans|inputs)[\w-]+\/\d{5}-[0-9a-f]+\.(?:tta|fgb)$/.test(name);
}

function changedCounties(before: Manifest | null, after: Manifest): number {
  return Object.entries(after.counties).filter(
    ([fips, { objects }]) => !hasSame(before?.counties[fips], objects, Object.keys(objects)),
  ).length;
}

function hasSame(
  before: CountyManifest | undefined,
  after: CountyManifest['objects'],
  kinds: readonly string[],
): boolean {
  const [was, is] = [before?.objects, after] as const;
  return kinds.every((kind) => {
    const key = kind as keyof typeof is;
    return was?.[key]?.sha256 === is[key]?.sha256;
  });
}

function keptOf(before: Manifest | null, after: Manifest): Record<string, number> {
  const counties = Object.entries(after.counties);
  const kinds = [...new Set(counties.flatMap(([, { objects }]) => Object.keys(objects)))];
  const of = (kinds: readonly string[]) => {
    const same = counties.flatMap(([fips, { objects }]) =>
      kinds.map((kind) => hasSame(before?.counties[fips], objects, [kind])),
    );
    return same.filter(Boolean).length / same.length;
  };
  return { all: of(kinds), ...Object.fromEntries(kinds.map((kind) => [kind, of([kind])])) };
}

function etagsOf(before: Manifest | null, after: Manifest): Record<string, number> {
  const counties = Object.entries(after.counties);
  const all = counties.reduce((sum, [, { blocks }]) => sum + blocks, 0);
  return Object.fromEntries(
    Object.entries(ROUTES).map(([route, kinds]) => {
      const same = counties.filter(([fips, { objects }]) =>
        hasSame(before?.counties[fips], objects, kinds),
      );
      return [route, same.reduce((sum, [, { blocks }]) => sum + blocks, 0) / all];
    }),
  );
}
