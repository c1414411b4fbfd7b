import type { Timing } from '../../../../shards/services.ts';
import type { CategoryTime, Client, DataOf, Mode, PoiTime } from '../../../client/src/index.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { serviceOf, timingOf } from '../catalogue/windows.ts';
import { type PaidRequest, type Pay, paidCall } from '../paid/paid-request.ts';
import type { Choice } from '../state/choice.ts';

/** Minutes from a block to the nearest of some types, and the nearest POIs by one mode. */
export interface Profile {
  readonly rows: readonly CategoryTime[];
  readonly unrouted: NonNullable<DataOf<'getBlockSummary'>['unrouted']>;
  /** The nearest POI of each type, without those whose name could not be loaded. */
  readonly nearest: ReadonlyMap<number, PoiTime>;
}

/** Id of the marker of a POI. */
export function markerId(poi: Pick<PoiTime, 'dest_id'> | undefined): string | undefined {
  return poi && `poi-${poi.dest_id}`;
}

/**
 * Requests a row for each type and mode, and one for the name of the nearest POI of each type, by
 * the first mode that has one. Chosen types are requested separately, so that choosing others does
 * not pay for the everyday types again.
 */
export function profileRequest(
  geoid: string,
  { modes, everyday }: Pick<Catalogue, 'modes' | 'everyday'>,
  { type, timing }: Pick<Choice, 'type' | 'timing'>,
): PaidRequest<Profile> {
  const times = timingOf(modes, timing);
  const others = type.leaves.filter((leaf) => !everyday.includes(leaf));
  const parts = others.length === 0 ? [everyday] : [everyday, others];
  const types = parts.flat();
  return {
    name: `profile ${geoid} ${types} ${serviceOf('transit', timing)}`,
    price: types.length * (modes.length + 1),
    async run(client, pay, signal) {
      const summaries = await Promise.all(
        parts.map((part) =>
          pay(client.getBlockSummary({ geoid, mode: modes, ...times, type: part }, { signal })),
        ),
      );
      const rows = summaries.flatMap(({ results }) => results);
      const nearestRows = types
        .map((one) => rowOf(rows, one, modes))
        .filter((row) => row !== undefined);
      const named = await Promise.allSettled(
        nearestRows.map((row) => nearestPoi(client, pay, { geoid, ...times }, row, signal)),
      );
      signal.throwIfAborted();
      const nearest = new Map<number, PoiTime>();
      named.forEach((result, i) => {
        if (result.status !== 'fulfilled' || result.value === undefined) return;
        nearest.set(nearestRows[i].dest_type_id, result.value);
      });
      return { rows, unrouted: summaries[0].unrouted ?? [], nearest };
    },
  };
}

/** Requests rows of further types by one mode, without names. */
export function summaryRequest(
  geoid: string,
  { mode, times }: Pick<Choice, 'mode' | 'times'>,
  types: readonly number[],
): PaidRequest<DataOf<'getBlockSummary'>> {
  const query = { geoid, mode: [mode], ...times, type: types };
  return paidCall('getBlockSummary', query, types.length);
}

function rowOf(rows: readonly CategoryTime[], type: number, modes: readonly Mode[]) {
  const ofType = rows.filter((row) => row.dest_type_id === type);
  return modes
    .map((mode) => ofType.find((row) => row.mode === mode))
    .find((row) => row !== undefined);
}

/**
 * Requests the POI behind a row: the only one of its type within the row's minutes, or one of
 * several at equal minutes.
 */
async function nearestPoi(
  client: Client,
  pay: Pay,
  from: { readonly geoid: string } & Partial<Timing>,
  { dest_type_id, mode, travel_time }: CategoryTime,
  signal: AbortSignal,
): Promise<PoiTime | undefined> {
  const query = {
    ...from,
    mode: [mode],
    type: [dest_type_id],
    max_minutes: travel_time,
    limit: 1,
  };
  return (await pay(client.listBlockPois(query, { signal }))).results[0];
}
