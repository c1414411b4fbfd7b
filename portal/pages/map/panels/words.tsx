import { isTransit } from '../../../../shards/modes.ts';
import type { Timing } from '../../../../shards/services.ts';
import { count } from '../../formats.ts';
import { MAX_COUNTIES } from '../blocks/coloured-blocks.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { byMode } from '../catalogue/mode-words.ts';
import { timingWords } from '../catalogue/windows.ts';
import { useMap } from '../state/map-context.ts';
import type { Direction, Origin } from '../state/map-state.ts';

/** Describes the times of trips by transit. */
export function transitWords({ windows }: Catalogue, timing: Timing): string {
  const chosen = timingWords(windows, timing);
  if (chosen === null) {
    return 'Transit: weekday, 8 to 9 a.m., door to door. One departure in ten is at least this fast: the time of riders who know the timetable.';
  }
  const { percentile } = timing;
  const ofRiders = percentile === 10 ? ': the time of riders who know the timetable' : '';
  return `Transit: ${chosen}, door to door. ${percentile}% of departures are at least this fast${ofRiders}.`;
}

/** Title of a reach: `Reachable within 30 minutes on foot`. */
export function reachTitle(mode: string, direction: Direction, minutes: number): string {
  const verb = direction === 'from' ? 'Reachable' : 'Who gets here';
  return `${verb} within ${minutes} minutes ${byMode(mode)}`;
}

/** Title of a catchment before there is one: `Who gets to a place within 30 minutes on foot`. */
export function catchmentTitle(mode: string, minutes: number): string {
  return `Who gets to a place within ${minutes} minutes ${byMode(mode)}`;
}

export function originText(origin: Origin): string {
  return typeof origin === 'string' ? origin : `${origin.lat},${origin.lon}`;
}

/** Name of an origin: `block 990010012003080`, or a point, or the POI there. */
export function originName(origin: Origin, poiName: string | null): string {
  if (poiName !== null) return poiName;
  return typeof origin === 'string' ? `block ${origin}` : `point ${origin.lat}, ${origin.lon}`;
}

/** Says why people, table and files are missing if facts of some blocks cannot be found. */
export function FarNote() {
  return (
    <p role="status">
      Some of these blocks are outside this release, or more than a degree away from the map: people
      cannot be counted, and there is no table or file. If the map is elsewhere, move it there.
    </p>
  );
}

/** Says by how much the noise of the census may have changed the counts of an area. */
export function MarginNote({
  margin,
}: {
  readonly margin: Readonly<Record<string, number | null>>;
}) {
  const most = Math.max(...Object.values(margin).map((one) => one ?? 0));
  return most > 0 ? (
    <p class="quiet">
      Margin of error: up to ±{count(most)} at 90% confidence, from the noise that the census adds
      to its counts.
    </p>
  ) : null;
}

/** Describes the times of transit trips, if any are shown. */
export function TransitNote({ modes }: { readonly modes: readonly string[] }) {
  const { catalogue, choice } = useMap();
  return modes.some(isTransit) ? (
    <p class="quiet">{transitWords(catalogue, choice.timing)}</p>
  ) : null;
}

/** Sentences on why people in view are not counted, or not yet, by the state of their blocks. */
export const UNCOUNTED = {
  loading: 'Counting people …',
  failed: 'People could not be counted: the API does not respond. Trying again …',
  'too-many': `Zoom in to count people: more than ${MAX_COUNTIES} counties are in view.`,
} as const;
