import { ApiError, type DataOf } from '../../portal/client/src/index.ts';
import { foldText } from '../../shards/folded-text.ts';
import { STATES } from '../../shards/states.ts';
import { TAKEN_FROM } from '../queries/addresses/find-addresses.ts';
import { NeedsChoice, quoted } from './advice.ts';
import type { ToolCalls } from './tool-calls.ts';

interface NamedPlace {
  readonly geoid: string;
  readonly name: string;
  /** Two-letter USPS code. */
  readonly state: string;
  readonly lat: number;
  readonly lon: number;
}

const MAX_OPTIONS = 8;
/** Kinds of matches that are too large to be an origin. */
const LARGE: ReadonlySet<string> = new Set(['place', 'county']);
const KIND = /^(city|town|village) of | (city|town|village)$/i;

/**
 * Resolves a census place by name, such as "Baltimore", "Baltimore, MD" or "City of Baltimore,
 * Maryland". Throws `NeedsChoice` if several places fit equally well, or none fits. Free.
 */
export async function resolvePlace(calls: ToolCalls, text: string): Promise<NamedPlace> {
  const [name, ...rest] = text.split(',').map((part) => part.trim());
  const state = lettersOf(rest.join(' '));
  const find = async (q: string) =>
    (await calls.data(calls.client.findPlaces({ q: [q, state].join(' ').trim(), limit: 10 })))
      .places;
  const plain = name.replace(KIND, '');
  let places = await find(name);
  if (places.length === 0 && plain !== name) places = await find(plain);
  if (places.length === 1) return places[0];
  const whole = places.filter((place) => foldText(place.name) === foldText(name));
  if (whole.length === 1) return whole[0];
  if (places.length > 0) throw needsChoice(text, 'fits several places', places);
  const { places: anywhere } = await calls.data(calls.client.findPlaces({ q: plain, limit: 10 }));
  throw needsChoice(
    text,
    'is no census place of this release; find_place searches by a part of the name',
    anywhere,
  );
}

type FoundAddress = DataOf<'findAddresses'>['results'][number];

/**
 * Finds what a text means, best first; nothing where too many counties would have to be searched.
 */
export async function findAddresses(
  calls: ToolCalls,
  text: string,
): Promise<readonly FoundAddress[]> {
  try {
    return (await calls.data(calls.client.findAddresses({ q: text, limit: MAX_OPTIONS }))).results;
  } catch (error) {
    if (error instanceof ApiError && error.slug === 'invalid-parameters') return [];
    throw error;
  }
}

/** The city or county that a text names without doubt; null for other text. Free. */
export async function findArea(calls: ToolCalls, text: string): Promise<FoundAddress | null> {
  const [best] = await findAddresses(calls, text);
  return best && LARGE.has(best.kind) && best.confidence >= TAKEN_FROM ? best : null;
}

/**
 * Resolves an address, an intersection or a neighbourhood to its point. Throws `NeedsChoice` with
 * the matches if none is certain, or there is none. Free.
 */
export async function resolveAddress(calls: ToolCalls, text: string): Promise<FoundAddress> {
  const found = await findAddresses(calls, text);
  const [best] = found;
  if (best && best.confidence >= TAKEN_FROM && !LARGE.has(best.kind)) return best;
  const options = found.map(({ label, kind, lat, lon }) => `${lat},${lon} (${kind} ${label})`);
  throw new NeedsChoice(
    `${quoted(text)} is no certain address; send a block’s 15-digit GEOID, "lat,lon" or an address with its city, which find_place finds.`,
    options,
  );
}

function needsChoice(text: string, problem: string, places: readonly NamedPlace[]): NeedsChoice {
  const options = places.slice(0, MAX_OPTIONS).map(placeText);
  return new NeedsChoice(`${quoted(text)} ${problem}.`, options);
}

/** Formats a place: `Baltimore, MD (2404000)`. */
export function placeText({ name, state, geoid }: NamedPlace): string {
  return `${name}, ${state} (${geoid})`;
}

/** Returns the USPS code of a state by its name; other text is returned unchanged. */
function lettersOf(state: string): string {
  const known = [...STATES.values()].find(({ name }) => foldText(name) === foldText(state));
  return known?.usps ?? state;
}
