import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { MODE_LABELS, type Mode } from '../../shards/modes.ts';
import type { Release, Timing } from '../../shards/release/release.ts';
import { BASE_PERCENTILE, BASE_WINDOW } from '../../shards/services.ts';
import { invalidParameters } from '../http/problem.ts';
import { missing } from '../http/validation.ts';
import type { Kind } from './field.ts';
import { decimal, onceText, singleFault } from './kinds.ts';

/** The words of requests that depend on the release that is served. */
export interface ServedWords {
  readonly modes: readonly Mode[];
  readonly departures: readonly string[];
  readonly percentiles: readonly number[];
}

/** The words of a release without further services. */
export const BASE_WORDS: ServedWords = {
  modes: MODE_LABELS,
  departures: [BASE_WINDOW.name],
  percentiles: [BASE_PERCENTILE],
};

/** The words of requests to a release: those that every release knows, and its own. */
export function wordsOf({ services, windows }: Release): ServedWords {
  const { modes, departures, percentiles } = BASE_WORDS;
  const held = windows.flatMap((window) => window.percentiles);
  return {
    modes: [...new Set([...modes, ...services.map(({ mode }) => mode)])],
    departures: [...new Set([...departures, ...windows.map(({ name }) => name)])],
    percentiles: [...new Set([...percentiles, ...held])].sort((a, b) => a - b),
  };
}

let words = BASE_WORDS;

/**
 * Validates a request to a release. The fields below accept the words of that release; all others
 * are those of every release, so the schemas of routes are made once.
 */
export function validFor<T>(release: Release, validate: () => T): T {
  const before = words;
  words = wordsOf(release);
  try {
    return validate();
  } finally {
    words = before;
  }
}

/** One of the words of the served release, which the document lists as of every release. */
export function servedChoice<const N extends keyof ServedWords>(
  name: N,
): Kind<ServedWords[N][number]> {
  type Word = ServedWords[N][number];
  const known = (): readonly unknown[] => words[name];
  const oneOf = (faultOf: (value: unknown) => string) =>
    z.custom<Word>((value) => known().includes(value), {
      error: ({ input }) => faultOf(input),
      params: { type: 'invalid_value' },
    });
  if (name === 'percentiles') {
    const fault = () => `must be ${known().join(' or ')}`;
    const [only] = BASE_WORDS.percentiles;
    const override: oas31.SchemaObject = { type: 'integer', enum: [only] };
    const text = onceText
      .transform(decimal)
      .pipe(oneOf(fault) as z.ZodType<Word, number | undefined>);
    const json = oneOf((value) => singleFault(fault(), value));
    return {
      text: text.meta({ override }),
      json: json.meta({ override: { type: 'integer', const: only, enum: [only] } }),
    };
  }
  const fault = () => `must be one of ${known().join(', ')}`;
  const override: oas31.SchemaObject = { type: 'string', enum: [...BASE_WORDS[name]] };
  return {
    text: oneOf((value) => (Array.isArray(value) ? 'must be given once' : fault())).meta({
      override,
    }),
    json: oneOf((value) =>
      value === undefined ? missing(fault()) : singleFault(fault(), value),
    ).meta({ override }),
  };
}

/**
 * The release as read for the window and the percentile of a request. Throws for a percentile that
 * the release does not hold of that window.
 */
export function releaseAt(
  release: Release,
  { departure, percentile }: { readonly departure?: unknown; readonly percentile?: unknown },
  part: 'query' | 'body',
): Release {
  if (departure === undefined && percentile === undefined) return release;
  const timing: Timing = {
    departure: (departure as string | undefined) ?? BASE_WINDOW.name,
    percentile: (percentile as number | undefined) ?? BASE_PERCENTILE,
  };
  const chosen = release.at(timing);
  if (chosen) return chosen;
  const held = release.windows.find(({ name }) => name === timing.departure)?.percentiles ?? [];
  const msg = `must be one of ${held.join(', ')} with departure ${timing.departure}`;
  throw invalidParameters([{ loc: [part, 'percentile'], msg, type: 'percentile_not_in_release' }]);
}

/** Names what is read instead of the times of every release; empty for these. */
export function scopeOf({ timing }: Release): string {
  const { departure, percentile } = timing;
  const isBase = departure === BASE_WINDOW.name && percentile === BASE_PERCENTILE;
  return isBase ? '' : `${departure} ${percentile}\n`;
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
