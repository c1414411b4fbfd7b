import { useEffect, useState } from 'preact/hooks';
import type { Client } from '../../../client/src/index.ts';
import { useAttempts } from '../../api/use-attempts.ts';
import {
  type BasketBlocks,
  type BasketTally,
  basketOf,
  basketTally,
  type Criterion,
} from '../measures/basket.ts';
import type { MapPosition } from '../state/map-state.ts';
import type { AreaBlocks } from './area-blocks.ts';
import { boxInView } from './box-in-view.ts';
import {
  blocksWithin,
  type CountyBlocks,
  countiesIn,
  joinedBands,
  joinedBlocks,
} from './coloured-blocks.ts';

/** The blocks of the counties in view by the criteria they meet, and the people in view. */
export interface BasketInView {
  /** Criteria that were tested. */
  readonly criteria: readonly Criterion[];
  readonly blocks: CountyBlocks;
  readonly basket: BasketBlocks;
  /** Positions of the blocks in view. */
  readonly seen: readonly number[];
  readonly tally: BasketTally;
  /** The people of the chosen area; null without one. */
  readonly inArea: BasketTally | null;
}

export type LoadedBasket =
  | { readonly state: 'loading' | 'too-many' | 'failed' }
  | { readonly state: 'here'; readonly view: BasketInView };

/** Tests criteria by the public block bands, which is free. Without criteria, nothing is read. */
export function useBasket(
  api: Client,
  position: MapPosition | null,
  bounds: readonly number[],
  criteria: readonly Criterion[],
  area: AreaBlocks | null,
): LoadedBasket {
  const [loaded, setLoaded] = useState<LoadedBasket>({ state: 'loading' });
  const attempt = useAttempts(loaded.state === 'failed');
  const place = position && `${position.zoom} ${position.lat} ${position.lon}`;
  useEffect(() => {
    if (criteria.length === 0) return;
    let isGone = false;
    basketInView(api, boxInView(position, bounds), criteria, area).then(
      (next) => isGone || setLoaded(next),
      () => isGone || setLoaded({ state: 'failed' }),
    );
    return () => {
      isGone = true;
    };
  }, [api, attempt, place, bounds, area, JSON.stringify(criteria)]);
  return loaded;
}

/** The last basket, kept while the map moves within its counties. */
let last: {
  readonly blocks: CountyBlocks;
  readonly criteria: string;
  readonly basket: BasketBlocks;
} | null = null;

async function basketInView(
  api: Client,
  box: Parameters<typeof blocksWithin>[1],
  criteria: readonly Criterion[],
  area: AreaBlocks | null,
): Promise<LoadedBasket> {
  const counties = await countiesIn(api, box);
  if (counties === null) return { state: 'too-many' };
  const blocks = joinedBlocks(counties);
  const key = JSON.stringify(criteria);
  if (last?.blocks !== blocks || last.criteria !== key) {
    last = { blocks, criteria: key, basket: await testedIn(counties, criteria) };
  }
  const { basket } = last;
  const seen = blocksWithin(blocks, box);
  const tally = basketTally(basket, blocks.population, seen);
  const inArea =
    area &&
    basketTally(await testedIn(area.counties, criteria), area.blocks.population, area.inside);
  return { state: 'here', view: { criteria, blocks, basket, seen, tally, inArea } };
}

async function testedIn(
  counties: Parameters<typeof joinedBands>[0],
  criteria: readonly Criterion[],
): Promise<BasketBlocks> {
  const bands = criteria.map(({ mode, type }) => joinedBands(counties, mode, [type]));
  return basketOf(await Promise.all(bands), criteria);
}
