import { z } from 'zod';
import { tool } from '../tool.ts';

const MAX_PLACES = 10;

const place = z.object({ geoid: z.string(), name: z.string(), lat: z.number(), lon: z.number() });

export const findPlace = tool({
  name: 'find_place',
  description: 'GEOID and coordinates of cities. Free.',
  input: z.object({ query: z.string().trim().min(1).max(100) }),
  output: z.object({ places: z.array(place) }),
  async run({ query }, calls) {
    const found = await calls.data(calls.client.findPlaces({ q: query, limit: MAX_PLACES }));
    const places = found.places.map(({ geoid, name, state, lat, lon }) => {
      return { geoid, name: `${name}, ${state}`, lat, lon };
    });
    const lines = places.map(({ geoid, name, lat, lon }) => `${name} (${geoid}) at ${lat},${lon}`);
    const none = 'No census place of this release has that name. Try a part of it.';
    return { text: lines.length === 0 ? none : lines.join('\n'), data: { places } };
  },
});
