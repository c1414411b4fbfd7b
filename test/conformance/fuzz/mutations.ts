import fc from 'fast-check';
import { ANY_CHARACTER } from '../../support/any-character.ts';

/** Strings that have broken parsers before. */
const NASTY_TEXTS = [
  '',
  ' ',
  'NaN',
  'Infinity',
  '-Infinity',
  '-0',
  '-1',
  '1e308',
  '1e999',
  '0x10',
  '1_000',
  '١٢',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '[object Object]',
  '__proto__',
  '%',
  '%00',
  '\0',
  '..',
  '../../etc/passwd',
  "' OR 1=1 --",
  '<script>',
  '\u202e',
  '\ud83d\ude00',
  '\r\nX-A: 1',
  '9'.repeat(400),
  'x'.repeat(5000),
  ',,,,',
  '1,2,3',
  '-91',
  '181',
  '91,181',
  '0.1.2',
  '9007199254740993',
];

/** JSON values that do not belong where they are put. */
const NASTY_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  0.1,
  1e308,
  2 ** 53,
  -(2 ** 53),
  '',
  'NaN',
  'x'.repeat(5000),
  [],
  {},
  [[]],
  [null],
  [{}],
  { length: 3 },
  { toString: 1 },
  ['walk', 'walk'],
  Array(300).fill('1'),
  Array(1000).fill(1),
  deep(500),
];

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY_TEXTS),
  fc.string({ unit: ANY_CHARACTER, maxLength: 30 }),
);

const nastyValue = fc.oneof(fc.constantFrom(...NASTY_VALUES), fc.jsonValue());

/** Query pairs with one error: a bad value, or a repeated, unknown or missing name. */
export function brokenPairs(
  pairs: readonly (readonly [string, string])[],
): fc.Arbitrary<(readonly [string, string])[]> {
  const at = fc.nat({ max: Math.max(0, pairs.length - 1) });
  const extra = fc.tuple(
    fc.constantFrom('lmit', 'Mode', '__proto__', 'mode[]', '', 'cursor'),
    nastyText,
  );
  const some = pairs.length > 0;
  return fc.oneof(
    extra.map((pair) => [...pairs, pair]),
    ...(some
      ? [
          fc.tuple(at, nastyText).map(([i, text]) => pairs.with(i, [pairs[i][0], text])),
          at.map((i) => [...pairs, pairs[i]]),
          fc.tuple(at, nastyText).map(([i, text]) => [...pairs, [pairs[i][0], text] as const]),
          at.map((i) => pairs.toSpliced(i, 1)),
        ]
      : []),
  );
}

/** A body with one error. */
export function brokenBody(body: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(body);
  return fc
    .tuple(fc.constantFrom(...places), nastyValue, fc.constantFrom('replace', 'remove', 'add'))
    .map(([place, nasty, how]) => changed(body, place, nasty, how));
}

/** Texts that are not JSON, or barely. */
export const brokenJson: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '{',
    '}',
    '[',
    '"',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    'NaN',
    '\u0000',
    '\ufeff{}',
    '{"origins":[1e999]}',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '{"origins":[],"origins":["1"]}',
    '[[[['.repeat(5000),
    `${'{"a":'.repeat(5000)}1`,
  ),
  fc.string({ unit: ANY_CHARACTER }),
);

function placesIn(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  const here = [[...path]];
  if (typeof value !== 'object' || value === null) return here;
  return [
    ...here,
    ...Object.entries(value).flatMap(([key, member]) => placesIn(member, [...path, key])),
  ];
}

function changed(
  value: unknown,
  path: readonly (string | number)[],
  nasty: unknown,
  how: string,
): unknown {
  if (path.length === 0) {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return how === 'add' && isRecord ? { ...value, unheard_of: nasty } : nasty;
  }
  const [key, ...rest] = path;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string,
    unknown
  >;
  if (rest.length === 0 && how === 'remove') delete copy[key];
  else copy[key] = changed(copy[key], rest, nasty, how);
  return copy;
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
