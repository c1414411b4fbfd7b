import { mapTitle } from '../catalogue.ts';
import { ModeChoice, TypeChoice } from '../layout/mode-and-type.tsx';
import { Legend } from './legend.tsx';
import type { ViewProps } from './view-props.ts';

/** Minutes to the nearest POI of a type: mode and type, and the legend. */
export function NearestPanel({ catalogue, choice, change, scheme }: ViewProps) {
  const { mode, type } = choice;
  return (
    <>
      <div class="map-choices">
        <ModeChoice
          modes={catalogue.modes}
          mode={mode}
          onMode={(next) => change({ mode: next, type: type.id })}
        />
        <TypeChoice
          types={catalogue.types}
          type={type.id}
          onType={(next) => change({ mode, type: next })}
        />
      </div>
      <section aria-labelledby="legend">
        <h2 id="legend">{mapTitle(mode, type.name)}</h2>
        {mode === 'transit' && (
          <p class="quiet">10th-percentile door-to-door time, departures 8:00–9:00 on a weekday.</p>
        )}
        <Legend scheme={scheme} baseMap={catalogue.baseMap} />
      </section>
    </>
  );
}
