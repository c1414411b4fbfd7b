import { useEffect, useState } from 'preact/hooks';
import type { Client } from '../../../client/src/index.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { useMap } from '../state/map-context.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import { boxInView } from './box-in-view.ts';
import {
  blocksWithin,
  type ColouredBlocks,
  colouredBlocks,
  type Tally,
  tallyOf,
} from './coloured-blocks.ts';

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
 * The blocks that the map shows, with the class of each for the chosen mode and type. Unless
 * `isShown`, nothing is read.
 */
export function useBlocksInView(api: Client, isShown: boolean): LoadedBlocks {
  const { catalogue, state, choice } = useMap();
  const { bounds } = catalogue;
  const { position } = state;
  const { mode, type } = choice;
  const [loaded, setLoaded] = useState<LoadedBlocks>(LOADING);
  const attempt = useAttempts(loaded.state === 'failed');
  const place = position && `${position.zoom} ${position.lat} ${position.lon}`;
  useEffect(() => {
    if (!isShown) return;
    let isGone = false;
    inView(api, boxInView(position, bounds), mode, type.id).then(
      (next) => isGone || setLoaded(next),
      () => isGone || setLoaded({ state: 'failed' }),
    );
    return () => {
      isGone = true;
    };
  }, [api, isShown, attempt, place, bounds, mode, type.id]);
  return loaded;
}

async function inView(api: Client, box: Box, mode: string, type: number): Promise<LoadedBlocks> {
  const coloured = await colouredBlocks(api, box, mode, type);
  if (coloured === null) return { state: 'too-many' };
  const seen = blocksWithin(coloured, box);
  return { state: 'here', view: { coloured, seen, tally: tallyOf(coloured, seen) } };
}
