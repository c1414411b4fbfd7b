import { z } from 'zod';
import type { Area } from '../../portal/client/src/index.ts';
import { type NamedPlace, resolvePlace } from './names.ts';
import { NeedsChoice, type ToolCalls } from './tool.ts';

const MAX_NAME = 100;
const text = z.string().trim().min(1).max(MAX_NAME);
/** A type by name, or by id as text or number. */
const type = z.coerce.string().trim().min(1).max(MAX_NAME);

/** Schemas of members that several tools take. They are listed to models: descriptions are short. */
export const place = text.describe('City ("Baltimore, MD") or its GEOID');
export const types = z.array(type).min(1).max(8).describe('Names ("pharmacies") or ids');
export const mode = z.enum(['walk', 'bike', 'transit']).default('walk');
export const weight = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/)
  .default('people')
  .describe('people, jobs, …');
export const lat = z.number().optional();
export const lon = z.number().optional();
export const block = z
  .string()
  .regex(/^\d{15}$/)
  .optional()
  .describe('GEOID; or send lat, lon');

const criterion = z.object({
  type,
  mode,
  max_minutes: z.int().min(1).max(30),
});
export const criteria = z.array(criterion).max(8);

export const area = {
  place: place.optional(),
  county: z
    .string()
    .regex(/^\d{5}$/)
    .optional()
    .describe('County FIPS'),
  lat,
  lon,
  radius_m: z.number().positive().max(50_000).optional().describe('Circle around lat, lon'),
};

export type AreaInput = z.output<z.ZodObject<typeof area>>;

/** The area of a call and its name. Throws `NeedsChoice` unless exactly one is given. */
export async function resolveArea(
  calls: ToolCalls,
  input: AreaInput,
): Promise<{ readonly area: Area; readonly name: string }> {
  const { place, county, lat, lon, radius_m } = input;
  const isCircle = lat !== undefined && lon !== undefined && radius_m !== undefined;
  const given = [place, county, isCircle || undefined].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new NeedsChoice('Name one area: place, county, or lat, lon and radius_m.', []);
  }
  if (place !== undefined) {
    const found = await resolvePlace(calls, place);
    return { area: { places: [found.geoid] }, name: nameOf(found) };
  }
  if (county !== undefined) return { area: { counties: [county] }, name: `county ${county}` };
  const center = { lat: lat!, lon: lon! };
  return { area: { center, radius_m: radius_m! }, name: `${radius_m} m around ${lat}, ${lon}` };
}

export function nameOf({ name, state, geoid }: NamedPlace): string {
  return state === '' ? geoid : `${name}, ${state} (${geoid})`;
}

/** The origin of a call: a block, or a point. */
export type OriginInput =
  | { readonly geoid: string }
  | { readonly lat: number; readonly lon: number };

export function originOf(input: {
  block?: string | undefined;
  lat?: number | undefined;
  lon?: number | undefined;
}): OriginInput {
  const { block: geoid, lat, lon } = input;
  const hasPoint = lat !== undefined && lon !== undefined;
  if ((geoid !== undefined) === hasPoint) {
    throw new NeedsChoice('Send either block, or lat and lon of a point in the United States.', []);
  }
  return geoid === undefined ? { lat: lat!, lon: lon! } : { geoid };
}
