import { useApi } from '../../session/use-api.ts';
import { catchmentList } from '../blocks/block-lists.ts';
import { useBlockFacts } from '../blocks/use-block-facts.ts';
import { MinutesSlider } from '../layout/minutes-slider.tsx';
import { ModeChoice } from '../layout/mode-and-type.tsx';
import { Paid } from '../paid/paid.tsx';
import { MAX_CATCHMENT_MINUTES, minutesOf } from '../state/map-state.ts';
import { BlockDownloads } from './block-downloads.tsx';
import { BlockTable } from './block-table.tsx';
import { FarNote } from './far-note.tsx';
import { catchmentSwatches } from './legend-swatches.ts';
import { reachTitle } from './names.ts';
import { PeopleWithin } from './people-within.tsx';
import { PercentileNote } from './percentile-note.tsx';
import { Swatches } from './swatches.tsx';
import type { ViewProps } from './view-props.ts';

/**
 * Panel of a catchment: the blocks that reach a POI, with times to the POI itself in tenths of a
 * minute.
 */
export function CatchmentPanel(props: ViewProps) {
  const { catalogue, state, choice, change, requests, scheme, poiName, catchment } = props;
  const { mode } = choice;
  const minutes = minutesOf(state);
  const reach = catchment?.reach ?? null;
  const geoids = reach?.geoids ?? null;
  const { facts, isFar } = useBlockFacts(useApi(), geoids, state.position, catalogue.bounds);
  const list =
    state.poi !== null && reach && facts
      ? catchmentList(facts, reach, minutes, { mode, dest_id: state.poi })
      : null;
  return (
    <section class="view" aria-labelledby="catchment">
      <h2 id="catchment">{reachTitle(mode, 'to', minutes)}</h2>
      <PercentileNote modes={[mode]} />
      {catchment === null ? (
        <p class="quiet">
          Search for a place above, or select a block, load its minutes, and click one of its
          markers.
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
          {reach && <PeopleWithin reach={reach} facts={facts} minutes={minutes} />}
          <MinutesSlider
            most={MAX_CATCHMENT_MINUTES}
            minutes={minutes}
            onMinutes={(next) => change({ minutes: next })}
          />
          <Swatches entries={catchmentSwatches(scheme)} />
          {isFar && <FarNote />}
          {list && <BlockTable list={list} />}
          {list && <BlockDownloads catalogue={catalogue} list={list} />}
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
