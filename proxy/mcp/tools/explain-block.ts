import { z } from 'zod';
import { byMode } from '../../../shards/modes.ts';
import { PLANS } from '../../plans.ts';
import { modes, origin, resolveOrigin, timing, types } from '../inputs.ts';
import { mapLink, mapOfType, STREETS_ZOOM } from '../map-link.ts';
import {
  population as populationText,
  tool,
  transitNotes,
  unrouted,
  unroutedTexts,
} from '../tool.ts';
import { rowCountOf } from '../type-catalogue.ts';

export const explainBlock = tool({
  name: 'explain_block',
  description: 'Minutes from a block to the nearest of each type; null: over 30. A token each.',
  isOnMap: true,
  input: z.object({ origin, types, modes, ...timing }),
  output: z.object({
    block: z.string(),
    population: z.int().nullable(),
    minutes: z.record(z.string(), z.record(z.string(), z.number().nullable())),
    unrouted,
  }),
  async price({ types, modes }, calls) {
    const rows = modes.length * rowCountOf((await calls.types()).resolve(types));
    return Math.max(PLANS.charges.minimum, rows);
  },
  async run({ origin: text, types: names, modes, ...times }, calls, site) {
    const { origin, named } = await resolveOrigin(calls, text);
    const catalogue = await calls.types();
    const types = catalogue.resolve(names);
    const query = { mode: modes, type: types.map(({ id }) => id), ...times };
    const { client } = calls;
    const {
      block,
      results,
      unrouted = [],
    } = 'geoid' in origin
      ? await calls.data(client.getBlockSummary({ ...origin, ...query }))
      : await calls.data(client.getPointSummary({ ...origin, ...query }));
    /** Minutes by mode and type. */
    const minutes: Record<string, Record<string, number | null>> = {};
    for (const mode of modes.filter((mode) => !unrouted.some((one) => one.mode === mode))) {
      const leaves = types.flatMap(({ leafIds }) => leafIds);
      minutes[mode] = Object.fromEntries(leaves.map((id) => [catalogue.nameOf(id), null]));
    }
    for (const { mode, dest_type_id, travel_time } of results) {
      minutes[mode][catalogue.nameOf(dest_type_id)] = travel_time;
    }
    const { geoid, population } = block;
    const lines = Object.entries(minutes).flatMap(([mode, byType]) => [
      `${byMode(mode)}:`,
      ...Object.entries(byType).map(([type, time]) => `${type} ${time ?? 'over 30'}`),
    ]);
    const head = `Block ${geoid}${named} (${populationText(population)}), minutes to the nearest`;
    return {
      text: [
        head,
        ...lines,
        ...unroutedTexts(unrouted),
        ...transitNotes(Object.keys(minutes), times),
      ].join('\n'),
      data: { block: geoid, population, minutes, unrouted: unroutedTexts(unrouted) },
      links: mapLink(
        site,
        mapOfType(catalogue, types[0], { b: geoid, m: modes[0] }),
        'lat' in origin ? { ...origin, zoom: STREETS_ZOOM } : undefined,
      ),
    };
  },
});
