import { z } from 'zod';
import { placeOption } from '../names.ts';
import { tool } from '../tool.ts';

export const findPlace = tool({
  name: 'find_place',
  description: 'Census places by name, with GEOID and coordinates. Free.',
  input: z.object({
    query: z.string().trim().min(1).max(100),
    limit: z.int().min(1).max(20).default(5),
  }),
  async run({ query, limit }, calls) {
    const { places } = await calls.data(calls.client.findPlaces({ q: query, limit }));
    const lines = places.map((place) => `${placeOption(place)} at ${place.lat}, ${place.lon}`);
    const none = 'No census place of this release has that name. Try a part of it.';
    return { text: lines.length === 0 ? none : lines.join('\n'), data: { places } };
  },
});
