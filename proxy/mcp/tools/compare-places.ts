import { z } from 'zod';
import { byMode } from '../../../shards/modes.ts';
import { PLANS } from '../../plans.ts';
import { NeedsChoice } from '../advice.ts';
import { listOf, mode, place, resolveCity, timing, types, weight } from '../inputs.ts';
import { share, table, tool, transitNotes } from '../tool.ts';
import { type NamedType, rowCountOf } from '../type-catalogue.ts';

/** Whether a basket adds to the rows of leaf types, as it does if there is more than one row. */
function needsBasket(types: readonly NamedType[]): boolean {
  return rowCountOf(types) > 1;
}

/** Maximum price of comparing cities: for each, one row per leaf type, and the basket if needed. */
function priceOf(cities: number, types: readonly NamedType[]): number {
  const { area_minimum, basket } = PLANS.charges;
  return cities * Math.max(area_minimum, rowCountOf(types) + (needsBasket(types) ? basket : 0));
}

export const comparePlaces = tool({
  name: 'compare_places',
  description:
    'People of 2 to 5 cities within minutes of each type, and of all. From 10 tokens a city.',
  input: z.object({
    places: listOf(place, {
      least: 2,
      most: 5,
      of: 'cities',
      such: '["Baltimore, MD", "2404000"]',
    }),
    types,
    mode,
    minutes: z.literal([5, 10, 15, 20, 25, 30]).default(15),
    weight,
    ...timing,
  }),
  output: z.object({ total: z.record(z.string(), z.number()), within: table }),
  async price({ places, types }, calls) {
    return priceOf(places.length, (await calls.types()).resolve(types));
  },
  async run({ places, types: names, mode, minutes, weight, ...times }, calls) {
    const catalogue = await calls.types();
    const types = catalogue.resolve(names);
    /** Names by GEOID. */
    const cities = new Map<string, string>();
    for (const text of places) {
      const { geoid, name } = await resolveCity(calls, text);
      cities.set(geoid, name);
    }
    if (cities.size < 2) throw new NeedsChoice('Name two different cities.');
    await calls.requireBalance(priceOf(cities.size, types));
    const criteria = types.map(({ id }) => ({ type: id, mode, max_minutes: minutes }));
    const total: Record<string, number> = {};
    /** Sums by type and city. */
    const within: Record<string, Record<string, number>> = {};
    const add = (type: string, city: string, sum: number) => {
      within[type] ??= {};
      within[type][city] = sum;
    };
    for (const [geoid, city] of cities) {
      const { results, basket } = await calls.data(
        calls.client.measureCoverage({
          area: { places: [geoid] },
          mode: [mode],
          type: types.map(({ id }) => id),
          weight: [weight],
          ...times,
          ...(needsBasket(types) && { all_of: criteria }),
        }),
      );
      total[city] = results[0].total;
      for (const row of results) {
        const sums = row.within as Readonly<Record<string, number>>;
        add(catalogue.nameOf(row.dest_type_id), city, sums[minutes]);
      }
      if (basket) add(basketName(types), city, basket.with_all);
    }
    const lines = Object.entries(within).map(([type, sums]) => {
      const shares = Object.entries(sums).map(
        ([city, sum]) => `${city} ${share(sum, total[city])}`,
      );
      return `${type}: ${shares.join(', ')}`;
    });
    return {
      text: [
        `${weight} within ${minutes} minutes ${byMode(mode)}`,
        ...lines,
        ...transitNotes([mode], times),
      ].join('\n'),
      data: { total, within },
    };
  },
});

/**
 * Names the basket: `Any of: Parks` for one type, whose leaf types have rows of their own, or
 * `All of: Parks, Libraries`.
 */
function basketName(types: readonly NamedType[]): string {
  const names = types.map(({ name }) => name).join(', ');
  return types.length === 1 ? `Any of: ${names}` : `All of: ${names}`;
}
