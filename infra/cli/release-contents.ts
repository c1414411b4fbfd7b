import { counted, megabytes, withCommas } from '../../shards/number-words.ts';
import { feedState, licenceInWords } from '../../shards/release/feed-state.ts';
import {
  type CountyManifest,
  type FeedFacts,
  INTERPOLATED,
  type Manifest,
  objectsNamed,
} from '../../shards/release/manifest.ts';
import { countyInWords } from '../../shards/states.ts';
import type { ObjectRef } from '../../shards/store/store.ts';

/** Counties of a release to be named; of more, the number is given. */
const NAMED_COUNTIES = 2;

/** The size of a release: its counties, blocks, people, feeds and bytes. */
export function sizeOf(manifest: Manifest): string {
  const counties = Object.values(manifest.counties);
  const sum = (of: (county: CountyManifest) => number) =>
    counties.reduce((total, county) => total + of(county), 0);
  const objects = objectsNamed(manifest);
  const bytes = objects.reduce((total, object) => total + object.bytes, 0);
  const names = Object.entries(manifest.counties).map(([fips, { name }]) =>
    countyInWords(fips, name),
  );
  const few = names.length <= NAMED_COUNTIES ? ` ${names.join(' and ')}` : '';
  return [
    `${counted(counties.length, 'county', 'counties')}${few}`,
    `${counted(
      sum(({ blocks }) => blocks),
      'block',
    )} (${withCommas(sum(({ routable_blocks }) => routable_blocks))} routable)`,
    counted(
      sum(({ population }) => population),
      'person',
      'people',
    ),
    counted(manifest.feeds.length, 'feed'),
    `${megabytes(bytes)} in ${counted(objects.length, 'object')}`,
  ].join(', ');
}

/** Describes the contents of a release, line by line; `verbose`: objects and assumptions, too. */
export function* contentsOf(manifest: Manifest, verbose: boolean): Generator<string> {
  const { modes, directions, taxonomy, components, feeds, feeds_left_out } = manifest;
  yield sizeOf(manifest);
  yield `modes: ${modes.join(', ')}; directions: ${directions.join(', ')}; taxonomy ${taxonomy.version}`;
  for (const { component, version, effective_date } of components) {
    yield `  ${component}: ${version}, data of ${effective_date}`;
  }
  for (const feed of feeds) yield* contentsOfFeed(feed, verbose);
  for (const { file, trips, reason, licence } of feeds_left_out) {
    const what = trips === null ? '' : ` (${counted(trips, 'trip')})`;
    yield `feed ${file}${what}: left out: ${reason}`;
    yield `  licence: ${licenceInWords(licence)}`;
  }
  for (const [fips, county] of Object.entries(manifest.counties)) {
    const { blocks, routable_blocks, population, objects, block_bands, access_classes } = county;
    const own = [objects, block_bands ?? {}, access_classes ?? {}].flatMap((of) =>
      Object.values<ObjectRef>(of),
    );
    const bytes = own.reduce((sum, object) => sum + object.bytes, 0);
    yield `county ${countyInWords(fips, county.name)}: ${counted(blocks, 'block')} (${withCommas(routable_blocks)} routable), ${counted(population, 'person', 'people')}, ${megabytes(bytes)}`;
    if (verbose) yield* objectLines(own);
  }
  if (verbose) yield* detailsOf(manifest);
}

function* detailsOf(manifest: Manifest): Generator<string> {
  for (const [state, { places, objects }] of Object.entries(manifest.states)) {
    yield `state ${state}: ${counted(places, 'place')}`;
    yield* objectLines(Object.values(objects));
  }
  for (const { key, value, elements } of manifest.unmapped_values) {
    yield `unmapped: ${key}=${value}, ${counted(elements, 'element')}`;
  }
  yield 'entire release:';
  const tiles = Object.values(manifest.tiles).flatMap(({ archive, sums }) => [archive, sums]);
  yield* objectLines([...Object.values(manifest.objects), ...tiles]);
  for (const [name, value] of Object.entries(manifest.assumptions)) {
    yield `assumption ${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`;
  }
}

function* contentsOfFeed(feed: Manifest['feeds'][number], verbose: boolean): Generator<string> {
  const { agency, file, service_date, trips_in_window, trips_by_phone, problems } = feed;
  const rowsOf = (some: FeedFacts['problems']) => some.reduce((sum, { rows }) => sum + rows, 0);
  const interpolated: readonly string[] = Object.values(INTERPOLATED);
  const blank = rowsOf(problems.filter(({ problem }) => interpolated.includes(problem)));
  const wrong = rowsOf(problems) - blank;
  const phone =
    trips_by_phone === 0 ? '' : ` (${withCommas(trips_by_phone)} to be booked by phone)`;
  const parts = [
    `feed ${file} of ${agency}: ${counted(trips_in_window, 'trip')}${phone} on ${service_date}`,
    ...(blank > 0 ? [`${counted(blank, 'stop time')} interpolated`] : []),
    ...(wrong > 0 ? [`${counted(wrong, 'row')} with problems`] : []),
  ];
  yield parts.join(', ');
  yield `  publisher: ${feed.publisher ?? agency}; licence: ${licenceInWords(feed.licence)}`;
  const { reason } = feedState(feed);
  if (reason !== null) yield `  warning: ${reason}`;
  for (const { date, weekdays, trips } of verbose ? feed.weekday_patterns : []) {
    yield `  ${counted(weekdays, 'weekday')} like ${date}: ${counted(trips, 'trip')}`;
  }
}

function* objectLines(refs: readonly ObjectRef[]): Generator<string> {
  for (const { name, bytes } of refs) yield `  ${name}  ${bytes} bytes`;
}
