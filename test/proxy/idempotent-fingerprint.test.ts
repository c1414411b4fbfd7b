import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { idempotentRequest } from '../../proxy/metering/replay.ts';

test('the fingerprint of a body has the form that ledgers hold, so that keys outlive an upgrade', () => {
  const headers = { 'idempotency-key': 'one' };
  const stored = '/v1/blocks/query\n{"value":{"limit":3},"isWhole":true}';
  expect(idempotentRequest('/v1/blocks/query', headers, { limit: 3 })).toEqual({
    key: 'one',
    fingerprint: createHash('sha256').update(stored).digest('base64url'),
  });
});
