import type { Map as MapLibreMap } from 'maplibre-gl';
import type { BlockClasses } from '../measures/block-classes.ts';

/** The member of a block's feature state that holds its class. */
export const CLASS = 'class';

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
