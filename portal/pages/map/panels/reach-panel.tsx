import { count } from '../../formats.ts';
import { useApi } from '../../session/use-api.ts';
import { reachList } from '../blocks/block-lists.ts';
import { useBlockFacts } from '../blocks/use-block-facts.ts';
import { Switch } from '../layout/choices.tsx';
import { MinutesSlider } from '../layout/minutes-slider.tsx';
import { ModeChoice } from '../layout/mode-and-type.tsx';
import { WeightChoice } from '../layout/weight-choice.tsx';
import type { Reach } from '../measures/reach.ts';
import { accessRequest } from '../paid/access-request.ts';
import { Paid } from '../paid/paid.tsx';
import type { PaidRequest } from '../paid/paid-request.ts';
import { reachRequest } from '../paid/reach-request.ts';
import { type PaidRequests, resultOf } from '../paid/use-paid-requests.ts';
import { PEOPLE } from '../state/choice.ts';
import type { Origin } from '../state/map-state.ts';
import { BlockDownloads } from './block-downloads.tsx';
import { BlockTable } from './block-table.tsx';
import { FarNote } from './far-note.tsx';
import { reachSwatches } from './legend-swatches.ts';
import { originName, originText, reachTitle } from './names.ts';
import { PeopleWithin } from './people-within.tsx';
import { PercentileNote } from './percentile-note.tsx';
import { SumsTable } from './sums-table.tsx';
import { Swatches } from './swatches.tsx';
import type { ViewProps } from './view-props.ts';

/** Panel of a reach: the blocks within some minutes of a block, or those that reach it. */
export function ReachPanel(props: ViewProps) {
  const { catalogue, state, choice, change, requests, scheme } = props;
  const { origin, direction, minutes } = state;
  const { mode } = choice;
  const request = origin === null ? null : reachRequest(origin, mode, direction);
  const reach = resultOf(requests, request);
  const geoids = reach?.geoids ?? null;
  const { facts, isFar } = useBlockFacts(useApi(), geoids, state.position, catalogue.bounds);
  const list =
    origin !== null && reach && facts
      ? reachList(facts, reach, minutes, { mode, direction, origin: originText(origin) })
      : null;
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
      <PercentileNote modes={[mode]} />
      {origin === null || request === null ? (
        <p class="quiet">Select a block on the map, then “Reach from here”.</p>
      ) : (
        <>
          <p>
            {direction === 'from' ? 'From' : 'To'} {originName(origin, props.poiName)}
          </p>
          <Paid requests={requests} request={request} label="Load the reach">
            {(value) => <PeopleWithin reach={value} facts={facts} minutes={minutes} />}
          </Paid>
          <MinutesSlider minutes={minutes} onMinutes={(next) => change({ minutes: next })} />
          <Swatches entries={reachSwatches(scheme)} />
          {!hasNoStreet(requests, request) && <Opportunities {...props} origin={origin} />}
          {isFar && <FarNote />}
          {list && <BlockTable list={list} />}
          {list && <BlockDownloads catalogue={catalogue} list={list} />}
        </>
      )}
    </section>
  );
}

/** Whether a reach was refused because no street is near; then there is nothing to count either. */
function hasNoStreet(requests: PaidRequests, { name }: PaidRequest<Reach>): boolean {
  const outcome = requests.outcomeOf<Reach>(name);
  return outcome.state === 'failed' && outcome.slug === 'no-isochrone-data';
}

/** Jobs, or another weight of the release, within reach of an origin; nothing without weights. */
function Opportunities(props: ViewProps & { readonly origin: Origin }) {
  const { catalogue, state, choice, change, requests, origin } = props;
  if (choice.weight === null) return null;
  const { weight, label, unit } = choice.weight;
  const request = accessRequest(origin, choice.mode, state.direction, weight);
  return (
    <section class="opportunities" aria-labelledby="opportunities">
      <h3 id="opportunities">Jobs and more within reach</h3>
      <WeightChoice
        weights={catalogue.weights.filter((one) => one.weight !== PEOPLE)}
        weight={weight}
        onWeight={(next) => change({ weight: next })}
      />
      <Paid requests={requests} request={request} label="Count within reach">
        {(counts) =>
          counts.length === 0 ? (
            <p>Not known: no street near.</p>
          ) : (
            <SumsTable
              caption={label}
              heads={['Within', unit]}
              rows={counts.map((one) => ({
                name: `${one.minutes} min`,
                figures: [count(one.count)],
              }))}
            />
          )
        }
      </Paid>
    </section>
  );
}
