import { keylessClient } from '../../api/clients.ts';
import type { AreaBlocks } from '../blocks/area-blocks.ts';
import { accessMeasure, basketMeasure, changeMeasure, nearestMeasure } from '../blocks/measures.ts';
import { useInView } from '../blocks/use-in-view.ts';
import { useMap } from '../state/map-context.ts';
import type { View } from '../state/map-state.ts';
import { accessChoice } from './access/access-view.ts';
import type { Loaded } from './map-view.ts';

/** Loads the blocks in view that a view shows for free; nothing for any other view. */
export function useFreeViews(
  view: View,
  area: AreaBlocks | null,
): Pick<Loaded, 'blocks' | 'basket' | 'access' | 'changes'> {
  const { state, choice } = useMap();
  const { service, timing, type, sitesType, basket } = choice;
  const types = (view === 'nearest' ? type : view === 'sites' ? sitesType : null)?.leaves ?? [];
  const { before, after } = state;
  const isCompared = view === 'changes' && before !== null && after !== null;
  const of = { service, types: type.leaves };
  const asked = view === 'access' ? accessChoice(state, choice) : null;
  return {
    blocks: useInView(types.length > 0 ? nearestMeasure(service, types) : null, area),
    basket: useInView(view === 'basket' ? basketMeasure(basket, timing) : null, area),
    changes: useInView(isCompared ? changeMeasure(keylessClient, of, [before, after]) : null, area),
    access: useInView(asked && accessMeasure({ ...asked.count, mode: service }), area),
  };
}
