import { counted, withCommas } from '../../shards/number-words.ts';
import { feedState, licenceInWords } from '../../shards/release/feed-state.ts';
import { type FeedFacts, INTERPOLATED, type Manifest } from '../../shards/release/manifest.ts';
import type { ObjectRef } from '../../shards/store/store.ts';

/** Describes the contents of a release, line by line. */
export function* contentsOf(manifest: Manifest): Generator<string> {
  const { modes, directions, taxonomy, components, feeds, feeds_left_out } = manifest;
  yield `modes: ${modes.join(', ')}; directions: ${directions.join(', ')}; taxonomy ${taxonomy.version}`;
  for (const { component, version, effective_date } of components) {
    yield `  ${component}: ${version}, data of ${effective_date}`;
  }
  for (const feed of feeds) yield* contentsOfFeed(feed);
  for (const { file, reason, licence } of feeds_left_out) {
    yield `feed ${file}: left out: ${reason}`;
    yield `  licence: ${licenceInWords(licence)}`;
  }
  for (const { key, value, elements } of manifest.unmapped_values) {
    yield `unmapped: ${key}=${value}, ${counted(elements, 'element')}`;
  }
  for (const [fips, county] of Object.entries(manifest.counties)) {
    const { blocks, routable_blocks, population, objects, block_bands } = county;
    yield `county ${fips}: ${counted(blocks, 'block')} (${withCommas(routable_blocks)} routable), ${counted(population, 'person', 'people')}`;
    yield* objectLines([...Object.values(objects), ...Object.values(block_bands ?? {})]);
  }
  for (const [state, { places, objects }] of Object.entries(manifest.states)) {
    yield `state ${state}: ${counted(places, 'place')}`;
    yield* objectLines(Object.values(objects));
  }
  yield 'entire release:';
  const tiles = Object.values(manifest.tiles).flatMap(({ archive, sums }) => [archive, sums]);
  yield* objectLines([...Object.values(manifest.objects), ...tiles]);
  for (const [name, value] of Object.entries(manifest.assumptions)) {
    yield `assumption ${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`;
  }
}

function* contentsOfFeed(feed: Manifest['feeds'][number]): Generator<string> {
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
  for (const { date, weekdays, trips } of feed.weekday_patterns) {
    yield `  ${counted(weekdays, 'weekday')} like ${date}: ${counted(trips, 'trip')}`;
  }
}

function* objectLines(refs: readonly ObjectRef[]): Generator<string> {
  for (const { name, bytes } of refs) yield `  ${name}  ${bytes} bytes`;
}
