import { useEffect, useState } from 'preact/hooks';
import type { Client } from '../../../../client/src/index.ts';
import { boxInView } from '../../blocks/box-in-view.ts';
import {
  blocksWithin,
  type ColouredBlocks,
  colouredBlocks,
  type Tally,
  tallyOf,
} from '../../blocks/coloured-blocks.ts';
import type { MapPosition } from '../../state/map-state.ts';
import type { Box } from '../../tiles/vector-tiles.ts';

/** The blocks in view, by class. */
interface BlocksInView {
  readonly coloured: ColouredBlocks;
  /** Positions of the blocks in view. */
  readonly seen: readonly number[];
  readonly tally: Tally;
}

export type LoadedBlocks =
  | { readonly state: 'loading' }
  | { readonly state: 'here'; readonly view: BlocksInView }
  | { readonly state: 'too-many' | 'failed' };

const LOADING: LoadedBlocks = { state: 'loading' };

/**
 * The blocks that the map shows, with the class of each for a mode and type. `position`: null while
 * the map shows the whole release.
 */
export function useBlocksInView(
  api: Client,
  position: MapPosition | null,
  bounds: readonly number[],
  mode: string,
  type: number,
): LoadedBlocks {
  const [loaded, setLoaded] = useState<LoadedBlocks>(LOADING);
  const place = position && `${position.zoom} ${position.lat} ${position.lon}`;
  useEffect(() => {
    let isGone = false;
    inView(api, boxInView(position, bounds), mode, type).then(
      (next) => isGone || setLoaded(next),
      () => isGone || setLoaded({ state: 'failed' }),
    );
    return () => {
      isGone = true;
    };
  }, [api, place, bounds, mode, type]);
  return loaded;
}

async function inView(api: Client, box: Box, mode: string, type: number): Promise<LoadedBlocks> {
  const coloured = await colouredBlocks(api, box, mode, type);
  if (coloured === null) return { state: 'too-many' };
  const seen = blocksWithin(coloured, box);
  return { state: 'here', view: { coloured, seen, tally: tallyOf(coloured, seen) } };
}
