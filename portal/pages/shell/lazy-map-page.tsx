import { useLoaded } from '../api/use-loaded.ts';
import { Notice } from '../parts/notice.tsx';

const loadMapPage = async () => (await import('../map/map-page.tsx')).MapPage;

/** The page of the map. Its script and style are files of their own, which other pages do not load. */
export function LazyMapPage() {
  const page = useLoaded(loadMapPage);
  if (page.state === 'here') return <page.value />;
  return (
    <div class="page">
      {page.state === 'loading' ? (
        <p class="quiet waiting">Loading the map …</p>
      ) : (
        // Browsers keep a script that failed to load, so only a reload requests it again.
        <Notice kind="fault">
          <p>The map could not be loaded. Check your connection and try again.</p>
          <button type="button" class="button" onClick={() => location.reload()}>
            Try again
          </button>
        </Notice>
      )}
    </div>
  );
}
