import { z } from 'zod';
import { PLANS } from '../../../portal/plans.ts';
import { area, criteria, mode, resolveArea, types, weight } from '../inputs.ts';
import { resolveTypes, rowsOfTypes } from '../names.ts';
import { percent, sharesOf, sharesText } from '../shares.ts';
import { NeedsChoice, tool } from '../tool.ts';

export const measureCoverage = tool({
  name: 'measure_coverage',
  description:
    'How many people (or jobs, …) of a city, county or circle are within 5 to 30 minutes of each type; and how many have all of `all_of`. At least 10 tokens.',
  input: z.object({
    ...area,
    types: types.optional(),
    mode,
    weight,
    all_of: criteria.optional(),
  }),
  async price({ types = [], all_of = [] }, calls) {
    requireAny(types, all_of);
    const rows = rowsOfTypes(await resolveTypes(calls, types));
    const { area_minimum, basket } = PLANS.charges;
    return Math.max(area_minimum, rows + (all_of.length > 0 ? basket : 0));
  },
  async run({ types = [], mode, weight, all_of = [], ...where }, calls) {
    requireAny(types, all_of);
    const { area, name } = await resolveArea(calls, where);
    const wanted = await resolveTypes(calls, types);
    const basketTypes = await resolveTypes(
      calls,
      all_of.map(({ type }) => type),
    );
    const { client } = calls;
    const { destination_types } = await calls.data(client.getDestinationTypes());
    const names = new Map(destination_types.map((one) => [one.dest_type_id, one.name]));
    const reply = await calls.data(
      client.measureCoverage({
        area,
        mode: [mode],
        ...(wanted.length > 0 && { type: wanted.map(({ id }) => id) }),
        weight: [weight],
        ...(all_of.length > 0 && {
          all_of: all_of.map((one, i) => ({ ...one, type: basketTypes[i].id })),
        }),
      }),
    );
    const rows = reply.results.map((row) => sharesOf(row, names));
    const lines = [
      `${name}: ${(rows[0] ?? reply.basket).total} ${weight}`,
      ...rows.map(sharesText),
    ];
    const { basket } = reply;
    if (basket) {
      const { with_all, total, missing_only } = basket;
      const gains = basket.all_of.map(
        (one, i) => `${names.get(one.type)} ${percent(missing_only[i], total)}`,
      );
      lines.push(`All ${all_of.length} criteria: ${with_all} (${percent(with_all, total)})`);
      lines.push(`Missing only one: ${gains.join(', ')}`);
    }
    return { text: lines.join('\n'), data: { area: name, weight, results: rows, basket } };
  },
});

function requireAny(...lists: readonly (readonly unknown[])[]): void {
  if (lists.some((list) => list.length > 0)) return;
  throw new NeedsChoice('Send types, all_of or both; list_types has the types.', []);
}
