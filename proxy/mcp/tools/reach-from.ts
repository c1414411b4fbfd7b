import { z } from 'zod';
import { MAX_POI_MINUTES } from '../../../shards/matrix/row-codec.ts';
import { byMode } from '../../../shards/modes.ts';
import { withCommas } from '../../../shards/number-words.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import { LIMITS } from '../../bounds.ts';
import { directionLabel } from '../../fields/opportunities.ts';
import { NeedsChoice } from '../advice.ts';
import { listOf, mode, origin, originOf, reachMinutes } from '../inputs.ts';
import { CITY_ZOOM, mapLink } from '../map-link.ts';
import { table, tool, transitNotes, unrouted, unroutedTexts } from '../tool.ts';

const minutes = listOf(reachMinutes, { most: 6, of: 'minutes', such: '[15, 30]' })
  .optional()
  .describe('Up to 30 for types');
/** Maximum number of counts per opportunity if no minutes are sent. */
const DEFAULT_COUNTS = 4;

export const reachFrom = tool({
  name: 'reach_from',
  description:
    'People, jobs (any weight) or POIs of a type within minutes from or to a block or point. A token each.',
  input: z.object({
    origin,
    mode,
    direction: directionLabel.json.default('from'),
    of: listOf(z.string().trim().min(1).max(LIMITS.nameLength), {
      most: 8,
      of: 'weights or types',
      such: '["jobs", "libraries"]',
    }).default([PEOPLE.weight]),
    minutes,
  }),
  output: z.object({
    block: z.string(),
    within: table,
    unrouted,
  }),
  price: async ({ of, minutes }) => of.length * (minutes?.length ?? DEFAULT_COUNTS),
  async run({ origin: text, mode, direction, of, minutes }, calls, site) {
    const origin = originOf(text);
    if (minutes?.some((one, i) => i > 0 && one <= minutes[i - 1])) {
      throw new NeedsChoice('minutes must ascend, such as [15, 30, 60].');
    }
    const { client } = calls;
    const { weights } = await calls.data(client.getWeights());
    const known = weights.map(({ weight }) => weight);
    const catalogue = await calls.types();
    /** Names for readers, keyed by the names that the API uses. */
    const names = new Map<string, string>();
    for (const name of of) {
      if (known.includes(name)) names.set(name, name);
      else {
        const type = catalogue.resolveOne(name.replace(/^type:/, ''), known);
        names.set(`type:${type.id}`, type.name);
      }
    }
    const hasTypes = [...names.keys()].some((name) => name.startsWith('type:'));
    if (hasTypes && minutes?.some((one) => one > MAX_POI_MINUTES)) {
      throw new NeedsChoice(
        `POIs are known up to ${MAX_POI_MINUTES} minutes: send minutes up to that, such as [15, 30].`,
      );
    }
    const query = {
      mode: [mode],
      direction,
      of: [...names.keys()],
      ...(minutes && { minutes }),
    };
    const {
      block,
      results,
      unrouted = [],
    } = 'geoid' in origin
      ? await calls.data(client.getBlockAccess({ ...origin, ...query }))
      : await calls.data(client.getPointAccess({ ...origin, ...query }));
    /** Counts by what is counted, and minutes. */
    const within: Record<string, Record<string, number>> = {};
    for (const { of, minutes, count } of results) {
      within[names.get(of)!] ??= {};
      within[names.get(of)!][minutes!] = count;
    }
    const { geoid } = block;
    const lines = Object.entries(within).map(([of, counts]) => {
      const parts = Object.entries(counts).map(([to, count]) => `${to} min ${withCommas(count)}`);
      return `${of}: ${parts.join(', ')}`;
    });
    const head = `Within reach ${direction} block ${geoid} ${byMode(mode)}`;
    return {
      text: [
        head,
        ...lines,
        ...unroutedTexts(unrouted),
        ...transitNotes(lines.length > 0 ? [mode] : []),
      ].join('\n'),
      data: { block: geoid, within, unrouted: unroutedTexts(unrouted) },
      links: mapLink(
        site,
        { state: { v: 'reach', o: geoid, m: mode, d: direction } },
        'lat' in origin ? { ...origin, zoom: CITY_ZOOM } : undefined,
      ),
    };
  },
});
