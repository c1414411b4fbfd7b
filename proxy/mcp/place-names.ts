import { foldText } from '../../shards/folded-text.ts';
import { STATES } from '../../shards/states.ts';
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

/** Maximum number of options listed to the caller. */
const MAX_OPTIONS = 8;
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
