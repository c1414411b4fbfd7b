import { z } from 'zod';
import { byMode } from '../../../shards/modes.ts';
import { withCommas } from '../../../shards/number-words.ts';
import { PLANS } from '../../plans.ts';
import { NeedsChoice } from '../advice.ts';
import { area, criteria, mode, resolveArea, timing, types, weight } from '../inputs.ts';
import { share, table, tool, transitNotes } from '../tool.ts';
import { rowCountOf } from '../type-catalogue.ts';

export const measureCoverage = tool({
  name: 'measure_coverage',
  description:
    'People of an area within 5 to 30 minutes of each type; with all_of. From 10 tokens.',
  input: z.object({
    area,
    types: types.optional(),
    mode,
    weight,
    all_of: criteria.optional(),
    ...timing,
  }),
  output: z.object({
    area: z.string(),
    total: z.number(),
    within: table,
    margin: z.number().optional(),
    all_of: z.number().optional(),
    missing_only: z.array(z.number()).optional(),
    no_data: z.number().optional(),
  }),
  async price({ types = [], all_of = [] }, calls) {
    requireAny(types, all_of);
    const rows = types.length > 0 ? rowCountOf((await calls.types()).resolve(types)) : 1;
    const { area_minimum, basket } = PLANS.charges;
    return Math.max(area_minimum, rows + (all_of.length > 0 ? basket : 0));
  },
  async run({ area: text, types: names = [], mode, weight, all_of = [], ...times }, calls) {
    requireAny(names, all_of);
    const { area, name } = await resolveArea(calls, text);
    const catalogue = await calls.types();
    const types = catalogue.resolve(names);
    const criteria = all_of.map((one) => ({ ...one, type: catalogue.resolveOne(one.type).id }));
    // Without types, one row, the least that is charged beside a basket.
    const rowsOf =
      types.length > 0
        ? { mode: [mode], type: types.map(({ id }) => id) }
        : { mode: [all_of[0].mode], type: [catalogue.resolveOne(all_of[0].type).leafIds[0]] };
    const reply = await calls.data(
      calls.client.measureCoverage({
        area,
        weight: [weight],
        ...rowsOf,
        ...times,
        ...(criteria.length > 0 && { all_of: criteria }),
      }),
    );
    const { area: facts, results, basket } = reply;
    const [{ total }] = results;
    /** Sums by type and minutes. */
    const within: Record<string, Record<string, number>> = {};
    for (const { dest_type_id, within: sums, beyond, no_data } of results) {
      within[catalogue.nameOf(dest_type_id)] = { ...sums, beyond, no_data };
    }
    const lines = Object.entries(within).map(([type, sums]) => {
      const parts = Object.entries(sums)
        .filter(([to, sum]) => to !== 'no_data' || sum > 0)
        .map(([to, sum]) => `${to} ${share(sum, total)}`);
      return `${type}: ${parts.join(', ')}`;
    });
    lines.unshift(`within minutes ${byMode(rowsOf.mode[0])}`);
    if (basket) {
      const gains = criteria.map(
        ({ type }, i) => `${catalogue.nameOf(type)} ${share(basket.missing_only[i], total)}`,
      );
      const unknown = basket.no_data > 0 ? `, no data ${share(basket.no_data, total)}` : '';
      lines.push(`All of ${criteria.length} criteria: ${share(basket.with_all, total)}${unknown}`);
      lines.push(`Missing only: ${gains.join(', ')}`);
    }
    const margin = facts.margin[weight];
    if (margin) {
      lines.push(`Off by up to ${withCommas(margin)} in 90 of 100 cases: noise of the census`);
    }
    const modes = [...rowsOf.mode, ...criteria.map((one) => one.mode)];
    lines.push(...transitNotes(modes, times));
    return {
      text: [`${name}: ${withCommas(total)} ${weight}`, ...lines].join('\n'),
      data: {
        area: name,
        total,
        within,
        ...(margin && { margin }),
        ...(basket && {
          all_of: basket.with_all,
          missing_only: [...basket.missing_only],
          no_data: basket.no_data,
        }),
      },
    };
  },
});

function requireAny(...lists: readonly (readonly unknown[])[]): void {
  if (lists.some((list) => list.length > 0)) return;
  throw new NeedsChoice('Send types, all_of or both; list_types has the types.');
}
