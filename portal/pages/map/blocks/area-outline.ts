import type { Polygon } from '../../../../shards/geometry/polygon.ts';
import { boxOf, edgesOf } from '../../../../shards/geometry/wgs84.ts';
import { useFresh } from '../../api/use-loaded.ts';
import { useMap } from '../state/map-context.ts';
import { geoidsOf, type LoadedArea } from './area-blocks.ts';

/**
 * The border of the chosen area: its own, or that of its blocks, for counties and tracts; null
 * until it is known.
 */
export function useOutline(area: LoadedArea): readonly Polygon[] | null {
  const { blocksUrl } = useMap().catalogue;
  const of = area.value;
  const wanted = of?.outline === null ? of : null;
  const drawn = useFresh(async () => {
    if (wanted === null) return null;
    const { blocks, inside } = wanted;
    const box = edgesOf(boxOf(inside.map((i) => [blocks.lon[i], blocks.lat[i]] as const)));
    const { blockOutline } = await import('./block-polygons.ts');
    return blockOutline(blocksUrl, box, geoidsOf(wanted));
  }, [wanted, blocksUrl]);
  return of?.outline ?? drawn.value;
}
