import type { AddressRange } from '../../../shards/addresses/address-table.ts';
import { type StreetName, streetLabel } from '../../../shards/addresses/street-name.ts';
import { foldText } from '../../../shards/folded-text.ts';
import { isGeoid, PLACE_GEOID } from '../../../shards/geoid.ts';
import {
  boxAroundPoint,
  boxContains,
  bufferBox,
  localDistance,
} from '../../../shards/geometry/wgs84.ts';
import type { PlaceEntry } from '../../../shards/places/place-table.ts';
import type { Release, ReleaseCounty } from '../../../shards/release/release.ts';
import { countyName, uspsOf } from '../../../shards/states.ts';
import { type CountyFips, type Degrees, type Metres, MICRO } from '../../../shards/units.ts';
import { isOnEarth } from '../../bounds.ts';
import { Problem } from '../../http/problem.ts';
import { findPlaces, type PlaceItem } from '../areas/places.ts';
import { locateOrigin, originOfGeoid, originOfPoint } from '../origins/origin-block.ts';
import { Cities } from './cities.ts';
import { crossingSteps } from './crossings.ts';
import { type CountyObject, neighbourhoodMatches } from './neighbourhood-matches.ts';
import { type AddressReading, readAddress, readIntersection } from './read-address.ts';
import { SpellingIndex } from './spelling-index.ts';
import {
  houseMatches,
  type Match,
  nameQuality,
  type RatedStreet,
  streetMatch,
} from './street-matches.ts';

/** Matches of less confidence are not listed. */
export const LEAST_CONFIDENCE = 0.3;
/** A match of at least this confidence may be taken without asking; no two can have it. */
export const TAKEN_FROM = 0.8;

/** Why nothing was searched; the text precedes. */
export const TOO_WIDE =
  'names no city and no ZIP code of this release, which has too many counties to search; add one';

/** Why no address is found in a release without any. */
export const NO_ADDRESSES =
  'this release has no addresses; its operator adds them with tta build --addresses';

interface NearPoint {
  readonly lon: Degrees;
  readonly lat: Degrees;
}

export interface FoundAddress extends Omit<Match, 'zip' | 'quality'> {
  readonly confidence: number;
  /** Distance from the point that the request is near; null without one. */
  readonly distance_m: Metres | null;
}

/** Counties that a search reads at most. */
const MOST_COUNTIES = 8;
const NEARBY: Metres = 25_000;
/** Distance from `near` at which a match has lost all that distance can cost it. */
const FAR: Metres = 50_000;
const FAR_QUALITY = 0.9;
/** Post offices serve places beyond the boundary of their city. */
const AROUND_A_CITY: Metres = 3_000;
/** Another state or city is too little for a match that may be taken. */
const OTHER_STATE = 0.7;
const OTHER_CITY = 0.75;
/** A city that is none of the release's may be elsewhere. */
const UNKNOWN_CITY = 0.75;
/** It says little where the ZIP code is the match's, and where the release knows no cities. */
const UNTOLD_CITY = 0.96;
/** Words that fit only as an unknown city. */
const GUESSED_CITY = 0.75;
const CROSSING_QUALITY = 0.95;
/** Quality of a name of which the text is only the beginning. */
const BEGUN = 0.6;
/** Letters from which a text is taken for the beginning of a county's name. */
const TELLING = 3;
/** Names of streets whose ranges are read of a county, in order of their quality. */
const MOST_NAMES = 6;
/** Streets that fit less well than this share of the best are not looked at. */
const WORTH_READING = 0.6;
/** Exponent by which a better match outweighs a worse one. */
const SHARPNESS = 8;

/**
 * Finds what a text means: an address, an intersection, a street, coordinates, a block, a
 * neighbourhood, a census place or a county; best first. Null if the release has too many counties
 * to search, and the text names none of their cities and ZIP codes.
 */
export async function findAddresses(
  release: Release,
  text: string,
  near: NearPoint | null,
  limit: number,
): Promise<FoundAddress[] | null> {
  const direct = await directMatch(release, text.trim());
  const streets = direct ? [] : await streetMatches(release, text, near);
  if (streets === null) return null;
  const matches = direct ?? [
    ...streets,
    ...(await placeMatches(release, text, limit)),
    ...(await countyMatches(release, text)),
  ];
  return rated(matches, near)
    .filter(({ confidence }) => confidence >= LEAST_CONFIDENCE)
    .slice(0, limit);
}

/**
 * Turns qualities into confidences: a match has all of its quality if no other fits, and less the
 * better others fit that are in other blocks. Two that fit equally well have 0.7 of it each, which
 * is less than `TAKEN_FROM`.
 */
function rated(matches: readonly Match[], near: NearPoint | null): FoundAddress[] {
  const best = new Map<string, { match: Match; distance: Metres | null; quality: number }>();
  for (const match of matches) {
    const distance = near && localDistance(near.lon, near.lat, match.lon, match.lat);
    const away = distance === null ? 0 : Math.min(1, distance / FAR);
    const quality = match.quality * (1 - (1 - FAR_QUALITY) * away);
    const known = best.get(match.geoid);
    if (!known || quality > known.quality) best.set(match.geoid, { match, distance, quality });
  }
  const all = [...best.values()].sort(
    (a, b) => b.quality - a.quality || (a.match.geoid < b.match.geoid ? -1 : 1),
  );
  const weights = all.map(({ quality }) => quality ** SHARPNESS);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return all.map(({ match: { quality: _, zip: _zip, ...match }, distance, quality }, i) => ({
    ...match,
    confidence: Math.floor(1000 * quality * (0.4 + (0.6 * weights[i]) / sum)) / 1000,
    distance_m: distance === null ? null : Math.round(distance),
  }));
}

const COORDINATES = /^([+-]?\d{1,3}(?:\.\d*)?)°?[\s,]+([+-]?\d{1,3}(?:\.\d*)?)°?$/;

/** A text that states its location: coordinates, a block, a place, a county; null for any other. */
async function directMatch(release: Release, text: string): Promise<Match[] | null> {
  if (isGeoid(text)) return blockMatch(release, text);
  const county = release.counties.find(({ fips }) => fips === text);
  if (county) return [countyMatch(county, 1)];
  if (PLACE_GEOID.test(text)) return (await findPlaces(release, text, 1)).map(placeMatch);
  const numbers = COORDINATES.exec(text);
  if (!numbers) return null;
  const [first, second] = [Number(numbers[1]), Number(numbers[2])];
  for (const [lat, lon] of [
    [first, second],
    [second, first],
  ]) {
    if (!isOnEarth(lon, lat)) continue;
    const origin = originOfPoint(release, lon, lat);
    const block = await unlessMissing(locateOrigin(release, origin));
    if (!block) continue;
    const label = `${lat}, ${lon}`;
    return [{ label, kind: 'coordinates', lat, lon, geoid: block.geoid, quality: 1 }];
  }
  return [];
}

async function blockMatch(release: Release, geoid: string): Promise<Match[]> {
  if (!release.countyOfBlock(geoid)) return [];
  const block = await unlessMissing(locateOrigin(release, originOfGeoid(release, geoid)));
  if (!block) return [];
  const { index, ordinal } = block;
  const at = { lat: index.lat[ordinal] / MICRO, lon: index.lon[ordinal] / MICRO };
  return [{ label: `Block ${geoid}`, kind: 'block', ...at, geoid, quality: 1 }];
}

async function unlessMissing<T>(located: Promise<T>): Promise<T | null> {
  try {
    return await located;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** The census places whose name the text is, or begins. */
async function placeMatches(release: Release, text: string, limit: number): Promise<Match[]> {
  const asked = foldText(text.split(',')[0]);
  const found = await findPlaces(release, text.trim(), limit);
  return found.map((place) => {
    const quality = foldText(place.name) === asked ? 1 : BEGUN;
    return { ...placeMatch(place), quality };
  });
}

function placeMatch({ name, state, geoid, lon, lat }: PlaceItem): Match {
  return { label: `${name}, ${state}`, kind: 'place', lat, lon, geoid, quality: 1 };
}

/** A county, in the middle of its blocks. */
function countyMatch({ fips, manifest, blockBox }: ReleaseCounty, quality: number): Match {
  const { minLon, minLat, maxLon, maxLat } = blockBox;
  const at = { lat: (minLat + maxLat) / 2, lon: (minLon + maxLon) / 2 };
  const label = countyName(fips, manifest.name) ?? `County ${fips}`;
  return { label, kind: 'county', ...at, geoid: fips, quality };
}

/** The counties whose name the text is, or begins, with or without the state. */
async function countyMatches(release: Release, text: string): Promise<Match[]> {
  const named = await release.retained('county names', async () =>
    release.counties.flatMap((county) => {
      const { name } = county.manifest;
      return name === undefined ? [] : [{ county, own: foldText(name) }];
    }),
  );
  const asked = foldText(text).replaceAll(/[\s,]+/g, ' ');
  return named.flatMap(({ county, own }) => {
    if (asked === own || asked === `${own} ${uspsOf(county.fips).toLowerCase()}`) {
      return [countyMatch(county, 1)];
    }
    return asked.length >= TELLING && own.startsWith(asked) ? [countyMatch(county, BEGUN)] : [];
  });
}

/**
 * Finds streets, addresses along them, and neighbourhoods; null if there are too many counties to
 * search.
 */
async function streetMatches(
  release: Release,
  text: string,
  near: NearPoint | null,
): Promise<Match[] | null> {
  const directory = await release.addressDirectory();
  if (!directory) return [];
  const cities = await Cities.of(release);
  const isCity = (words: string) => cities.isCity(words);
  const crossing = readIntersection(text, isCity);
  const readings = crossing ? crossing[1] : readAddress(text, isCity);
  await release.turns.yieldIfOverdue();
  const matches: Match[] = [];
  for (const reading of readings) {
    if (reading.street.base === '') continue;
    if (reading.isCityGuessed && matches.some(({ kind }) => kind !== 'street')) continue;
    const named = cities.named(reading.city);
    const counties = countiesOf(release, reading, named, near, directory.countiesOf(reading.zip));
    if (counties === null) continue;
    const found = await Promise.all(
      counties.map((fips) => {
        const ref = release.county(fips)?.objects.addresses;
        if (!ref) return [];
        const county = { release, ref, headBytes: directory.headBytes.get(fips)! };
        return crossing ? crossingMatches(county, crossing[0], reading) : inCounty(county, reading);
      }),
    );
    for (const match of found.flat()) {
      const quality = match.quality * stateQuality(reading, match);
      matches.push({ ...match, quality: quality * cityQuality(reading, cities, named, match) });
    }
  }
  if (matches.length === 0 && !near && release.counties.length > MOST_COUNTIES) {
    const isNamed = readings.some(({ number, city, zip }) => number && city === '' && zip === '');
    if (isNamed) return null;
  }
  return matches;
}

/** The counties to search for a reading, a few; null if it could be in any of many. */
function countiesOf(
  release: Release,
  { zip }: AddressReading,
  cities: readonly PlaceEntry[],
  near: NearPoint | null,
  inZip: readonly CountyFips[],
): CountyFips[] | null {
  const inCities = cities.flatMap(({ counties }) => counties);
  const named = [...new Set([...(zip === '' ? [] : inZip), ...inCities])];
  if (named.length > 0) return named.slice(0, MOST_COUNTIES);
  if (near) {
    const around = release.blockBoxes.meeting([boxAroundPoint(near.lon, near.lat, NEARBY)]);
    return around.slice(0, MOST_COUNTIES).map(({ fips }) => fips);
  }
  const { counties } = release;
  return counties.length > MOST_COUNTIES ? null : counties.map(({ fips }) => fips);
}

function stateQuality({ state }: AddressReading, { geoid }: Match): number {
  return state === '' || state === uspsOf(geoid) ? 1 : OTHER_STATE;
}

function cityQuality(
  { city, isCityGuessed, zip: asked }: AddressReading,
  cities: Cities,
  named: readonly PlaceEntry[],
  { lon, lat, zip }: Match,
): number {
  if (city === '') return 1;
  if (isCityGuessed) return GUESSED_CITY;
  if (named.length === 0) {
    const isTold = asked !== '' && asked === zip;
    return isTold || cities.areUnknown ? UNTOLD_CITY : UNKNOWN_CITY;
  }
  const isInside = named.some(({ box }) => boxContains(bufferBox(box, AROUND_A_CITY), lon, lat));
  return isInside ? 1 : OTHER_CITY;
}

/** The streets of one name, which differ in suffix or directions: adjacent rows of a table. */
interface NamedStreets {
  readonly first: number;
  readonly end: number;
  readonly edits: number;
  readonly streets: readonly RatedStreet[];
  readonly quality: number;
}

/** The streets that a reading may mean, by name, best first. */
async function namesLike(county: CountyObject, reading: AddressReading): Promise<NamedStreets[]> {
  const { release, ref, headBytes } = county;
  const table = await release.addresses(ref, headBytes);
  const { starts, index } = await release.cachedFrom(ref, 'names', async () => {
    const { streets } = table;
    const starts = [...streets.keys()].filter((i) => streets[i].base !== streets[i - 1]?.base);
    const index = await SpellingIndex.of(starts.map((start) => streets[start].base));
    return { value: { starts, index }, bytes: index.byteLength + 8 * starts.length };
  });
  const numbers = [reading.number, reading.otherwise].flatMap((one) => one?.number ?? []);
  const isNamed = ({ base }: StreetName) => base.replaceAll(' ', '').endsWith(reading.ending);
  const names = index
    .find(reading.street.base)
    .filter(({ position }) => isNamed(table.streets[starts[position]]));
  const found = names.map(({ position, edits }) => {
    const [first, end] = [starts[position], starts[position + 1] ?? table.streets.length];
    const streets = table.streets.slice(first, end).map((street) => {
      const isInRange =
        numbers.length === 0 ||
        numbers.some((number) => street.lowest <= number && number <= street.highest);
      return { street, quality: nameQuality(reading, street, edits), isInRange };
    });
    const ratings = streets.map(({ quality, isInRange }) => quality * (isInRange ? 1 : 0.5));
    return { first, end, edits, streets, quality: Math.max(...ratings) };
  });
  await release.turns.yieldIfOverdue();
  const best = Math.max(...found.map(({ quality }) => quality));
  return found
    .filter(({ quality }) => quality >= WORTH_READING * best)
    .sort((a, b) => b.quality - a.quality)
    .slice(0, MOST_NAMES);
}

/** The ranges of the streets of a name. One range read, then cached. */
function rangesOf({ release, ref, headBytes }: CountyObject, { first, end }: NamedStreets) {
  return release.cachedFrom(ref, `streets-${first}`, async () => {
    const table = await release.addresses(ref, headBytes);
    const value = await table.ranges(first, end);
    const points = value.flat().reduce((sum, { x }) => sum + x.length, 0);
    return { value, bytes: 200 * value.flat().length + 16 * points };
  });
}

/**
 * Finds a reading in a county. Names with a letter wrong are looked at only if none is spelled like
 * the text and has the number.
 */
async function inCounty(county: CountyObject, reading: AddressReading): Promise<Match[]> {
  const { number, zip } = reading;
  const names = await namesLike(county, reading);
  const elsewhere: Match[] = [];
  const matches: Match[] = [];
  for (const name of names) {
    if (matches.length > 0 && name.edits > 0 && names[0].edits === 0) break;
    const ranges: readonly AddressRange[][] = await rangesOf(county, name);
    for (const [i, street] of name.streets.entries()) {
      const own = ranges[i];
      const found = houseMatches(street, own, reading);
      matches.push(...found);
      if (found.length === 0) elsewhere.push(streetMatch(street, own, number, zip));
      await county.release.turns.yieldIfOverdue();
    }
    if (number === null && name.edits === 0) break;
  }
  if (matches.length > 0) return matches;
  const parts = number === null ? await neighbourhoodMatches(county, reading) : [];
  return [...elsewhere, ...parts];
}

/** Finds where a street of some readings meets that of another. */
async function crossingMatches(
  county: CountyObject,
  readings: readonly AddressReading[],
  other: AddressReading,
): Promise<Match[]> {
  const matches: Match[] = [];
  const [two] = await namesLike(county, other);
  if (!two) return matches;
  for (const reading of readings) {
    const [one] = await namesLike(county, reading);
    if (!one) continue;
    const [own, others] = await Promise.all([rangesOf(county, one), rangesOf(county, two)]);
    const isSame = (i: number, j: number) => one.first + i === two.first + j;
    const steps = crossingSteps(own, others, isSame);
    for (const { own: i, other: j, ...at } of await county.release.turns.run(steps)) {
      const [a, b] = [one.streets[i], two.streets[j]];
      const label = [a, b].map(({ street }) => street.label || streetLabel(street)).join(' & ');
      const quality = a.quality * b.quality * CROSSING_QUALITY;
      matches.push({ label, kind: 'intersection', ...at, quality });
    }
  }
  return matches;
}
