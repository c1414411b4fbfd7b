import { z } from 'zod';
import { PLANS } from '../../../portal/plans.ts';
import { mode, nameOf, place, types, weight } from '../inputs.ts';
import { type NamedType, resolvePlace, resolveTypes, rowsOfTypes } from '../names.ts';
import { percent, sharesOf } from '../shares.ts';
import { requireBalance, tool } from '../tool.ts';

/** Maximum price of some cities: that of each area. */
function priceOf(cities: number, types: readonly NamedType[]): number {
  return cities * Math.max(PLANS.charges.area_minimum, rowsOfTypes(types));
}

export const comparePlaces = tool({
  name: 'compare_places',
  description:
    'Share of people in each of 2 to 5 cities who are within some minutes of each type, by one mode. 10 tokens or more a city.',
  input: z.object({
    places: z.array(place).min(2).max(5),
    types,
    mode,
    minutes: z.literal([5, 10, 15, 20, 25, 30]).default(15),
    weight,
  }),
  async price({ places, types }, calls) {
    const found = await resolveTypes(calls, types);
    return priceOf(places.length, found);
  },
  async run({ places, types, mode, minutes, weight }, calls) {
    const wanted = await resolveTypes(calls, types);
    const cities = [];
    for (const name of places) cities.push(await resolvePlace(calls, name));
    const { client } = calls;
    const { destination_types } = await calls.data(client.getDestinationTypes());
    const names = new Map(destination_types.map((one) => [one.dest_type_id, one.name]));
    await requireBalance(calls, priceOf(cities.length, wanted));
    const results: { place: string; rows: { type: string; total: number; within: number }[] }[] =
      [];
    for (const city of cities) {
      const query = { mode: [mode], type: wanted.map(({ id }) => id), weight: [weight] };
      const reply = await calls.data(client.getPlaceCoverage({ geoid: city.geoid, ...query }));
      results.push({
        place: nameOf(city),
        rows: reply.results.map((row) => {
          const { type, total, within } = sharesOf(row, names);
          return { type, total, within: within[minutes] };
        }),
      });
    }
    const lines = results[0].rows.map(({ type }, i) => {
      const shares = results.map(({ place, rows }) => {
        const { within, total } = rows[i];
        return `${place} ${percent(within, total)}`;
      });
      return `${type}: ${shares.join(', ')}`;
    });
    return {
      text: [`Share of ${weight} within ${minutes} minutes by ${mode}:`, ...lines].join('\n'),
      data: { mode, minutes, weight, results },
    };
  },
});
