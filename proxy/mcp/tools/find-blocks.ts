import { z } from 'zod';
import { byMode } from '../../../shards/modes.ts';
import { tableLinks } from '../block-table.ts';
import { area, criteria, item, mode, origin, pointOf, resolveArea } from '../inputs.ts';
import { CITY_ZOOM, mapLink } from '../map-link.ts';
import { tool } from '../tool.ts';

const DIRECTIONS = ['to', 'from'] as const;

export const findBlocks = tool({
  name: 'find_blocks',
  description: 'Blocks of an area that meet all_of near up to 4 points. A token each.',
  isOnMap: true,
  input: z.object({
    area,
    all_of: criteria.min(1),
    near: z
      .array(
        item('a point', {
          point: origin.describe('lat,lon'),
          mode,
          max_minutes: z.int().min(1).max(60),
          direction: z.enum(DIRECTIONS).optional(),
        }),
      )
      .max(4)
      .optional(),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(2_000).optional(),
  }),
  output: z.object({
    area: z.string(),
    population: z.record(z.string(), z.int().nullable()),
    next_cursor: z.string().nullable(),
  }),
  price: async ({ limit }) => limit,
  async run({ area: text, all_of, near = [], limit, cursor }, calls, site) {
    const { area, name, middle } = await resolveArea(calls, text);
    const catalogue = await calls.types();
    const types = all_of.map(({ type }) => catalogue.resolveOne(type));
    const criteria = all_of.map((one, i) => ({ ...one, type: types[i].id }));
    const points = near.map(({ point, ...one }) => ({ ...pointOf(point), ...one }));
    const request = { area, all_of: criteria, ...(points.length > 0 && { near: points }) };
    const { results, next_cursor } = await calls.data(
      calls.client.matchBlocks({ ...request, limit, cursor }),
    );
    const population = Object.fromEntries(results.map((one) => [one.geoid, one.population]));
    const words = criteria.map(
      ({ type, mode, max_minutes, nth = 1 }) =>
        `${nth > 1 ? `${nth} ` : ''}${catalogue.nameOf(type)} within ${max_minutes} min ${byMode(mode)}`,
    );
    const lines = [
      `${name}, ${words.join(', ')}: ${results.length} blocks${next_cursor ? ', more by next_cursor' : ''}`,
      ...results.map(({ geoid, population }) => `${geoid} (${population ?? '?'} people)`),
    ];
    const [first] = results;
    // The map has leaf types only.
    const state = { m: criteria[0].mode, t: String(types[0].leafIds[0]) };
    const position = middle && { ...middle, zoom: CITY_ZOOM };
    return {
      text: lines.join('\n'),
      data: { area: name, population, next_cursor },
      links: [
        ...(first ? mapLink(site, { ...state, b: first.geoid }, position) : []),
        ...(next_cursor === null ? [] : tableLinks(request)),
      ],
    };
  },
});
