import '../../styles/map.css';
import { Page } from '../../parts/page.tsx';
import { Explorer } from './explorer.tsx';
import { MapOfRelease } from './map-of-release.tsx';

export function MapPage() {
  return (
    <Page title="Map" class="map-page" heading="Travel times on a map">
      <MapOfRelease>
        <Explorer />
      </MapOfRelease>
    </Page>
  );
}
