import { z } from 'zod';
import { keyedEndpoint } from '../endpoint.ts';
import { NONE } from '../fields/field.ts';

export const tokens = keyedEndpoint({
  access: 'keyed',
  path: '/v1/tokens',
  operationId: 'getTokens',
  summary: 'Token balance of the account',
  description: 'Free, and available at a zero balance too.',
  tag: 'Account',
  params: NONE,
  query: NONE,
  responseDescription: 'The token balance.',
  response: z.object({ tokens_remaining: z.int().min(0) }),
  example: { tokens_remaining: 4987 },
  problems: [],
  respond: (balance) => ({ tokens_remaining: balance }),
});
