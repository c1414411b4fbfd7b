import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import type { PostEndpoint } from '../../proxy/endpoint.ts';
import { idempotentRequest } from '../../proxy/serve/replay.ts';

test('the fingerprint of a body has the form that ledgers hold, so that keys outlive an upgrade', () => {
  const endpoint = { path: '/v1/blocks/query' } as PostEndpoint;
  const request = { headers: { 'idempotency-key': 'one' } } as unknown as FastifyRequest;
  const stored = '/v1/blocks/query\n{"value":{"limit":3},"isWhole":true}';
  expect(idempotentRequest(endpoint, request, { limit: 3 })).toEqual({
    key: 'one',
    fingerprint: createHash('sha256').update(stored).digest('base64url'),
  });
});
