import { useLoaded } from '../api/use-loaded.ts';
import { FailedMap } from '../parts/failed-map.tsx';

const loadMapPage = async () => (await import('../map/shell/map-page.tsx')).MapPage;

/** The page of the map. Its script and style are separate files, which other pages do not load. */
export function LazyMapPage() {
  const page = useLoaded(loadMapPage);
  if (page.state === 'here') return <page.value />;
  return (
    <div class="page">
      {page.state === 'loading' ? <p class="quiet waiting">Loading the map …</p> : <FailedMap />}
    </div>
  );
}
