import { z } from 'zod';
import { block, lat, lon, mode, originOf } from '../inputs.ts';
import { mapLink } from '../map-link.ts';
import { resolveTypes } from '../names.ts';
import { NeedsChoice, tool } from '../tool.ts';

const minutes = z
  .array(z.int().min(1).max(60))
  .min(1)
  .max(6)
  .default([15, 30, 45, 60])
  .describe('Ascending; up to 30 for types');

export const reachFrom = tool({
  name: 'reach_from',
  description:
    'How many people, jobs (weights of list_types) or POIs of a type are within some minutes of a block or point, or can reach it. A token a row.',
  input: z.object({
    block,
    lat,
    lon,
    mode,
    direction: z.enum(['from', 'to']).default('from'),
    of: z.array(z.string().trim().min(1).max(100)).min(1).max(8).default(['people']),
    minutes,
  }),
  price: async ({ of, minutes }) => of.length * minutes.length,
  async run({ mode, direction, of, minutes, ...where }, calls, site) {
    const origin = originOf(where);
    if (minutes.some((one, i) => i > 0 && one <= minutes[i - 1])) {
      throw new NeedsChoice('minutes must ascend, such as [15, 30, 60].', []);
    }
    const { client } = calls;
    const { weights } = await calls.data(client.getWeights());
    const isWeight = (name: string) => weights.some(({ weight }) => weight === name);
    const named = new Map<string, string>();
    for (const name of of) {
      if (isWeight(name)) named.set(name, name);
      else {
        const [type] = await resolveTypes(calls, [name.replace(/^type:/, '')]);
        named.set(`type:${type.id}`, type.name);
      }
    }
    const query = { mode: [mode], direction, of: [...named.keys()], minutes };
    const answer =
      'geoid' in origin
        ? await calls.data(client.getBlockAccess({ ...origin, ...query }))
        : await calls.data(client.getPointAccess({ ...origin, ...query }));
    const rows = answer.results.map(({ of, minutes, count }) => ({
      of: named.get(of) ?? of,
      minutes: minutes ?? null,
      count,
    }));
    const { geoid } = answer.block;
    const whither = direction === 'from' ? 'from' : 'to';
    const lines = [
      `Within reach ${whither} block ${geoid} by ${mode}:`,
      ...rows.map(({ of, minutes, count }) => `${count} ${of} within ${minutes} min`),
      ...(answer.unrouted ?? []).map((one) => `Unknown by ${one.mode}: ${one.reason}`),
    ];
    return {
      text: lines.join('\n'),
      data: { block: geoid, mode, direction, results: rows },
      links: mapLink(site, { v: 'reach', o: geoid, m: mode, d: direction }),
    };
  },
});
