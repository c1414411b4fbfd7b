import { z } from 'zod';
import type { Area } from '../../portal/client/src/index.ts';
import { BLOCK_GEOID, COUNTY_FIPS, PLACE_GEOID } from '../../shards/geoid.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import { PEOPLE } from '../../shards/weights/weight.ts';
import { BOUNDS, LIMITS } from '../bounds.ts';
import { objectOf } from '../fields/compounds.ts';
import { integer } from '../fields/kinds.ts';
import { modeLabel, nthNearest, weightName } from '../fields/rows.ts';
import { NeedsChoice } from './advice.ts';
import { findArea, placeText, resolveAddress, resolvePlace } from './place-names.ts';
import type { ToolCalls } from './tool-calls.ts';

const text = z.string().trim().min(1).max(LIMITS.nameLength);
/** A type by name, or by id as text or number. */
const type = z.coerce.string().trim().min(1).max(LIMITS.nameLength);

/**
 * Schemas of members that several tools take. Descriptions are short, since schemas are listed to
 * models.
 */
export const types = listOf(type, { most: 8, of: 'names or ids', such: '["libraries"]' }).describe(
  'Names, ids',
);
export const mode = modeLabel.json.default('walk');
export const modes = listOf(modeLabel.json, {
  most: MODE_LABELS.length,
  of: 'modes',
  such: '["walk", "transit"]',
}).default(['walk']);
/**
 * Which times by transit. The API refuses those that the release lacks, and lists those it has:
 * tools are listed the same for every release.
 */
export const timing = {
  departure: z.string().max(LIMITS.nameLength).optional(),
  percentile: z.int().optional(),
};
export const weight = weightName.default(PEOPLE.weight);
export const place = text.describe('Baltimore, MD or GEOID');
export const area = text.describe('City, county, GEOID, lat,lon,radius_m');
export const origin = text.describe('Block, lat,lon, address');
export const reachOrigin = text.describe('Block, lat,lon, address, city, county');

/** Bounds of a list's length, and an example for the error message. */
interface ListBounds {
  readonly least?: number;
  readonly most: number;
  readonly of: string;
  /** An example of the list, as JSON. */
  readonly such: string;
}

/** Returns the schema of a list whose error messages state what to send. */
export function listOf<Item extends z.ZodType>(
  one: Item,
  { least = 1, most, of, such }: ListBounds,
) {
  const fault = { error: `send ${Math.max(1, least)} to ${most} ${of}, such as ${such}` };
  return z.array(one, fault).min(least).max(most);
}

export const criteria = listOf(
  objectOf('a criterion', {
    type,
    mode,
    max_minutes: integer({ min: 1, max: BOUNDS.maxMinutes.max }).json,
    nth: nthNearest.json.optional(),
  }),
  {
    least: 0,
    most: LIMITS.criteria,
    of: 'criteria',
    such: '[{"type": "libraries", "max_minutes": 10}]',
  },
);
export const reachMinutes = integer(BOUNDS.contour).json;

interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** An area in the form that the API takes, and its name for readers. */
interface NamedArea {
  readonly area: Area;
  readonly name: string;
  /** Centre of the area, if the call or the search for its name had one. */
  readonly middle?: Point;
}

/** Words of names of counties, apart from those of Virginia’s independent cities. */
const NAMES_A_COUNTY = /\b(county|parish|borough|census area|municipio|planning region)\b/i;

export async function resolveArea(calls: ToolCalls, text: string): Promise<NamedArea> {
  const circle = numbersOf(text);
  if (circle?.length === 3) {
    const [lat, lon, radius_m] = circle;
    const name = `${radius_m} m around ${lat}, ${lon}`;
    return { area: { center: { lat, lon }, radius_m }, name, middle: { lat, lon } };
  }
  if (circle?.length === 2) throw new NeedsChoice('Add a radius in metres: "lat,lon,radius_m".');
  if (COUNTY_FIPS.test(text)) return { area: { counties: [text] }, name: `county ${text}` };
  if (NAMES_A_COUNTY.test(text)) {
    const county = await findArea(calls, text);
    if (county?.kind === 'county')
      return { area: { counties: [county.geoid] }, name: county.label, middle: county };
  }
  const { geoid, name, middle } = await resolveCity(calls, text);
  return { area: { places: [geoid] }, name, ...(middle && { middle }) };
}

export async function resolveCity(calls: ToolCalls, text: string) {
  if (PLACE_GEOID.test(text)) return { geoid: text, name: text };
  const place = await resolvePlace(calls, text);
  const { geoid, lat, lon } = place;
  return { geoid, name: placeText(place), middle: { lat, lon } };
}

type OriginInput = { readonly geoid: string } | Point;

/** An origin, and the match that was taken for it, for readers; '' unless it was an address. */
interface NamedOrigin {
  readonly origin: OriginInput;
  readonly named: string;
}

export async function resolveOrigin(calls: ToolCalls, text: string): Promise<NamedOrigin> {
  if (BLOCK_GEOID.test(text)) return { origin: { geoid: text }, named: '' };
  const point = numbersOf(text);
  if (point !== null || !/\p{L}/u.test(text)) return { origin: pointOf(text, ORIGINS), named: '' };
  const { lat, lon, kind, label } = await resolveAddress(calls, text);
  return { origin: { lat, lon }, named: ` at ${label} (${kind})` };
}

interface AveragedArea {
  /** Seven digits of a city, five of a county. */
  readonly averaged: string;
  readonly named: string;
}

/** Resolves the origin of a call, or a city or county by its GEOID or name. */
export async function resolveReach(
  calls: ToolCalls,
  text: string,
): Promise<NamedOrigin | AveragedArea> {
  if (COUNTY_FIPS.test(text) || PLACE_GEOID.test(text)) return { averaged: text, named: text };
  if (numbersOf(text) !== null || !/\p{L}/u.test(text)) return resolveOrigin(calls, text);
  const area = await findArea(calls, text);
  return area ? { averaged: area.geoid, named: area.label } : resolveOrigin(calls, text);
}

/** Forms of origins other than "lat,lon". */
const ORIGINS = 'a block’s 15-digit GEOID, an address or ';

/**
 * Parses "lat,lon"; throws `NeedsChoice` for other text. `orElse`: other forms that the message
 * names.
 */
export function pointOf(text: string, orElse = ''): Point {
  const point = numbersOf(text);
  if (point?.length !== 2) {
    throw new NeedsChoice(
      `Send ${orElse}"lat,lon", such as "39.29,-76.61"; find_place has those of cities.`,
    );
  }
  const [lat, lon] = point;
  return { lat, lon };
}

/** Parses two or more numbers separated by commas; null for any other text. */
function numbersOf(text: string): number[] | null {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  return numbers.length > 1 && numbers.every(Number.isFinite) ? numbers : null;
}
