import { useEffect, useState } from 'preact/hooks';
import type { Client } from '../../../client/src/index.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import { useMap } from '../state/map-context.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import type { AreaBlocks } from './area-blocks.ts';
import { boxInView } from './box-in-view.ts';
import {
  blocksWithin,
  type ColouredBlocks,
  colouredBlocks,
  joinedBands,
  type Tally,
  tallyOf,
} from './coloured-blocks.ts';

/** The blocks in view, by class. */
interface BlocksInView {
  readonly coloured: ColouredBlocks;
  /** Positions of the blocks in view. */
  readonly seen: readonly number[];
  readonly tally: Tally;
  /** The people of the chosen area; null without one. */
  readonly inArea: Tally | null;
}

export type LoadedBlocks =
  | { readonly state: 'loading' }
  | { readonly state: 'here'; readonly view: BlocksInView }
  | { readonly state: 'too-many' | 'failed' };

const LOADING: LoadedBlocks = { state: 'loading' };

/**
 * The blocks that the map shows, with the class of each for the chosen mode and the nearest of some
 * types. Without types, nothing is read.
 */
export function useBlocksInView(
  api: Client,
  types: readonly number[],
  area: AreaBlocks | null,
): LoadedBlocks {
  const { catalogue, state, choice } = useMap();
  const { bounds } = catalogue;
  const { position } = state;
  const { mode } = choice;
  const [loaded, setLoaded] = useState<LoadedBlocks>(LOADING);
  const attempt = useAttempts(loaded.state === 'failed');
  const place = position && `${position.zoom} ${position.lat} ${position.lon}`;
  useEffect(() => {
    if (types.length === 0) return;
    let isGone = false;
    inView(api, boxInView(position, bounds), mode, types, area).then(
      (next) => isGone || setLoaded(next),
      () => isGone || setLoaded({ state: 'failed' }),
    );
    return () => {
      isGone = true;
    };
  }, [api, attempt, place, bounds, mode, types.join(), area]);
  return loaded;
}

async function inView(
  api: Client,
  box: Box,
  mode: string,
  types: readonly number[],
  area: AreaBlocks | null,
): Promise<LoadedBlocks> {
  const coloured = await colouredBlocks(api, box, mode, types);
  if (coloured === null) return { state: 'too-many' };
  const seen = blocksWithin(coloured, box);
  const inArea =
    area &&
    tallyOf(
      { ...area.blocks, classes: await joinedBands(area.counties, mode, types) },
      area.inside,
    );
  return { state: 'here', view: { coloured, seen, tally: tallyOf(coloured, seen), inArea } };
}
