import { z } from 'zod';
import { keyedEndpoint } from '../endpoint.ts';
import { NONE } from '../schemas/parameters.ts';

export const tokens = keyedEndpoint({
  access: 'keyed',
  path: '/v1/tokens',
  operationId: 'getTokens',
  summary: 'The token balance of the key’s account',
  description: 'Never charged, and answered at a zero balance too.',
  tag: 'Account',
  params: NONE,
  query: NONE,
  response: z.object({ tokens_remaining: z.int().min(0) }),
  example: { tokens_remaining: 4987 },
  problems: [],
  respond: (balance) => ({ tokens_remaining: balance }),
});
