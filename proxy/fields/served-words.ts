import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { getOrInsertComputed } from '../../shards/arrays/group-by.ts';
import {
  BASE_MODES,
  isMode,
  LINK_MODES,
  type LinkMode,
  linkModesOf,
  type Mode,
} from '../../shards/modes.ts';
import { UnknownRelease } from '../../shards/release/manifests.ts';
import type { Release } from '../../shards/release/release.ts';
import {
  BASE_PERCENTILE,
  BASE_WINDOW,
  type ChosenTiming,
  isBaseTiming,
  isPercentile,
  type Timing,
  timingOf,
  WINDOW_NAME,
} from '../../shards/services.ts';
import { invalidParameter, invalidParameters, type ParameterIssue } from '../http/problem.ts';
import { missing } from '../http/validation.ts';
import type { Kind } from './field.ts';
import { decimal, jsonFault, onceText, singleFault } from './kinds.ts';

/** The words of requests that depend on the release that is served. */
export interface ServedWords {
  readonly modes: readonly Mode[];
  /** The modes that blocks have links of their own for. */
  readonly streets: readonly LinkMode[];
  readonly departures: readonly string[];
  readonly percentiles: readonly number[];
}

/** The words of a release without further services. */
export const BASE_WORDS: ServedWords = {
  modes: BASE_MODES,
  streets: LINK_MODES,
  departures: [BASE_WINDOW.name],
  percentiles: [BASE_PERCENTILE],
};

/** The words of requests to a release: those that every release knows, and its own. */
export function wordsOf({ services, windows }: Release): ServedWords {
  const { modes, departures, percentiles } = BASE_WORDS;
  const ownModes = services.map(({ mode }) => mode);
  const held = windows.flatMap((window) => window.percentiles);
  return {
    modes: [...new Set([...modes, ...ownModes])],
    streets: linkModesOf(ownModes),
    departures: [...new Set([...departures, ...windows.map(({ name }) => name)])],
    percentiles: [...new Set([...percentiles, ...held])].sort((a, b) => a - b),
  };
}

/** The words of releases, by the list of services that all views of one share. */
const WORDS = new WeakMap<Release['services'], ServedWords>();

let words = BASE_WORDS;

/**
 * Validates a request to a release. The fields below accept the words of that release; all others
 * are those of every release, so the schemas of routes are made once.
 */
export function validFor<T>(release: Release, validate: () => T): T {
  const before = words;
  words = getOrInsertComputed(WORDS, release.services, () => wordsOf(release));
  try {
    return validate();
  } finally {
    words = before;
  }
}

type ChosenWord = Exclude<keyof ServedWords, 'streets'>;

function faultOf(name: ChosenWord, known: readonly unknown[]): string {
  return name === 'percentiles'
    ? `must be ${known.join(' or ')}`
    : `must be one of ${known.join(', ')}`;
}

/**
 * Whether some release may have a word. A body takes any such word, since it may repeat a request
 * to a release that had it; `releaseAt` and `modePositions` refuse it for a new response.
 */
const IS_POSSIBLE: { readonly [N in ChosenWord]: (value: unknown) => boolean } = {
  modes: (value) => typeof value === 'string' && isMode(value),
  departures: (value) => typeof value === 'string' && WINDOW_NAME.test(value),
  percentiles: (value) => typeof value === 'number' && isPercentile(value),
};

/** One of the words of the served release, which the document lists as of every release. */
export function servedChoice<const N extends ChosenWord>(name: N): Kind<ServedWords[N][number]> {
  type Word = ServedWords[N][number];
  const fault = () => faultOf(name, words[name]);
  const accepted = (isWord: (value: unknown) => boolean, msgOf: (value: unknown) => string) =>
    z.custom<Word>(isWord, {
      error: ({ input }) => msgOf(input),
      params: { type: 'invalid_value' },
    });
  const isServed = (value: unknown) => (words[name] as readonly unknown[]).includes(value);
  if (name === 'percentiles') {
    const [only] = BASE_WORDS.percentiles;
    const override: oas31.SchemaObject = { type: 'integer', enum: [only] };
    const text = onceText
      .transform(decimal)
      .pipe(accepted(isServed, fault) as z.ZodType<Word, number | undefined>);
    const json = accepted(IS_POSSIBLE[name], (value) => jsonFault(fault(), value));
    return {
      text: text.meta({ override }),
      json: json.meta({ override: { type: 'integer', const: only, enum: [only] } }),
    };
  }
  const override: oas31.SchemaObject = { type: 'string', enum: [...BASE_WORDS[name]] };
  return {
    text: accepted(isServed, (value) =>
      Array.isArray(value) ? 'must be given once' : fault(),
    ).meta({ override }),
    json: accepted(IS_POSSIBLE[name], (value) =>
      value === undefined ? missing(fault()) : singleFault(fault(), value),
    ).meta({ override }),
  };
}

/**
 * The release as read for the window and the percentile of a request. Throws for those that the
 * release does not hold, and for a percentile that it does not hold of that window.
 */
export function releaseAt(
  release: Release,
  asked: { readonly [Name in keyof Timing]?: unknown },
  part: 'query' | 'body',
): Release {
  const timing = timingOf(asked as ChosenTiming);
  if (isBaseTiming(timing)) return release;
  const chosen = release.at(timing);
  if (chosen) return chosen;
  const { departures, percentiles } = wordsOf(release);
  const issues: ParameterIssue[] = [];
  const refuse = (member: string, msg: string) =>
    issues.push({ loc: [part, member], msg, type: 'invalid_value' });
  if (!departures.includes(timing.departure))
    refuse('departure', faultOf('departures', departures));
  if (!percentiles.includes(timing.percentile)) {
    refuse('percentile', faultOf('percentiles', percentiles));
  }
  if (issues.length > 0) throw invalidParameters(issues);
  const held = release.windows.find(({ name }) => name === timing.departure)?.percentiles ?? [];
  const msg = `must be one of ${held.join(', ')} with departure ${timing.departure}`;
  throw invalidParameter([part, 'percentile'], msg, 'percentile_not_in_release');
}

/** Names what is read instead of the times of every release; empty for these. */
export function scopeOf({ timing }: Release): string {
  return isBaseTiming(timing) ? '' : `${timing.departure} ${timing.percentile}\n`;
}

/** Lists the words of a release where a document lists those of every release. */
export function withWords<T>(document: T, own: ServedWords): T {
  const named = Object.keys(BASE_WORDS) as (keyof ServedWords)[];
  return JSON.parse(JSON.stringify(document), (_, node) => {
    if (!Array.isArray(node?.enum)) return node;
    const name = named.find((one) => BASE_WORDS[one].join() === node.enum.join());
    if (name === undefined) return node;
    const { const: only, ...schema } = node;
    const one = own[name].length === 1 && only !== undefined;
    return one ? node : { ...schema, enum: own[name] };
  });
}

/**
 * Opens a release that a request names by the parameter at `loc`; refuses a name that stands for
 * none, or for several.
 */
export async function namedRelease(
  find: (name: string) => Promise<Release>,
  wanted: string,
  loc: ParameterIssue['loc'],
): Promise<Release> {
  try {
    return await find(wanted);
  } catch (error) {
    if (!(error instanceof UnknownRelease)) throw error;
    throw invalidParameter(loc, error.message, 'unknown_release');
  }
}
