import { Switch } from '../layout/choices.tsx';
import { MinutesSlider } from '../layout/minutes-slider.tsx';
import { ModeChoice } from '../layout/mode-and-type.tsx';
import { Paid } from '../paid/paid.tsx';
import { reachRequest } from '../paid/reach-request.ts';
import { reachSwatches } from './legend-swatches.ts';
import { originName, reachTitle } from './names.ts';
import { PeopleWithin } from './people-within.tsx';
import { Swatches } from './swatches.tsx';
import type { ViewProps } from './view-props.ts';

/** Panel of a reach: the blocks within some minutes of a block, or those that reach it. */
export function ReachPanel(props: ViewProps & { readonly poiName: string | null }) {
  const { catalogue, state, choice, change, requests, scheme } = props;
  const { origin, direction, minutes } = state;
  const { mode } = choice;
  return (
    <section class="view" aria-labelledby="reach">
      <h2 id="reach">{reachTitle(mode, direction, minutes)}</h2>
      <Switch
        label="Direction"
        name="direction"
        values={[
          ['from', 'From the block'],
          ['to', 'To the block'],
        ]}
        chosen={direction}
        onChoose={(next) => change({ direction: next })}
      />
      <ModeChoice modes={catalogue.modes} mode={mode} onMode={(next) => change({ mode: next })} />
      {origin === null ? (
        <p class="quiet">Select a block on the map, then “Reach from here”.</p>
      ) : (
        <>
          <p>
            {direction === 'from' ? 'From' : 'To'} {originName(origin, props.poiName)}
          </p>
          <Paid
            requests={requests}
            request={reachRequest(origin, mode, direction)}
            label="Load the reach"
          >
            {(reach) => (
              <PeopleWithin
                reach={reach}
                minutes={minutes}
                position={state.position}
                bounds={catalogue.bounds}
              />
            )}
          </Paid>
          <MinutesSlider minutes={minutes} onMinutes={(next) => change({ minutes: next })} />
          <Swatches entries={reachSwatches(scheme)} />
        </>
      )}
    </section>
  );
}
