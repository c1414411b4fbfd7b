import { useLoaded } from '../api/use-loaded.ts';
import { prefetchMapLibre } from '../map/drawing/map-libre.ts';
import { FailedMap } from '../parts/failed-map.tsx';

const loadMapPage = async () => {
  prefetchMapLibre();
  return (await import('../map/map-page.tsx')).MapPage;
};

/**
 * The page of the map. Its script and style are files of their own, which other pages do not load.
 */
export function LazyMapPage() {
  const page = useLoaded(loadMapPage);
  if (page.state === 'here') return <page.value />;
  return (
    <div class="page">
      {page.state === 'loading' ? <p class="quiet waiting">Loading the map …</p> : <FailedMap />}
    </div>
  );
}
