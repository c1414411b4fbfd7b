import { useMemo } from 'preact/hooks';
import type { Polygon } from '../../../../shards/geometry/polygon.ts';
import { boxOf, edgesOf } from '../../../../shards/geometry/wgs84.ts';
import { useFresh } from '../../api/use-loaded.ts';
import { geoidsOf, type LoadedArea } from '../blocks/area-blocks.ts';
import type { Outlines, Shown } from '../drawing/paint.ts';
import { useMap } from '../state/map-context.ts';
import type { Origin } from '../state/map-state.ts';
import type { MapView, Viewed } from '../views/map-view.ts';

/** The colouring and the outlines of a view, which stay the same while what they show does. */
export function usePicture(
  { shown: shownOf, sides }: MapView,
  viewed: Viewed,
): { readonly shown: Shown; readonly outlines: Outlines } {
  const { catalogue, state, choice, scheme } = viewed;
  const { requests, inView } = viewed;
  const inArea = viewed.area.value;
  const { block: selected, origin, otherOrigin } = state;
  const [a, b] = [origin, otherOrigin].map((one, i) => (i < sides ? blockOf(one) : null));
  const area = useOutline(viewed.area);
  return {
    shown: useMemo(
      () => shownOf(viewed),
      [shownOf, catalogue, state, choice, scheme, requests, inView, inArea],
    ),
    outlines: useMemo(() => ({ selected, a, b, area }), [selected, a, b, area]),
  };
}

function blockOf(one: Origin | null): string | null {
  return typeof one === 'string' ? one : null;
}

/**
 * The border of the chosen area: its own, or that of its blocks, for counties and tracts; null
 * until it is known.
 */
function useOutline(area: LoadedArea): readonly Polygon[] | null {
  const { blocksUrl } = useMap().catalogue;
  const of = area.value;
  const wanted = of?.outline === null ? of : null;
  const drawn = useFresh(async () => {
    if (wanted === null) return null;
    const { blocks, inside } = wanted;
    const box = edgesOf(boxOf(inside.map((i) => [blocks.lon[i], blocks.lat[i]] as const)));
    const { blockOutline } = await import('../blocks/block-polygons.ts');
    return blockOutline(blocksUrl, box, geoidsOf(wanted));
  }, [wanted, blocksUrl]);
  return of?.outline ?? drawn.value;
}
