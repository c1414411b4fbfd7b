import type { ExpressionSpecification, Map as MapLibreMap } from 'maplibre-gl';
import { linkModeOf } from '../../../../shards/modes.ts';
import type { BlockClasses } from '../measures/block-classes.ts';
import { UNROUTED_CLASS } from '../measures/block-classes.ts';

/** The member of a block's feature state that holds its class. */
const CLASS = 'class';

const NONE: BlockClasses = { geoids: new Float64Array(), classes: new Uint8Array() };

/**
 * Gives blocks their classes as feature states, which need no tile to be parsed again. If the
 * blocks are the same as before, only changed classes are set, so a slider stays smooth.
 */
export class BlockFills {
  readonly #map: MapLibreMap;
  #shown = NONE;

  constructor(map: MapLibreMap) {
    this.#map = map;
  }

  show(next: BlockClasses | null): void {
    const { geoids, classes } = next ?? NONE;
    const before = this.#shown;
    const isSame = before.geoids === geoids;
    if (!isSame && before.geoids.length > 0) {
      this.#map.removeFeatureState({ source: 'blocks', sourceLayer: 'blocks' });
    }
    for (let i = 0; i < geoids.length; i++) {
      if (classes[i] === (isSame ? before.classes[i] : 0)) continue;
      const block = { source: 'blocks', sourceLayer: 'blocks', id: geoids[i] };
      this.#map.setFeatureState(block, { [CLASS]: classes[i] });
    }
    this.#shown = { geoids, classes };
  }
}

/** Returns the links that some modes need, named as in `unlinked`; transit begins with a walk. */
export function streetsOf(modes: readonly string[]): readonly string[] {
  return [...new Set(modes.map(linkModeOf))];
}

/**
 * Lowest zoom with lines between blocks; below it, they are hardly visible and cost many frames.
 */
export const LINES_ZOOM = 13;

/** The class of a block; 0 without one. */
export const CLASS_STATE = [
  'coalesce',
  ['feature-state', CLASS],
  0,
] as unknown as ExpressionSpecification;

/**
 * Opacity of stripes: on every block of their layer, or only on those of `UNROUTED_CLASS`. The
 * expression depends on the state either way: if a tile was laid out for a state and arrives late,
 * MapLibre cannot update it with a value that does not depend on one.
 */
export function stripeOpacity(opacity: number, every: boolean): ExpressionSpecification {
  return ['case', ['==', CLASS_STATE, UNROUTED_CLASS], opacity, every ? opacity : 0];
}

export function isBlock(geoid: string | null): ExpressionSpecification {
  return ['==', ['get', 'geoid'], geoid ?? ''];
}

/** Filter for the blocks without a street near for every one of these modes. */
export function isUnlinkedFor(modes: readonly string[]): ExpressionSpecification {
  const streets = streetsOf(modes);
  const unlinked: ExpressionSpecification = ['coalesce', ['get', 'unlinked'], ''];
  return ['all', ...streets.map((street): ExpressionSpecification => ['in', street, unlinked])];
}
