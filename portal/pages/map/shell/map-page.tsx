import '../../styles/map.css';
import { useLoaded } from '../../api/use-loaded.ts';
import { Notice } from '../../parts/notice.tsx';
import { Page } from '../../parts/page.tsx';
import { Shown } from '../../parts/shown.tsx';
import { useUnits } from '../../parts/units.tsx';
import { mapCatalogue } from '../catalogue/catalogue.ts';
import { Explorer } from './explorer.tsx';

export function MapPage() {
  const units = useUnits();
  const catalogue = useLoaded(() => mapCatalogue(units), [units]);
  return (
    <Page title="Map" class="map-page" heading="Travel times on a map">
      {catalogue.state === 'here' && catalogue.value !== null ? (
        <Explorer catalogue={catalogue.value} reload={catalogue.reload} />
      ) : (
        <div class="map-absent">
          <Shown of={catalogue} what="the map">
            {() => (
              <Notice kind="plain">
                This release was built without map tiles, so there is nothing to draw. The API has
                its times.
              </Notice>
            )}
          </Shown>
        </div>
      )}
    </Page>
  );
}
