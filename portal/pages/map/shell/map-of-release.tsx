import type { ComponentChildren } from 'preact';
import { useLoaded } from '../../api/use-loaded.ts';
import { Notice } from '../../parts/notice.tsx';
import { Shown } from '../../parts/shown.tsx';
import { useUnits } from '../../parts/units.tsx';
import { mapCatalogue } from '../catalogue/catalogue.ts';
import { MapProvider, type Release, useMapShared } from '../state/map-context.ts';

/** Loads the layers of the release, and provides them to a map; without tiles there is none. */
export function MapOfRelease({ children }: { readonly children: ComponentChildren }) {
  const units = useUnits();
  const catalogue = useLoaded(() => mapCatalogue(units), [units]);
  if (catalogue.value !== null) {
    const { value, reload } = catalogue;
    return <Provided {...{ catalogue: value, reload, children }} />;
  }
  return (
    <div class="map-absent">
      <Shown of={catalogue} what="the map">
        {() => (
          <Notice kind="plain">
            This release was built without map tiles, so there is nothing to draw. The API has its
            times.
          </Notice>
        )}
      </Shown>
    </div>
  );
}

function Provided({ children, ...release }: Release & { readonly children: ComponentChildren }) {
  return <MapProvider value={useMapShared(release)}>{children}</MapProvider>;
}
