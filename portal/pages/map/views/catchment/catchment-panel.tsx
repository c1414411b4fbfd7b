import type { LoadedArea } from '../../blocks/area-blocks.ts';
import { reachList } from '../../blocks/block-lists.ts';
import { useBlockFacts } from '../../blocks/use-block-facts.ts';
import { useColourScheme } from '../../drawing/use-colour-scheme.ts';
import { CATCHMENT_CLASS_MINUTES } from '../../measures/reach.ts';
import { Paid } from '../../paid/paid.tsx';
import { ListedBlocks } from '../../panels/block-downloads.tsx';
import { ModeChoice, TypeChoice } from '../../panels/choices.tsx';
import { reachSwatches, Swatches } from '../../panels/legend.tsx';
import { MinutesSlider } from '../../panels/minutes-slider.tsx';
import { PeopleWithin } from '../../panels/people-within.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { catchmentTitle, FarNote, reachTitle } from '../../panels/words.tsx';
import { useMap } from '../../state/map-context.ts';
import { MAX_CATCHMENT_MINUTES } from '../../state/map-state.ts';
import type { Viewed } from '../map-view.ts';
import { type Catchment, catchmentIn } from './catchment-view.ts';

/** Decimals of minutes to a POI. */
const DECIMALS = 1;

/**
 * Panel of a catchment: the blocks that reach a POI, with times to the POI itself in tenths of a
 * minute.
 */
export function CatchmentPanel(viewed: Viewed) {
  const { choice, poiName, area } = viewed;
  const { change } = useMap();
  const catchment = catchmentIn(viewed);
  const { mode, minutes } = choice;
  return (
    <section class="view" aria-labelledby="catchment">
      <h2 id="catchment">
        {catchment === null ? catchmentTitle(mode, minutes) : reachTitle(mode, 'to', minutes)}
      </h2>
      <TransitTimes modes={[mode]} />
      {catchment === null ? (
        <>
          <p class="quiet">Click a place on the map, or search for one above.</p>
          <TypeChoice
            label="Places on the map"
            type={choice.type.id}
            onType={(next) => change({ type: next })}
          />
        </>
      ) : (
        <>
          <p>{poiName}</p>
          <ModeChoice mode={mode} onMode={(next) => change({ mode: next })} />
          <CatchmentBlocks catchment={catchment} area={area} />
        </>
      )}
    </section>
  );
}

/** The pages to load, and the blocks of those that are loaded. */
function CatchmentBlocks(props: { readonly catchment: Catchment; readonly area: LoadedArea }) {
  const { catchment, area } = props;
  const { state, choice, change } = useMap();
  const scheme = useColourScheme();
  const { mode, minutes, times } = choice;
  const { pages, reach } = catchment;
  const { facts, isFar } = useBlockFacts(reach?.geoids ?? null);
  const stated = { mode, dest_id: state.poi!, ...times };
  return (
    <>
      {pages.map((page, i) => (
        <Paid
          key={page.name}
          request={page}
          label={i === 0 ? 'Load the catchment' : 'Load more blocks'}
        />
      ))}
      {reach && <PeopleWithin {...{ reach, facts, minutes, area }} />}
      <MinutesSlider most={MAX_CATCHMENT_MINUTES} />
      <Swatches entries={reachSwatches(scheme, minutes, CATCHMENT_CLASS_MINUTES)} />
      {isFar && <FarNote />}
      <ListedBlocks list={reach && facts && reachList(facts, reach, minutes, stated, DECIMALS)} />
      {state.origin !== null && (
        <button
          type="button"
          class="button"
          onClick={() => change({ view: 'reach', direction: 'to' })}
        >
          Who gets here within an hour
        </button>
      )}
    </>
  );
}
