import { MinutesSlider } from '../layout/minutes-slider.tsx';
import { ModeChoice } from '../layout/mode-and-type.tsx';
import type { Catchment } from '../paid/catchment-request.ts';
import { Paid } from '../paid/paid.tsx';
import { catchmentSwatches } from './legend-swatches.ts';
import { reachTitle } from './names.ts';
import { PeopleWithin } from './people-within.tsx';
import { Swatches } from './swatches.tsx';
import type { ViewProps } from './view-props.ts';

/**
 * Panel of a catchment: the blocks that reach a POI, exactly to the POI and a tenth of a minute.
 */
export function CatchmentPanel(
  props: ViewProps & { readonly poiName: string | null; readonly catchment: Catchment | null },
) {
  const { catalogue, state, choice, change, requests, scheme, poiName, catchment } = props;
  const { mode } = choice;
  const minutes = Math.min(state.minutes, MAX_CATCHMENT_MINUTES);
  return (
    <section class="view" aria-labelledby="catchment">
      <h2 id="catchment">{reachTitle(mode, 'to', minutes)}</h2>
      {catchment === null ? (
        <p class="quiet">
          Search for a shop, a park or the like, or load the minutes of a block, and press its
          marker.
        </p>
      ) : (
        <>
          <p>{poiName}</p>
          <ModeChoice
            modes={catalogue.modes}
            mode={mode}
            onMode={(next) => change({ mode: next })}
          />
          {catchment.pages.map((page, i) => (
            <Paid
              key={page.name}
              requests={requests}
              request={page}
              label={i === 0 ? 'Load the catchment' : 'Load more blocks'}
            />
          ))}
          {catchment.reach !== null && (
            <PeopleWithin
              reach={catchment.reach}
              minutes={minutes}
              position={state.position}
              bounds={catalogue.bounds}
            />
          )}
          <MinutesSlider
            most={MAX_CATCHMENT_MINUTES}
            minutes={minutes}
            onMinutes={(next) => change({ minutes: next })}
          />
          <Swatches entries={catchmentSwatches(scheme)} />
          {state.origin !== null && (
            <button
              type="button"
              class="button"
              onClick={() => change({ view: 'reach', direction: 'to' })}
            >
              From further: reach within an hour
            </button>
          )}
        </>
      )}
    </section>
  );
}

const MAX_CATCHMENT_MINUTES = 30;
