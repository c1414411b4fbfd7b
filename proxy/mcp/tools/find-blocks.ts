import { z } from 'zod';
import { area, criteria, lat, lon, mode, resolveArea } from '../inputs.ts';
import { mapLink } from '../map-link.ts';
import { resolveTypes } from '../names.ts';
import { tool } from '../tool.ts';

export const findBlocks = tool({
  name: 'find_blocks',
  description:
    'Census blocks of an area that meet all criteria, and are near up to 4 points (work, school). A token a block.',
  input: z.object({
    ...area,
    all_of: criteria.min(1),
    near: z
      .array(
        z.object({
          lat: lat.unwrap(),
          lon: lon.unwrap(),
          mode,
          max_minutes: z.int().min(1).max(60),
        }),
      )
      .max(4)
      .optional(),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(2_000).optional(),
  }),
  price: async ({ limit }) => limit,
  async run({ all_of, near, limit, cursor, ...where }, calls, site) {
    const { area, name } = await resolveArea(calls, where);
    const wanted = await resolveTypes(
      calls,
      all_of.map(({ type }) => type),
    );
    const criteria = all_of.map((one, i) => ({ ...one, type: wanted[i].id }));
    const { results, next_cursor } = await calls.data(
      calls.client.matchBlocks({ area, all_of: criteria, limit, cursor, ...(near && { near }) }),
    );
    const words = criteria.map(
      ({ mode, max_minutes }, i) => `${wanted[i].name} within ${max_minutes} min by ${mode}`,
    );
    const lines = [
      `${name}, ${words.join(', ')}: ${results.length} blocks${next_cursor ? ', more by next_cursor' : ''}`,
      ...results.map(({ geoid, population }) => `${geoid} (${population ?? '?'} people)`),
    ];
    const [first] = results;
    const state = { m: criteria[0].mode, t: String(criteria[0].type) };
    return {
      text: lines.join('\n'),
      data: { area: name, results, next_cursor },
      links: first ? mapLink(site, { ...state, b: first.geoid }) : [],
    };
  },
});
