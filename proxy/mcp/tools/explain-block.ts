import { z } from 'zod';
import { PLANS } from '../../../portal/plans.ts';
import { block, lat, lon, originOf, types } from '../inputs.ts';
import { mapLink } from '../map-link.ts';
import { resolveTypes, rowsOfTypes } from '../names.ts';
import { tool } from '../tool.ts';

const modes = z
  .array(z.enum(['walk', 'bike', 'transit']))
  .min(1)
  .max(3)
  .default(['walk']);

export const explainBlock = tool({
  name: 'explain_block',
  description:
    'Minutes from one census block, or the block of a point, to the nearest POI of each of some types. A token a row.',
  input: z.object({ block, lat, lon, types, modes }),
  async price({ types, modes }, calls) {
    const rows = modes.length * rowsOfTypes(await resolveTypes(calls, types));
    return Math.max(PLANS.charges.minimum, rows);
  },
  async run({ types, modes, ...where }, calls, site) {
    const origin = originOf(where);
    const wanted = await resolveTypes(calls, types);
    const query = { mode: modes, type: wanted.map(({ id }) => id) };
    const { client } = calls;
    const answer =
      'geoid' in origin
        ? await calls.data(client.getBlockSummary({ ...origin, ...query }))
        : await calls.data(client.getPointSummary({ ...origin, ...query }));
    const { destination_types: all } = await calls.data(client.getDestinationTypes());
    const names = new Map(all.map(({ dest_type_id, name }) => [dest_type_id, name]));
    const rows = answer.results.map(({ dest_type_id, mode, travel_time }) => ({
      type: names.get(dest_type_id)!,
      mode,
      minutes: travel_time,
    }));
    const { geoid, population } = answer.block;
    const unrouted = answer.unrouted ?? [];
    const reached = new Set(answer.results.map((row) => `${row.dest_type_id} ${row.mode}`));
    const beyond = all
      .filter(({ dest_type_id, parent_id, is_leaf }) => {
        const isWanted = wanted.some(({ id }) => id === dest_type_id || id === parent_id);
        return isWanted && is_leaf;
      })
      .flatMap(({ dest_type_id, name }) =>
        modes
          .filter((mode) => !reached.has(`${dest_type_id} ${mode}`))
          .filter((mode) => !unrouted.some((one) => one.mode === mode))
          .map((mode) => `${name} by ${mode}`),
      );
    const lines = [
      `Block ${geoid} (${population ?? 'unknown'} people), minutes to the nearest:`,
      ...rows.map(({ type, mode, minutes }) => `${type}: ${minutes} by ${mode}`),
      ...(beyond.length > 0 ? [`Not within 30 minutes: ${beyond.join(', ')}`] : []),
      ...unrouted.map(({ mode, reason }) => `Unknown by ${mode}: ${reason}`),
    ];
    return {
      text: lines.join('\n'),
      data: { block: geoid, population, results: rows, not_within_30: beyond, unrouted },
      links: mapLink(site, { b: geoid, m: modes[0], t: String(wanted[0].id) }),
    };
  },
});
