import { expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import type { InputFile } from './input-files.ts';
import { faultOf, type Outcome } from './judge.ts';
import type { Mutation, Silence } from './mutations.ts';

const mutation = (silence: Silence): Mutation => ({
  what: 'a.zip: a change',
  changed: new Map([['a.zip', null]]),
  silence,
});

/** A release with one county; `reach` stands for its times, `transit` for its names. */
function manifest(reach: string, transit: string): Manifest {
  const objects = { 'reach-from': { sha256: reach }, transit: { sha256: transit } };
  const parts = {
    counties: { 99001: { blocks: 1, population: 1, objects } },
    states: {},
    weights: [],
  };
  return { ...parts, feeds: [{ trips_in_window: 3, problems: [] }] } as unknown as Manifest;
}

const built = (facts: Partial<Outcome> = {}): Outcome => ({
  error: null,
  manifest: manifest('1', '1'),
  said: [],
  documents: [],
  seconds: 0.1,
  ...facts,
});
const refused = (error: unknown) => built({ error, manifest: null });

test.each<[string, Outcome, Silence, RegExp | null]>([
  ['an equal release', built(), 'nothing', null],
  ['other times', built({ manifest: manifest('2', '1') }), 'names', /without a word in reach-from/],
  ['other names', built({ manifest: manifest('1', '2') }), 'names', null],
  ['other names for the same', built({ manifest: manifest('1', '2') }), 'nothing', /in transit/],
  ['other times for other facts', built({ manifest: manifest('2', '1') }), 'anything', null],
  [
    'other times with a warning',
    built({ manifest: manifest('2', '1'), said: ['WARNING: a.zip: 1 × lost'] }),
    'nothing',
    null,
  ],
  ['a refusal', refused(new BuildError('/in/a.zip: line 3 is odd; mend it')), 'nothing', null],
  ['a refusal without a file', refused(new BuildError('odd')), 'anything', /names no file/],
  ['a refusal with a NUL', refused(new BuildError('a.zip: \0')), 'anything', /control characters/],
  [
    'an endless refusal',
    refused(new BuildError(`a.zip: ${'x'.repeat(999)}`)),
    'anything',
    /of 1006/,
  ],
  ['another error', refused(new TypeError('x is undefined')), 'anything', /internal error/],
  ['a slow build', built({ seconds: 99 }), 'anything', /took 99/],
  ['a lost number', built({ documents: [{ lon: null }] }), 'anything', /^\.lon is not a number/],
])('%s is judged', (_, outcome, silence, fault) => {
  const original = built({ documents: [{ lon: 1 }] });
  const found = faultOf(mutation(silence), outcome, original, []);
  if (fault === null) expect(found).toBeNull();
  else expect(found).toMatch(fault);
});

test('a release with fewer blocks or people than its input is judged wrong', () => {
  const blocks = (...people: string[]): InputFile => ({
    kind: 'blocks',
    name: 'blocks.zip',
    companions: [],
    tables: [{ name: 'a.dbf', columns: ['POP20'], rows: people.map((cell) => [cell]) }],
  });
  const judged = (input: InputFile) => faultOf(mutation('anything'), built(), built(), [input]);
  expect(judged(blocks('1'))).toBeNull();
  expect(judged(blocks('1', '0'))).toBe('1 blocks of 2');
  expect(judged(blocks('7'))).toBe('1 people of 7');
  expect(judged({ ...blocks('7', '1'), file: (bytes) => bytes })).toBeNull();
});
