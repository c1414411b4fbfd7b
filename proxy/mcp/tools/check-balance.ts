import { z } from 'zod';
import { counted } from '../../../shards/number-words.ts';
import { tool } from '../tool.ts';

export const checkBalance = tool({
  name: 'check_balance',
  description: 'Tokens left. Free.',
  input: z.object({}),
  output: z.object({ tokens_remaining: z.int() }),
  async run(_input, calls) {
    const { tokens_remaining } = await calls.data(calls.client.getTokens());
    return { text: counted(tokens_remaining, 'token'), data: { tokens_remaining } };
  },
});
