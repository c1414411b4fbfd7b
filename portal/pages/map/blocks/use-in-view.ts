import { keylessClient } from '../../api/clients.ts';
import { type Loaded, useLoaded } from '../../api/use-loaded.ts';
import { useMap } from '../state/map-context.ts';
import { firstColours } from '../tiles/archive-source.ts';
import type { Box } from '../tiles/vector-tiles.ts';
import type { AreaBlocks } from './area-blocks.ts';
import { boxInView } from './box-in-view.ts';
import { blocksWithin, type CountyBlocks } from './coloured-blocks.ts';
import { type Measure, measuredIn } from './measures.ts';

/** The blocks of the counties in view with what is measured of them, and its sums. */
export interface InView<Of, Sums> {
  readonly blocks: CountyBlocks;
  readonly of: Of;
  readonly seen: readonly number[];
  readonly sums: Sums;
  /** The sums of the chosen area; null without one. */
  readonly inArea: Sums | null;
}

export type LoadedInView<Of, Sums> = Loaded<InView<Of, Sums>, 'too-many'>;

/** Measures the blocks in view by the public objects of counties: free, and without a key. */
export function useInView<Of, Sums>(
  measure: Measure<Of, Sums> | null,
  area: AreaBlocks | null,
): LoadedInView<Of, Sums> {
  const { catalogue, state } = useMap();
  const { bounds } = catalogue;
  const { position } = state;
  const loaded = useLoaded(async () => {
    await firstColours;
    const box = boxInView(position, bounds);
    return measure && { kind: measure.kind, found: await inView(box, measure, area) };
  }, [measure?.key, position, bounds, area]);
  if (loaded.state !== 'here') return loaded;
  // The old blocks stay until the new ones are measured, but not those of another kind.
  const { kind, found } = loaded.value ?? {};
  return found && kind === measure?.kind ? found : { state: 'loading', value: null };
}

async function inView<Of, Sums>(
  box: Box,
  measure: Measure<Of, Sums>,
  area: AreaBlocks | null,
): Promise<LoadedInView<Of, Sums>> {
  const measured = await measuredIn(keylessClient, box, measure);
  if (measured === null) return { state: 'too-many', value: null };
  const { blocks, of } = measured;
  const seen = blocksWithin(blocks, box);
  const sums = measure.sum(of, blocks.population, seen);
  const inArea =
    area && measure.sum(await measure.read(area.counties), area.blocks.population, area.inside);
  return { state: 'here', value: { blocks, of, seen, sums, inArea } };
}
