import { type Tags, valuesOf } from '../osm/tags.ts';

/** Values of `wheelchair` that open stairs and curbs, where a ramp or a lift is beside them. */
const OPEN = new Set(['yes', 'designated']);
/**
 * Curbs with an edge of more than about 3 cm. Those without a known height count as such, since
 * curbs that are mapped at all are mapped for their height.
 */
const RAISED = new Set(['raised', 'yes', 'regular']);
/** Barriers that have steps, or are too narrow for a wheelchair. */
const STEPPED_BARRIERS = new Set([
  'stile',
  'horse_stile',
  'turnstile',
  'full-height_turnstile',
  'kissing_gate',
]);
/** Values of `operational_status` of an elevator that does not run. */
const OUT_OF_SERVICE = new Set([
  'out_of_order',
  'out_of_service',
  'broken',
  'closed',
  'nonoperational',
  'non-operational',
]);

/**
 * Whether the tags of a way close it to travellers who take no steps: stairs and escalators,
 * elevators out of service, crossings with a raised curb, and `wheelchair=no`. Stairs with a ramp
 * for wheelchairs are open. All else is passed, tagged or not.
 */
export function hasStepsAlong(tags: Tags): boolean {
  const known = knownAccess(tags);
  if (known !== undefined) return !known;
  const highway = tags.get('highway');
  if (highway === 'steps') return !OPEN.has(tags.get('ramp:wheelchair') ?? '');
  if (highway === 'elevator') return isOutOfService(tags);
  return tags.get('footway') === 'crossing' && RAISED.has(tags.get('kerb') ?? '');
}

/**
 * Whether the tags of a node close the ways for pedestrians through it to travellers who take no
 * steps: raised curbs, elevators out of service, stiles and turnstiles, and barriers, crossings,
 * elevators, entrances and doors with `wheelchair=no`. All else is passed, tagged or not.
 */
export function hasStepAt(tags: Tags): boolean {
  const kinds = [...valuesOf(tags.get('barrier') ?? ''), ...valuesOf(tags.get('highway') ?? '')];
  const kerb = tags.get('kerb') ?? (kinds.includes('kerb') ? 'yes' : undefined);
  const isElevator = kinds.includes('elevator');
  const isOnTheWay =
    kerb !== undefined ||
    isElevator ||
    kinds.includes('crossing') ||
    ['barrier', 'entrance', 'door'].some((key) => tags.has(key));
  if (!isOnTheWay) return false;
  const known = knownAccess(tags);
  if (known !== undefined) return !known;
  return (
    RAISED.has(kerb ?? '') ||
    (isElevator && isOutOfService(tags)) ||
    kinds.some((kind) => STEPPED_BARRIERS.has(kind))
  );
}

/** Whether `wheelchair` opens or closes; undefined without it, and for `limited`. */
function knownAccess(tags: Tags): boolean | undefined {
  const wheelchair = tags.get('wheelchair');
  if (wheelchair === 'no') return false;
  return OPEN.has(wheelchair ?? '') || undefined;
}

function isOutOfService(tags: Tags): boolean {
  return (
    OUT_OF_SERVICE.has(tags.get('operational_status') ?? '') ||
    ['disused', 'abandoned'].some((key) => tags.get(key) === 'yes')
  );
}
