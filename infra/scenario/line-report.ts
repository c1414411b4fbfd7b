import { withCommas } from '../../shards/number-words.ts';
import type { Seconds } from '../../shards/units.ts';
import { endOf, type FeedDraft, isTimed, startOf, type Trip } from './feed-draft.ts';

/** The trips of a service on a day, and their time from first to last stop. */
interface Service {
  readonly trips: number;
  readonly seconds: Seconds;
}

/** Sums up trips by route and service, with repetitions by headway. */
export function servicesOf(draft: FeedDraft, trips: Iterable<Trip>): Map<string, Service> {
  const services = new Map<string, Service>();
  for (const trip of trips) {
    if (!isTimed(trip)) continue;
    const key = `${trip.route}\0${trip.service}`;
    const { trips, seconds } = services.get(key) ?? { trips: 0, seconds: 0 };
    const runs = draft.departuresOf(trip).length;
    services.set(key, {
      trips: trips + runs,
      seconds: seconds + runs * (endOf(trip) - startOf(trip)),
    });
  }
  return services;
}

/** Says what each service of some routes runs before and after a change, where that differs. */
export function differences(
  before: ReadonlyMap<string, Service>,
  after: ReadonlyMap<string, Service>,
): string[] {
  const none = { trips: 0, seconds: 0 };
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [was, is] = [before.get(key) ?? none, after.get(key) ?? none];
    if (was.trips === is.trips && was.seconds === is.seconds) return [];
    const [route, service] = key.split('\0');
    return [
      `route ${route}, service ${service}: ${withCommas(was.trips)} → ${withCommas(is.trips)} trips, ${hours(was)} → ${hours(is)} vehicle hours`,
    ];
  });
}

function hours({ seconds }: Service): string {
  return (seconds / 3600).toFixed(1);
}
