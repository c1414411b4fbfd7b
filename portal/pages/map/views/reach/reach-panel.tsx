import { useEffect, useRef, useState } from 'preact/hooks';
import { count, counted } from '../../../formats.ts';
import { reachList } from '../../blocks/block-lists.ts';
import { useBlockFacts } from '../../blocks/use-block-facts.ts';
import { useColourScheme } from '../../drawing/use-colour-scheme.ts';
import type { Reach } from '../../measures/reach.ts';
import { Paid } from '../../paid/paid.tsx';
import type { PaidRequest } from '../../paid/paid-request.ts';
import { type PaidRequests, useRequests } from '../../paid/use-paid-requests.ts';
import { ListedBlocks } from '../../panels/block-downloads.tsx';
import { ModeChoice, Switch, WeightChoice } from '../../panels/choices.tsx';
import { reachSwatches, Swatches } from '../../panels/legend.tsx';
import { MinutesSlider } from '../../panels/minutes-slider.tsx';
import { PeopleWithin } from '../../panels/people-within.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { FarNote, originName, originText, reachTitle } from '../../panels/words.tsx';
import { PEOPLE } from '../../state/choice.ts';
import { useMap } from '../../state/map-context.ts';
import type { Origin } from '../../state/map-state.ts';
import type { Viewed } from '../map-view.ts';
import { accessRequest, reachIn, sidesOf } from './reach-view.ts';

export function ReachPanel(viewed: Viewed) {
  const { poiName, area } = viewed;
  const [a] = sidesOf(viewed);
  const reach = reachIn(viewed);
  const { state, choice, change } = useMap();
  const requests = useRequests();
  const scheme = useColourScheme();
  const { origin, direction, minutes } = state;
  const { mode } = choice;
  useScrolled(origin);
  const { facts, isFar } = useBlockFacts(reach?.geoids ?? null);
  const list =
    origin !== null && reach && facts
      ? reachList(facts, reach, minutes, {
          mode,
          direction,
          origin: originText(origin),
          ...choice.times,
        })
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
      <ModeChoice mode={mode} onMode={(next) => change({ mode: next })} />
      <TransitTimes modes={[mode]} />
      {origin === null || a === null ? (
        <p class="quiet">Click a block on the map.</p>
      ) : (
        <>
          <p>
            {direction === 'from' ? 'From' : 'To'} {originName(origin, poiName)}
          </p>
          <Paid request={a} label="Load the reach">
            {(value) => <PeopleWithin reach={value} {...{ facts, minutes, area }} />}
          </Paid>
          <MinutesSlider />
          <EveryClick request={a} />
          <Swatches entries={reachSwatches(scheme, minutes)} />
          {!hasNoStreet(requests, a) && <Opportunities origin={origin} />}
          {isFar && <FarNote />}
          <ListedBlocks list={list} />
        </>
      )}
    </section>
  );
}

/** Scrolls to the panel when the origin changes: on a phone, it would be below the fold. */
function useScrolled(origin: Origin | null): void {
  const before = useRef(origin);
  useEffect(() => {
    if (origin !== before.current) document.getElementById('reach')?.scrollIntoView();
    before.current = origin;
  }, [origin]);
}

/** A choice to load the reach of every block that is clicked, and of an origin that is dragged. */
function EveryClick({ request }: { readonly request: PaidRequest<Reach> }) {
  const requests = useRequests();
  const [isOn, setOn] = useState(false);
  useEffect(() => {
    if (isOn) requests.send(request);
  }, [isOn, request.name]);
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={() => setOn(!isOn)} />
      Load at every click or drag, {counted(request.price, 'token')} at most each
    </label>
  );
}

/** Whether a reach was refused because no street is near; then there is nothing to count either. */
function hasNoStreet(requests: PaidRequests, { name }: PaidRequest<Reach>): boolean {
  const outcome = requests.outcomeOf<Reach>(name);
  return outcome.state === 'failed' && outcome.slug === 'no-isochrone-data';
}

/** Jobs, or another weight of the release, within reach of an origin; nothing without weights. */
function Opportunities({ origin }: { readonly origin: Origin }) {
  const { catalogue, state, choice, change } = useMap();
  if (choice.weight === null) return null;
  const { weight, label, unit } = choice.weight;
  const request = accessRequest(origin, choice, state.direction, weight);
  return (
    <section class="opportunities" aria-labelledby="opportunities">
      <h3 id="opportunities">Jobs and more within reach</h3>
      <WeightChoice
        weights={catalogue.weights.filter((one) => one.weight !== PEOPLE)}
        weight={weight}
        onWeight={(next) => change({ weight: next })}
      />
      <Paid request={request} label="Count within reach">
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
