import { z } from 'zod';
import { COUNTY_FIPS } from '../../../shards/geoid.ts';
import { MAX_POI_MINUTES } from '../../../shards/matrix/row-codec.ts';
import { byMode } from '../../../shards/modes.ts';
import { withCommas } from '../../../shards/number-words.ts';
import { PEOPLE } from '../../../shards/weights/weight.ts';
import { LIMITS } from '../../bounds.ts';
import { directionLabel } from '../../fields/opportunities.ts';
import { NeedsChoice } from '../advice.ts';
import { listOf, mode, reachMinutes, reachOrigin, resolveReach, timing } from '../inputs.ts';
import { CITY_ZOOM, mapLink } from '../map-link.ts';
import { table, tool, transitNotes, unrouted, unroutedTexts } from '../tool.ts';

const minutes = listOf(reachMinutes, { most: 6, of: 'minutes', such: '[15, 30]' })
  .optional()
  .describe('Up to 30 for types');
interface ReachRow {
  readonly of: string;
  readonly minutes?: number | undefined;
  readonly count: number | null;
}

/** Maximum number of counts per opportunity if no minutes are sent. */
const DEFAULT_COUNTS = 4;

export const reachFrom = tool({
  name: 'reach_from',
  description:
    'People, jobs (any weight), POIs within minutes of a place; of a city, average. A token each.',
  input: z.object({
    origin: reachOrigin,
    mode,
    direction: directionLabel.json.default('from'),
    of: listOf(z.string().trim().min(1).max(LIMITS.nameLength), {
      most: 8,
      of: 'weights or types',
      such: '["jobs", "libraries"]',
    }).default([PEOPLE.weight]),
    minutes,
    ...timing,
  }),
  output: z.object({
    origin: z.string(),
    within: table,
    unrouted,
  }),
  price: async ({ of, minutes }) => of.length * (minutes?.length ?? DEFAULT_COUNTS),
  async run({ origin: text, mode, direction, of, minutes, ...times }, calls, site) {
    const asked = await resolveReach(calls, text);
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
      ...times,
      ...(minutes && { minutes }),
    };
    /** Counts by what is counted, and minutes, with their text after `where`. */
    const counted = (where: string, rows: readonly ReachRow[], missing: readonly string[]) => {
      const within: Record<string, Record<string, number>> = {};
      for (const { of, minutes, count } of rows) {
        if (count === null) continue;
        within[names.get(of)!] ??= {};
        within[names.get(of)!][minutes!] = count;
      }
      const lines = Object.entries(within).map(([of, counts]) => {
        const parts = Object.entries(counts).map(([to, count]) => `${to} min ${withCommas(count)}`);
        return `${of}: ${parts.join(', ')}`;
      });
      const head = `Within reach ${direction} ${where} ${byMode(mode)}`;
      const notes = transitNotes(lines.length > 0 ? [mode] : [], times);
      return { text: [head, ...lines, ...missing, ...notes].join('\n'), within };
    };
    if ('averaged' in asked) {
      const { averaged, named } = asked;
      const shown = { include_missing: true, ...query };
      const { results } = COUNTY_FIPS.test(averaged)
        ? await calls.data(client.getCountyAccess({ fips: averaged, by: 'county', ...shown }))
        : await calls.data(client.getPlaceAccess({ geoid: averaged, by: 'place', ...shown }));
      const own = results.filter(({ geoid }) => geoid === averaged);
      const { total = 0, no_data = 0 } = own[0] ?? {};
      const leftOut =
        no_data > 0
          ? [
              `${withCommas(no_data)} of ${withCommas(total)} people are left out: no data ${byMode(mode)}.`,
            ]
          : [];
      const { text, within } = counted(`a resident of ${named}, on average,`, own, leftOut);
      return { text, data: { origin: averaged, within, unrouted: [] } };
    }
    const { origin, named } = asked;
    const {
      block: { geoid },
      results,
      unrouted = [],
    } = 'geoid' in origin
      ? await calls.data(client.getBlockAccess({ ...origin, ...query }))
      : await calls.data(client.getPointAccess({ ...origin, ...query }));
    const missing = unroutedTexts(unrouted);
    const { text: answer, within } = counted(`block ${geoid}${named}`, results, missing);
    return {
      text: answer,
      data: { origin: geoid, within, unrouted: missing },
      links: mapLink(
        site,
        { state: { v: 'reach', o: geoid, m: mode, d: direction } },
        'lat' in origin ? { ...origin, zoom: CITY_ZOOM } : undefined,
      ),
    };
  },
});
