import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { levels, list } from '../../proxy/fields/compounds.ts';
import { jsonSchemaOf, type Kind } from '../../proxy/fields/field.ts';
import { choice, flag, integer, number, phrase } from '../../proxy/fields/kinds.ts';
import { statedTiming } from '../../proxy/queries/modes-and-types.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import type { Release } from '../../shards/release/release.ts';
import { forAll } from '../support/for-all.ts';

const words = ['walk', 'bike', '10'] as const;
const VALUES = fc.oneof(
  ...[fc.double({ noNaN: true, min: -20, max: 20 }), fc.integer({ min: -5, max: 15 })],
  ...[fc.constantFrom(...words, null, '', '5', ' 5', 'car'), fc.boolean()],
);
const LEVELS = levels({ min: 1, max: 10 }, 3);
const KINDS: readonly [name: string, kind: Kind<unknown>][] = [
  ['a whole number', integer({ min: 1, max: 10 })],
  ['a number over a bound', number({ over: 0, max: 10 })],
  ['a word', choice(words)],
  ['a flag', flag],
  ['a list', list(integer({ min: 1, max: 10 }), { of: 'numbers', most: 3 })],
  ['levels', LEVELS],
];

test.each(KINDS)('JSON is %s as its JSON Schema says, and the same as text', async (_, kind) => {
  const isValid = new Ajv2020().compile(jsonSchemaOf(kind.json));
  await forAll(500, fc.oneof(VALUES, fc.array(VALUES, { maxLength: 4 })), (value) => {
    const { success, data } = kind.json.safeParse(value);
    // No JSON Schema says that levels ascend.
    if (kind !== LEVELS || success) expect(success).toBe(isValid(value));
    if (!success) return;
    const text = Array.isArray(value) ? value.map(String) : String(value);
    expect(kind.text.parse(text)).toEqual(data);
  });
});

test.each<[kind: Kind<unknown>, value: unknown, message: string]>([
  [phrase((text) => text), undefined, 'is missing: it must be text'],
  [phrase((text) => text), ['a'], 'must be text, not a list'],
  [phrase((text) => text), 5, 'must be text'],
  [flag, 'true', 'must be true or false: leave out the quotes'],
  [flag, 'yes', 'must be true or false'],
  [flag, [true], 'must be true or false, not a list'],
])('a message says what is wrong with a value in JSON (%#)', ({ json }, value, message) => {
  expect(json.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual([message]);
});

test('responses by transit, with steps or without, state their window and percentile', () => {
  const timing = { departure: 'midday', percentile: 50 };
  const release = { manifest: { windows: [] }, timing } as unknown as Release;
  const stating = MODE_LABELS.filter((mode) => 'departure' in statedTiming(release, [mode]));
  expect(stating).toEqual(['transit', 'transit_step_free']);
});
