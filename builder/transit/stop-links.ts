import type { Millis, TargetOrdinal } from '../../shards/units.ts';
import { MILLIS_PER_SECOND } from '../routing-parameters.ts';
import type { TargetLink } from '../streets/linked-targets.ts';
import type { Link } from '../streets/linker.ts';
import type { ModeNetwork } from '../streets/mode-network.ts';
import type { Transit } from './join-feeds.ts';

export interface LinkedEntrance {
  readonly link: Link;
  /** Time inside the station, to the platform and from it; infinite if there is no such way. */
  readonly timeIn: Millis;
  readonly timeOut: Millis;
  /** The part of `timeIn` and of `timeOut` that is assumed for levels. */
  readonly levels: Millis;
}

export interface StopLinks {
  /** The entrances of each stop that are near a street. */
  readonly entrances: readonly (readonly LinkedEntrance[])[];
  /** Links to stops as targets, including the time from an entrance to the platform. */
  readonly into: readonly TargetLink[];
  /** Number of stops with no street nearby, which cannot be used. */
  readonly unlinked: number;
}

/** Links stops to the network of a way to walk. `firstTarget`: the target number of stop 0. */
export function linkStops(
  transit: Transit,
  walk: ModeNetwork,
  firstTarget: TargetOrdinal,
): StopLinks {
  const entrances = transit.stops.map((stop) =>
    stop.entrances.flatMap(
      ({ lon, lat, secondsIn, secondsOut, secondsOfLevels }): LinkedEntrance[] => {
        const link = walk.linker.linkStop(lon, lat);
        if (typeof link === 'string') return [];
        const [timeIn, timeOut] = [secondsIn, secondsOut].map((s) =>
          Math.round(s * MILLIS_PER_SECOND),
        );
        return [{ link, timeIn, timeOut, levels: secondsOfLevels * MILLIS_PER_SECOND }];
      },
    ),
  );
  const into = entrances.flatMap((ofStop, stop) =>
    ofStop
      .filter(({ timeIn }) => Number.isFinite(timeIn))
      .map(({ link, timeIn }) => ({ target: firstTarget + stop, link: longer(link, timeIn) })),
  );
  return { entrances, into, unlinked: entrances.filter((ofStop) => ofStop.length === 0).length };
}

/** Returns a link with additional time off the street. */
export function longer(link: Link, time: Millis): Link {
  return { ...link, offStreet: link.offStreet + time };
}
