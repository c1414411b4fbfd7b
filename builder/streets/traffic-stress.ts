import { type Tags, valuesOf } from '../osm/tags.ts';
import { accessBy } from './access-tags.ts';
import type { Cycleways } from './cycleways.ts';

/** Level of traffic stress: 1 (children ride here) to 4 (only the fearless do). */
export type Stress = 1 | 2 | 3 | 4;

/** The stress of riding along a way and against it, next to its cars; 0 if its class is unknown. */
interface WayStress {
  readonly forward: Stress | 0;
  readonly backward: Stress | 0;
  /** Whether the stress itself is tagged, so that crossings do not raise it. */
  readonly isTagged: boolean;
}

/** Ways closed to cars unless a tag permits them. */
const CAR_FREE = new Set([
  'footway',
  'pedestrian',
  'steps',
  'corridor',
  'platform',
  'elevator',
  'bridleway',
  'path',
  'cycleway',
  'busway',
]);
const CALM = new Set(['residential', 'living_street']);
const TERTIARY_OR_SMALLER = new Set(['unclassified', 'tertiary', 'tertiary_link']);
const FEW_LANES = 3;
/** 25 mph, rounded as by mappers who tag 40 km/h. */
const SLOW_KMH = 25 * 1.61;
const KMH_PER_MPH = 1.609;
const KMH_PER_KNOT = 1.852;

/**
 * Returns the stress of a way by its tags alone, in the classes of Mekuria, Furth and Nixon (2012),
 * inferred from OpenStreetMap tags as in Conveyal R5. An `lts` tag takes precedence. Ways closed to
 * cars are calm; `service` has no class, so that alleys do not pass on stress. Streets larger than
 * tertiary have the highest stress in a direction without a cycle lane, however slow; so, as in R5,
 * do `road` and `track`. `buffered_lane` and `cycleway:both`, which R5 ignores, count as lanes.
 * `lanes` are those for bicycles.
 */
export function trafficStress(
  tags: Tags,
  highway: string,
  { lanes }: Cycleways,
  isDriven: boolean,
): WayStress {
  const tagged = Math.trunc(Number(tags.get('lts') ?? Number.NaN));
  if (isStress(tagged)) return { forward: tagged, backward: tagged, isTagged: true };
  const both = (stress: Stress | 0) => ({ forward: stress, backward: stress, isTagged: false });
  if (!isDriven) return both(1);
  if (highway === 'service') return both(0);
  if (CALM.has(highway)) return both(1);

  const carLanes = Number(tags.get('lanes') ?? Number.NaN);
  const speed = kilometresPerHour(tags.get('maxspeed'));
  const isSlow = speed !== undefined && speed <= SLOW_KMH && !(carLanes > FEW_LANES);
  if (!TERTIARY_OR_SMALLER.has(highway)) {
    const withLane = isSlow ? 2 : 3;
    return {
      forward: lanes.forward ? withLane : 4,
      backward: lanes.backward ? withLane : 4,
      isTagged: false,
    };
  }
  const withoutLane = isSlow || (speed === undefined && carLanes <= FEW_LANES) ? 2 : 3;
  return {
    forward: lanes.forward ? 2 : withoutLane,
    backward: lanes.backward ? 2 : withoutLane,
    isTagged: false,
  };
}

function isStress(value: number): value is Stress {
  return value >= 1 && value <= 4;
}

/** Whether a way is open to car traffic; access to a destination does not count. */
export function mayDrive(tags: Tags, highway: string): boolean {
  const access = accessBy(tags, ['motorcar', 'motor_vehicle', 'vehicle', 'access']);
  return access === undefined ? !CAR_FREE.has(highway) : access === 'yes';
}

/**
 * Parses a `maxspeed` value, which is in km/h unless it has a unit: the highest of several.
 * Undefined if one is not a speed.
 */
export function kilometresPerHour(text: string | undefined): number | undefined {
  const speeds = valuesOf(text ?? '').map((value) => {
    const match = /^(\d[\d.]*) ?(km\/h|kmh|kph|mph|knots)?$/i.exec(value);
    const unit = match?.[2]?.toLowerCase();
    const perUnit = unit === 'mph' ? KMH_PER_MPH : unit === 'knots' ? KMH_PER_KNOT : 1;
    return match ? Number.parseFloat(match[1]) * perUnit : Number.NaN;
  });
  const highest = Math.max(...speeds);
  return Number.isNaN(highest) ? undefined : highest;
}
