import fc from 'fast-check';
import { expect, test } from 'vitest';
import { s3Address, s3Fault } from '../../shards/store/s3/s3-address.ts';
import { refusalOf, s3Problem } from '../../shards/store/s3/s3-errors.ts';
import { forAll } from '../support/for-all.ts';

const ADDRESS = { bucket: 'tiles', prefix: 'v1/' };

/** An error document as in the S3 API reference. */
const documentOf = (code: string, region = '') =>
  `<?xml version="1.0"?><Error>${code && `<Code>${code}</Code>`}<Message>no</Message>${
    region && `<Region>${region}</Region>`
  }</Error>`;

const problemOf = (status: number, code = '', region = '') =>
  s3Problem(
    ADDRESS,
    'latest.json',
    refusalOf({ status, headers: {}, body: documentOf(code, region) }),
  );

test.each([
  [500, 'InternalError'],
  [503, 'SlowDown'],
  [400, 'SlowDown'],
  [429, ''],
  [400, 'RequestTimeout'],
  [599, 'AccessDenied'],
])('a response %i %s is transient', (status, code) => {
  expect(problemOf(status, code)).toBeNull();
});

test.each([
  [404, 'NoSuchKey', '', 'missing', 'no such object'],
  [404, 'NoSuchUpload', '', 'missing', 'no such object'],
  [404, '', '', 'missing', 'no such object'],
  [412, 'PreconditionFailed', '', 'conflict', 'replaced by another process'],
  [409, 'ConditionalRequestConflict', '', 'conflict', 'replaced by another process'],
  [404, 'NoSuchBucket', '', 'refused', 'there is no bucket "tiles"'],
  [404, 'MethodNotAllowed', '', 'refused', 'the server responded with 404 MethodNotAllowed'],
  [403, 'RequestTimeTooSkewed', '', 'refused', 'the clock of this machine is minutes off'],
  ...['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'InvalidToken', 'ExpiredToken'].map(
    (code) => [403, code, '', 'refused', `the credentials are not right (403 ${code})`] as const,
  ),
  ...[301, 307, 400].map(
    (status) =>
      [status, 'PermanentRedirect', 'eu-west-1', 'refused', 'is in the region eu-west-1'] as const,
  ),
  [301, 'PermanentRedirect', '', 'refused', 'is elsewhere (301 PermanentRedirect)'],
  [307, '', '', 'refused', 'is elsewhere (307)'],
  [403, 'AccessDenied', 'eu-west-1', 'refused', 'access denied (403 AccessDenied)'],
  [403, '', '', 'refused', 'access denied (403)'],
  [400, 'InvalidRequest', '', 'refused', 'the server responded with 400 InvalidRequest'],
  [
    405,
    'MethodNotAllowed',
    'eu-west-1',
    'refused',
    'the server responded with 405 MethodNotAllowed',
  ],
] as const)('a response %i %s %s is explained', (status, code, region, failure, words) => {
  const problem = problemOf(status, code, region)!;
  expect(problem.failure).toBe(failure);
  expect(problem.message).toContain('s3://tiles/v1/latest.json');
  expect(problem.message).toContain(words);
});

test('the region of a refusal comes from its header, which a HEAD has, or from its document', () => {
  const refused = (headers: Record<string, string>, body: string) =>
    refusalOf({ status: 301, headers, body });
  const header = { 'x-amz-bucket-region': 'eu-west-1' };
  expect(refused(header, '')).toEqual({ status: 301, code: '', region: 'eu-west-1' });
  expect(refused(header, documentOf('Moved', 'us-east-2')).region).toBe('eu-west-1');
  expect(refused({}, documentOf('Moved', 'us-east-2'))).toEqual({
    status: 301,
    code: 'Moved',
    region: 'us-east-2',
  });
});

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const inner = fc.string({
  unit: fc.constantFrom(...letters, '.', '-'),
  minLength: 1,
  maxLength: 61,
});
const end = fc.constantFrom(...letters);
const part = fc
  .string({ unit: fc.constantFrom(...letters, '.', ' ', '+', '-', '@', 'é'), minLength: 1 })
  .filter((text) => text !== '.' && text !== '..');

test('an address is split into its bucket and folder, with any number of slashes at the end', () =>
  forAll(
    300,
    fc.tuple(end, inner, end).map((parts) => parts.join('')),
    fc.array(part, { maxLength: 3 }),
    fc.nat(3),
    fc.constantFrom('s3', 'S3'),
    (bucket, parts, slashes, scheme) => {
      const folder = parts.join('/');
      const path =
        folder === '' ? '/'.repeat(Math.min(slashes, 1)) : `/${folder}${'/'.repeat(slashes)}`;
      expect(s3Address(`${scheme}://${bucket}${path}`)).toEqual({
        bucket,
        prefix: folder && `${folder}/`,
      });
    },
  ));

test.each([
  ['s3://', '"" is no name of a bucket'],
  ['s3:///prefix', '"" is no name of a bucket'],
  ['s3://ab', '"ab" is no name of a bucket'],
  [`s3://${'a'.repeat(64)}`, 'is no name of a bucket'],
  ['s3://Upper', '"Upper" is no name of a bucket'],
  ['s3://-abc', '"-abc" is no name of a bucket'],
  ['s3://abc-', '"abc-" is no name of a bucket'],
  ['s3://a_b', '"a_b" is no name of a bucket'],
  ['xs3://abc', '"" is no name of a bucket'],
  ['s3://user:password@abc', 'holds a user or password'],
  ['s3://abc/..', '".." is no prefix'],
  ['s3://abc/a/./b', '"a/./b" is no prefix'],
  ['s3://abc/a//b', '"a//b" is no prefix'],
  ['s3://abc//a', '"/a" is no prefix'],
  ['s3://abc//', '"/" is no prefix'],
])('%s is not the address of a store: %s', (location, words) => {
  expect(s3Fault(location)).toContain(words);
  expect(() => s3Address(location)).toThrow(words);
});
