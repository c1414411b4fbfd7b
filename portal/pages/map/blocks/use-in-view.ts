import { useMemo } from 'preact/hooks';
import { keylessClient } from '../../api/clients.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import type { Choice } from '../state/choice.ts';
import { useMap } from '../state/map-context.ts';
import type { MapState } from '../state/map-state.ts';
import { firstColours } from '../tiles/archive-source.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import type { AreaBlocks, LoadedArea } from './area-blocks.ts';
import { blocksWithin, type CountyBlocks } from './coloured-blocks.ts';
import { type Measure, measuredIn } from './measures.ts';
import { boxInView } from './near-map.ts';

/** The state, the choice and the area that the blocks in view are measured for. */
interface Asked {
  readonly state: MapState;
  readonly choice: Choice;
  readonly area: LoadedArea;
}

/** The blocks of the counties in view with what is measured of them, and its sums. */
export interface InView<Of, Sums> {
  /** As on the page, but as it was before while the blocks are measured anew. */
  readonly asked: Asked;
  readonly blocks: CountyBlocks;
  readonly of: Of;
  readonly seen: readonly number[];
  readonly sums: Sums;
  /** The sums of the chosen area; null without one. */
  readonly inArea: Sums | null;
}

export type LoadedInView<Of, Sums> = Loaded<InView<Of, Sums>, 'too-many'>;

const LOADING = { state: 'loading', value: null } as const;

/** Measures the blocks in view by the public objects of counties: free, and without a key. */
export function useInView<Of, Sums>(
  measureOf: ((state: MapState, choice: Choice) => Measure<Of, Sums> | null) | undefined,
  area: LoadedArea,
): LoadedInView<Of, Sums> {
  const { catalogue, state, choice } = useMap();
  const { bounds } = catalogue;
  const { position } = state;
  const measure = measureOf?.(state, choice) ?? null;
  const now = { state, choice, area };
  const loaded = useLoaded(async () => {
    await firstColours;
    const box = boxInView(position, bounds);
    return measure && { measure, asked: now, found: await inView(box, measure, area.value) };
  }, [measure?.key, position, bounds, area.value]);
  const { value } = loaded;
  const isNow = value?.measure.key === measure?.key && value?.asked.area.value === area.value;
  const asked = isNow ? now : value?.asked;
  return useMemo(() => {
    if (loaded.state !== 'here') return { state: loaded.state, value: null };
    // The old blocks stay until the new ones are measured, but not those of another kind.
    if (!value || !asked || value.measure.kind !== measure?.kind) return LOADING;
    const { found } = value;
    return found === null
      ? { state: 'too-many', value: null }
      : { state: 'here', value: { ...found, asked } };
  }, [loaded.state, value, measure?.kind, asked?.state, asked?.choice, asked?.area.value]);
}

/** Null if there are too many counties. */
async function inView<Of, Sums>(
  box: Box,
  measure: Measure<Of, Sums>,
  area: AreaBlocks | null,
): Promise<Omit<InView<Of, Sums>, 'asked'> | null> {
  const measured = await measuredIn(keylessClient, box, measure);
  if (measured === null) return null;
  const { blocks, of } = measured;
  const seen = blocksWithin(blocks, box);
  const sums = measure.sum(of, blocks.population, seen);
  const inArea =
    area && measure.sum(await measure.read(area.counties), area.blocks.population, area.inside);
  return { blocks, of, seen, sums, inArea };
}
