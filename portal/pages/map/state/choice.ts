import type { Mode } from '../../../client/src/index.ts';
import { type Catalogue, type MapType, modeName } from '../catalogue.ts';
import type { MapState } from './map-state.ts';

/** The first map: walks to grocery stores. */
const FIRST_MODE = 'walk';
const FIRST_TYPE = 101;

/** Parts of a release that a state chooses. */
export interface Choice {
  readonly mode: Mode;
  readonly type: MapType;
  readonly bandsUrl: string;
  readonly otherMode: Mode;
  /** Sentences on what the state has and the release lacks: it may be of another release. */
  readonly faults: readonly string[];
}

/** The part of a state that the release has, and the release's own where it has none. */
export function choiceOf(catalogue: Catalogue, state: MapState): Choice {
  const { modes, types } = catalogue;
  const mode = preferred(modes, state.mode, FIRST_MODE);
  const mapped = types.filter(({ id }) => catalogue.bandsUrl(mode, id) !== undefined);
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
  return { mode, type, bandsUrl: catalogue.bandsUrl(mode, type.id)!, otherMode, faults };
}

function preferred(all: readonly Mode[], stated: string | null, first: Mode): Mode {
  return all.find((one) => one === stated) ?? all.find((one) => one === first) ?? all[0];
}
