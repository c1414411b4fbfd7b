import { editDistance, foldText } from '../../shards/folded-text.ts';
import { COUNTY_FIPS, PLACE_GEOID } from '../../shards/geoid.ts';
import { STATES, type StateFips, uspsOf } from '../../shards/states.ts';
import type { CountyFips } from '../../shards/units.ts';
import type { County } from '../census/county-layer.ts';
import { BuildError, quoted } from '../errors.ts';
import type { NamedArea } from './place-list.ts';
import { isState, stateOf } from './public-files.ts';

/** Counties as people ask for them; at least one of the four is given. */
export interface AreaRequest {
  /** Census places by GEOID, or by names such as `Baltimore, MD`. */
  readonly places: readonly string[];
  /** Codes, or names such as `Baltimore city, MD`. */
  readonly counties: readonly string[];
  /** Names, postal abbreviations or codes. */
  readonly states: readonly string[];
  readonly nation: boolean;
}

/** Maximum number of names listed in a message. */
const MAX_LISTED = 12;

/** Throws a `BuildError` if an area names a state that there is not, before anything is loaded. */
export function requireKnownStates({ places, counties, states }: AreaRequest): void {
  const isCode = (county: string) => COUNTY_FIPS.test(county);
  for (const state of states) stateCalled(state);
  for (const code of counties.filter(isCode)) stateOf(code);
  for (const name of [...places, ...counties.filter((county) => !isCode(county))]) splitName(name);
}

/**
 * Returns the codes of the counties of an area, ascending: those that a place has a part of, those
 * of a state. Throws a `BuildError` that lists the choices for an ambiguous name, and similar names
 * for an unknown one.
 */
export function countiesIn(
  area: AreaRequest,
  layer: ReadonlyMap<CountyFips, County>,
  places: readonly NamedArea[],
): CountyFips[] {
  const known = [...layer.values()].filter(({ state }) => isState(state));
  const named = known.map((county) => ({ ...county, counties: [county.code] }));
  const states = new Set(area.nation ? STATES.keys() : area.states.map(stateCalled));
  const counties = [
    ...area.counties.flatMap((county) => find(county, COUNTIES, named).counties),
    ...area.places.flatMap((place) => find(place, PLACES, places, named).counties),
    ...known.filter(({ state }) => states.has(state)).map(({ code }) => code),
  ];
  return [...new Set(counties)].sort();
}

function stateCalled(text: string): StateFips {
  const state = findState(text);
  if (state !== undefined) return state;
  throw new BuildError(`${quoted(text)} is not a state; give its two letters, such as MD`);
}

function findState(text: string): StateFips | undefined {
  const wanted = folded(text);
  return [...STATES].find(([code, { usps, name }]) =>
    [code, folded(usps), folded(name)].includes(wanted),
  )?.[0];
}

/** Splits a text such as `Baltimore, MD`, whose state may be left out. */
function splitName(text: string): { wanted: string; state: StateFips | null } {
  const comma = text.lastIndexOf(',');
  if (comma === -1) return { wanted: folded(text), state: null };
  return { wanted: folded(text.slice(0, comma)), state: stateCalled(text.slice(comma + 1).trim()) };
}

interface AreaKind {
  readonly what: string;
  readonly code: RegExp;
}
const COUNTIES: AreaKind = { what: 'county', code: COUNTY_FIPS };
const PLACES: AreaKind = { what: 'census place', code: PLACE_GEOID };

/**
 * Finds the area with a code, or that a text such as `Baltimore, MD` names. One that names one of
 * `others`, which are counties, or a state is refused with the option for those.
 */
function find(
  text: string,
  { what, code }: AreaKind,
  all: readonly NamedArea[],
  others: readonly NamedArea[] = [],
): NamedArea {
  if (code.test(text)) {
    const coded = all.find((one) => one.code === text);
    if (coded) return coded;
    throw new BuildError(`the census of 2020 has no ${what} ${text}; check the code`);
  }
  const { wanted, state } = splitName(text);
  const namedIn = (areas: readonly NamedArea[]) => {
    const there = areas.filter((one) => state === null || one.state === state);
    const exact = there.filter(({ name }) => folded(name) === wanted);
    if (exact.length === 1) return exact;
    return there.filter(({ name, shortName }) =>
      [name, shortName].some((one) => folded(one) === wanted),
    );
  };
  const found = namedIn(all);
  if (found.length === 1) return found[0];
  if (found.length > 1) {
    const isNamed = new Set(found.map(nameIn)).size === found.length;
    const advice = isNamed ? 'give one of these names, in quotes' : 'give the code of one of them';
    throw new BuildError(`${quoted(text)} may be ${listed(found)}; ${advice}`);
  }
  const coded = others.filter((one) => one.code === text);
  const counties = coded.length > 0 ? coded : namedIn(others);
  const namesState = findState(text) !== undefined;
  if (counties.length > 0) {
    const orState = namesState ? '; the state as --state' : '';
    throw new BuildError(
      `${quoted(text)} is a county, not a ${what}; give it as --county: ${listed(counties)}${orState}`,
    );
  }
  if (namesState) {
    throw new BuildError(`${quoted(text)} is a state, not a ${what}; give it as --state`);
  }
  const similar = similarTo(wanted, state, all);
  const advice =
    similar.length === 0
      ? 'give its name as the Census Bureau writes it, and the state: "Baltimore, MD"'
      : `did you mean ${listed(similar)}?`;
  throw new BuildError(`${quoted(text)} is not the name of a ${what}; ${advice}`);
}

/** The part of a name's length that may be misspelt. */
const MISSPELT = 1 / 4;

/**
 * Areas that a text may mean, the most similar first: of a state, those whose name contains it or
 * is a few letters different; of other states, those of this very name.
 */
function similarTo(
  wanted: string,
  state: StateFips | null,
  all: readonly NamedArea[],
): NamedArea[] {
  const most = Math.max(1, Math.floor(wanted.length * MISSPELT));
  const scored = all.flatMap((area) => {
    const names = [folded(area.shortName), folded(area.name)];
    const edits = Math.min(...names.map((name) => editDistance(name, wanted)));
    if (state !== null && area.state !== state) return edits === 0 ? [{ area, score: most }] : [];
    if (edits <= most) return [{ area, score: edits }];
    return wanted !== '' && names[0].includes(wanted) ? [{ area, score: most }] : [];
  });
  return scored.sort((a, b) => a.score - b.score).map(({ area }) => area);
}

function listed(areas: readonly NamedArea[]): string {
  const shown = areas.slice(0, MAX_LISTED).map((area) => {
    const { code, counties } = area;
    const within = counties.length === 1 ? `county ${counties[0]}` : `${counties.length} counties`;
    return `"${nameIn(area)}" (${counties.includes(code) ? within : `${code}, ${within}`})`;
  });
  return [...shown, ...(areas.length > MAX_LISTED ? ['…'] : [])].join(', ');
}

function nameIn({ name, state }: NamedArea): string {
  return `${name}, ${uspsOf(state)}`;
}

/** Words of names that people, or the census, abbreviate. */
const ABBREVIATED: ReadonlyMap<string, string> = new Map([
  ['st', 'saint'],
  ['ste', 'sainte'],
  ['ft', 'fort'],
  ['mt', 'mount'],
]);

/**
 * A name for comparison: without case, accents, apostrophes, dots, abbreviations and other
 * punctuation.
 */
function folded(name: string): string {
  return foldText(name)
    .replaceAll(/['’.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => ABBREVIATED.get(word) ?? word)
    .join(' ');
}
