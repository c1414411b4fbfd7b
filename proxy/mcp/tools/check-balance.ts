import { z } from 'zod';
import { tool } from '../tool.ts';

export const checkBalance = tool({
  name: 'check_balance',
  description: 'Tokens left on the account of the key. Free.',
  input: z.object({}),
  async run(_input, calls) {
    const { tokens_remaining } = await calls.data(calls.client.getTokens());
    return { text: `${tokens_remaining} tokens`, data: { tokens_remaining } };
  },
});
