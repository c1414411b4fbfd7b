import { z } from 'zod';
import { byMode } from '../../../shards/modes.ts';
import { counted } from '../../../shards/number-words.ts';
import { LIMITS } from '../../bounds.ts';
import { objectOf } from '../../fields/compounds.ts';
import { integer } from '../../fields/kinds.ts';
import { directionLabel } from '../../fields/opportunities.ts';
import { tableLinks } from '../block-table.ts';
import {
  area,
  criteria,
  listOf,
  mode,
  origin,
  pointOf,
  reachMinutes,
  resolveArea,
  timing,
} from '../inputs.ts';
import { CITY_ZOOM, mapLink, mapOfType } from '../map-link.ts';
import { population as populationText, tool, transitNotes } from '../tool.ts';

export const findBlocks = tool({
  name: 'find_blocks',
  description: `Blocks of an area that meet all_of and are near up to ${LIMITS.nearPoints} points. A token each.`,
  isOnMap: true,
  input: z.object({
    area,
    all_of: criteria.min(1),
    near: listOf(
      objectOf('a point', {
        point: origin.describe('lat,lon'),
        mode,
        max_minutes: reachMinutes,
        direction: directionLabel.json.optional(),
      }),
      {
        least: 0,
        most: LIMITS.nearPoints,
        of: 'points',
        such: '[{"point": "39.29,-76.61", "max_minutes": 15}]',
      },
    ).optional(),
    ...timing,
    limit: integer({ min: 1, max: 100 }).json.default(20),
    cursor: z.string().max(2_000).optional(),
  }),
  output: z.object({
    area: z.string(),
    population: z.record(z.string(), z.int().nullable()),
    next_cursor: z.string().nullable(),
  }),
  price: async ({ limit }) => limit,
  async run({ area: text, all_of, near = [], limit, cursor, ...times }, calls, site) {
    const { area, name, middle } = await resolveArea(calls, text);
    const catalogue = await calls.types();
    const types = all_of.map(({ type }) => catalogue.resolveOne(type));
    const criteria = all_of.map((one, i) => ({ ...one, type: types[i].id }));
    const points = near.map(({ point, ...one }) => ({ ...pointOf(point), ...one }));
    const request = {
      area,
      all_of: criteria,
      ...(points.length > 0 && { near: points }),
      ...times,
    };
    const { results, next_cursor } = await calls.data(
      calls.client.matchBlocks({ ...request, limit, cursor }),
    );
    const population = Object.fromEntries(results.map((one) => [one.geoid, one.population]));
    const words = [
      ...criteria.map(
        ({ type, nth = 1, ...limit }) =>
          `${nth > 1 ? `${nth} ` : ''}${catalogue.nameOf(type)} ${withinText(limit)}`,
      ),
      ...points.map(
        ({ lat, lon, direction = 'to', ...limit }) =>
          `${withinText(limit)} ${direction} ${lat},${lon}`,
      ),
    ];
    const page = cursor ? (next_cursor ? 'next ' : 'last ') : next_cursor ? 'first ' : '';
    const modes = [...criteria, ...points].map(({ mode }) => mode);
    const lines = [
      `${name}, ${words.join(', ')}: ${page}${counted(results.length, 'block')}`,
      ...results.map(({ geoid, population }) => `${geoid} (${populationText(population)})`),
      ...(next_cursor === null ? [] : [`More by cursor: ${next_cursor}`]),
      ...transitNotes(modes, times),
    ];
    if (results.length === 0 && area.center) {
      lines.push(
        'None meets all, or no block of this release has its centre there; use measure_coverage to find out.',
      );
    }
    const [first] = results;
    const map = first && mapOfType(catalogue, types[0], { m: criteria[0].mode, b: first.geoid });
    const position = middle && { ...middle, zoom: CITY_ZOOM };
    return {
      text: lines.join('\n'),
      data: { area: name, population, next_cursor },
      links: [
        ...(map ? mapLink(site, map, position) : []),
        ...(next_cursor === null ? [] : tableLinks(request)),
      ],
    };
  },
});

/** `within 10 min on foot` */
function withinText({ mode, max_minutes }: { mode: string; max_minutes: number }): string {
  return `within ${max_minutes} min ${byMode(mode)}`;
}
