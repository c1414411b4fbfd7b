import { z } from 'zod';
import { listTypes as allTypes, typesNamed } from '../names.ts';
import { tool } from '../tool.ts';

export const listTypes = tool({
  name: 'list_types',
  description:
    'Destination types by id and name, and the weights that can be counted (people, jobs, …). Free.',
  input: z.object({ query: z.string().trim().max(100).optional().describe('Part of a name') }),
  async run({ query }, calls) {
    const all = await allTypes(calls);
    const types = query ? typesNamed(all, query) : all;
    const { weights } = await calls.data(calls.client.getWeights());
    const words = types.map(({ id, name, leaves }) =>
      leaves > 1 ? `\n${id} ${name} (${leaves} types)` : `${id} ${name}`,
    );
    const named = weights.map(({ weight }) => weight);
    return {
      text: `Types: ${words.join('; ').replaceAll('; \n', '\n')}\nWeights: ${named.join(', ')}`,
      data: {
        types: types.map(({ id, name }) => ({ dest_type_id: id, name })),
        weights: named,
      },
    };
  },
});
