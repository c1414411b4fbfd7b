import { z } from 'zod';
import { tool } from '../tool.ts';

export const listTypes = tool({
  name: 'list_types',
  description: 'Types by id; weights: people, jobs, groups. Free.',
  input: z.object({ query: z.string().trim().max(100).optional() }),
  output: z.object({
    types: z.record(z.string(), z.string()),
    weights: z.array(z.string()),
  }),
  async run({ query }, calls) {
    const catalogue = await calls.types();
    const types = query ? catalogue.matching(query) : catalogue.all;
    const { weights } = await calls.data(calls.client.getWeights());
    const words = types.map(({ id, name, leafIds }) =>
      leafIds.length > 1 ? `\n${id} ${name} (${leafIds.length} types)` : `${id} ${name}`,
    );
    const listed =
      words.length === 0
        ? 'No type has that name. Without a query, all are listed.'
        : `Types: ${words.join('; ').replaceAll('; \n', '\n')}`;
    const named = weights.map(({ weight }) => weight);
    return {
      text: `${listed}\nWeights: ${named.join(', ')}`,
      data: { types: Object.fromEntries(types.map(({ id, name }) => [id, name])), weights: named },
    };
  },
});
