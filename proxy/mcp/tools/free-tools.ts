import { z } from 'zod';
import { counted } from '../../../shards/number-words.ts';
import { LIMITS } from '../../bounds.ts';
import { findAddresses } from '../place-names.ts';
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

const MAX_PLACES = 10;

const place = z.object({
  geoid: z.string(),
  name: z.string(),
  lat: z.number(),
  lon: z.number(),
});

export const findPlace = tool({
  name: 'find_place',
  description: 'GEOID, coordinates of places. Free.',
  input: z.object({ query: z.string().trim().min(1).max(LIMITS.nameLength) }),
  output: z.object({ places: z.array(place) }),
  async run({ query }, calls) {
    const cities = await calls.data(calls.client.findPlaces({ q: query, limit: MAX_PLACES }));
    const others = (await findAddresses(calls, query)).filter(({ kind }) => kind !== 'place');
    const places = [
      ...cities.places.map(({ geoid, name, state, lat, lon }) => {
        return { geoid, name: `${name}, ${state}`, lat, lon };
      }),
      ...others.map(({ geoid, label, kind, lat, lon }) => ({
        geoid,
        name: `${label} (${kind})`,
        lat,
        lon,
      })),
    ];
    const lines = places.map(({ geoid, name, lat, lon }) => `${name} (${geoid}) at ${lat},${lon}`);
    const none = 'Nothing in this release has that name. Try a part of it, or add the city.';
    return { text: lines.length === 0 ? none : lines.join('\n'), data: { places } };
  },
});
