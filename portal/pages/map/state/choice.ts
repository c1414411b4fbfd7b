import {
  ACCESS_MINUTES,
  countedType,
  minutesCounted,
} from '../../../../shards/access/access-columns.ts';
import { BASE_TIMING, type Timing } from '../../../../shards/services.ts';
import type { Mode } from '../../../client/src/index.ts';
import type { Catalogue, MapType } from '../catalogue/catalogue.ts';
import { modeName } from '../catalogue/mode-words.ts';
import type { Weight } from '../catalogue/weights.ts';
import { serviceOf, timingOf, timingWords } from '../catalogue/windows.ts';
import type { Criterion } from '../measures/basket.ts';
import { type Direction, type MapState, minutesOf } from './map-state.ts';

/** Mode and type of the first map: walks to grocery stores. */
const FIRST_MODE = 'walk';
const FIRST_TYPE = 101;

/** Parts of a release that a state chooses. */
export interface Choice {
  readonly mode: Mode;
  /** The window and the percentile of times by transit. */
  readonly timing: Timing;
  /** The members by which a request by the mode names its times (`timingOf`). */
  readonly times: Partial<Timing>;
  /** Minutes within which a view shows blocks; that of access counts within minutes of its own. */
  readonly minutes: number;
  /** The times of the mode; of transit, those of the window and percentile. */
  readonly service: string;
  readonly type: MapType;
  /** The type whose POIs are the sites; null for sites of one's own. */
  readonly sitesType: MapType | null;
  /** The noun of what is counted near sites. */
  readonly sitesUnit: string;
  readonly otherMode: Mode;
  readonly otherTiming: Timing;
  readonly otherTimes: Partial<Timing>;
  /** The weight that is counted within a reach; null if the release has people only. */
  readonly weight: Weight | null;
  /** The count within reach of every block; null if the release has none. */
  readonly access: Access | null;
  readonly basket: readonly Criterion[];
  /** Sentences on what the state has and the release lacks: the state may be of another release. */
  readonly faults: readonly string[];
}

/** A weight or a type, and how it is counted within reach of every block. */
export interface Access {
  readonly weight: Weight;
  readonly count: {
    readonly of: string;
    readonly direction: Direction;
    readonly mode: Mode;
    readonly minutes: number;
  };
}

/**
 * Returns what a state chooses of a release, with the release's own defaults for what the release
 * lacks.
 */
export function choiceOf(catalogue: Catalogue, state: MapState): Choice {
  const { modes, types } = catalogue;
  const mode = preferred(modes, state.mode, FIRST_MODE);
  const timing = heldTiming(catalogue, state.timing) ?? BASE_TIMING;
  const otherTiming = heldTiming(catalogue, state.otherTiming) ?? timing;
  const service = serviceOf(mode, timing);
  const mapped = [...types, ...catalogue.parents].filter(({ leaves }) =>
    leaves.some((leaf) => catalogue.bandsUrl(service, leaf) !== undefined),
  );
  const type =
    mapped.find(({ id }) => id === state.type) ??
    mapped.find(({ id }) => id === FIRST_TYPE) ??
    mapped[0];
  const otherMode = state.otherMode === null ? mode : preferred(modes, state.otherMode, FIRST_MODE);
  const faults: string[] = [];
  const lacks = (what: string, shown: string) =>
    faults.push(`The address has a ${what} that this release lacks. Shown instead: ${shown}.`);
  if (state.mode !== null && state.mode !== mode) lacks('mode', modeName(mode));
  if (state.type !== null && state.type !== type.id) lacks('type', type.name);
  if (state.otherMode !== null && state.otherMode !== otherMode) {
    lacks('second mode', modeName(otherMode));
  }
  for (const stated of [state.timing, state.otherTiming]) {
    if (stated === null || heldTiming(catalogue, stated) !== null) continue;
    lacks('window of departures', timingWords(catalogue.windows, timing) ?? 'that of the release');
  }
  const weight = weightOf(catalogue, state.weight);
  const { weights, counted: all } = catalogue;
  const counted = all.find((one) => one.weight === state.weight) ?? all[0] ?? null;
  if (state.weight !== null && [...weights, ...all].every((one) => one.weight !== state.weight)) {
    lacks('weight', weight?.label ?? 'people');
  }
  const { basket, isWhole, hasAny } = basketOf(catalogue, state.basket, timing);
  if (!isWhole) {
    const shown = hasAny ? 'They are left out.' : 'Shown instead: things of everyday life.';
    faults.push(`The basket has criteria that this release lacks. ${shown}`);
  }
  const sitesType = mapped.find(({ id }) => id === state.sitesType) ?? null;
  if (state.sitesType !== null && sitesType === null) {
    faults.push('The address has a type of sites that this release lacks.');
  }
  return {
    mode,
    timing,
    times: timingOf([mode], timing),
    minutes: minutesOf(state),
    service,
    type,
    sitesType,
    sitesUnit: weights.find((one) => one.weight === state.sitesBy.weight)?.unit ?? '',
    otherMode,
    otherTiming,
    otherTimes: timingOf([otherMode], otherTiming),
    weight,
    access: counted && accessOf(counted, mode, state),
    basket,
    faults,
  };
}

/**
 * The stated weight, or the first one. People are left out, since they are counted with the reach
 * itself.
 */
function weightOf(catalogue: Catalogue, stated: string | null): Weight | null {
  const others = catalogue.weights.filter(({ weight }) => weight !== PEOPLE);
  return others.find(({ weight }) => weight === stated) ?? others[0] ?? null;
}

/** The count of a weight, or of a type, whose POIs are counted from a block only. */
function accessOf(weight: Weight, mode: Mode, state: MapState): Access {
  const of = weight.weight;
  const minutes = Math.min(
    ACCESS_MINUTES.find((one) => one >= state.minutes)!,
    minutesCounted(of).at(-1)!,
  );
  const direction = countedType(of) === null ? state.direction : 'from';
  return { weight, count: { of, direction, mode, minutes } };
}

export const PEOPLE = 'people';

/** Size of the first basket: four everyday types on foot. */
const FIRST_CRITERIA = 4;
const FIRST_MINUTES = 15;

/** The stated criteria that the release has bands of, or those of the first basket. */
function basketOf(catalogue: Catalogue, stated: readonly Criterion[] | null, timing: Timing) {
  const has = ({ mode, type }: Criterion) =>
    catalogue.bandsUrl(serviceOf(mode, timing), type) !== undefined;
  const mode = preferred(catalogue.modes, null, FIRST_MODE);
  const everyday = [...catalogue.everyday, ...catalogue.types.map(({ id }) => id)]
    .map((type): Criterion => ({ mode, type, minutes: FIRST_MINUTES }))
    .filter(has)
    .slice(0, FIRST_CRITERIA);
  const held = stated?.filter(has) ?? [];
  return {
    basket: held.length > 0 ? held : everyday,
    isWhole: stated === null || held.length === stated.length,
    hasAny: held.length > 0,
  };
}

/** A stated window and percentile, if the release has it; every release has the base one. */
function heldTiming({ windows }: Catalogue, stated: Timing | null): Timing | null {
  if (stated === null || serviceOf('transit', stated) === 'transit') return stated;
  const window = windows.find(({ name }) => name === stated.departure);
  return window?.percentiles.includes(stated.percentile) ? stated : null;
}

function preferred(all: readonly Mode[], stated: string | null, first: Mode): Mode {
  return all.find((one) => one === stated) ?? all.find((one) => one === first) ?? all[0];
}
