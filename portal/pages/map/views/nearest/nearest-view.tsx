import { BEYOND } from '../../../../../shards/bands/time-bands.ts';
import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { type AreaBlocks, bodyOf } from '../../blocks/area-blocks.ts';
import { classWords } from '../../blocks/block-bands.ts';
import { nearestListing } from '../../blocks/block-lists.ts';
import { shareWithin, type Tally } from '../../blocks/coloured-blocks.ts';
import { nearestMeasure } from '../../blocks/measures.ts';
import type { MapType } from '../../catalogue/catalogue.ts';
import { mapTitle } from '../../catalogue/mode-words.ts';
import { anyOf } from '../../catalogue/type-nouns.ts';
import type { Shown } from '../../drawing/paint.ts';
import { ModeChoice, TypeChoice } from '../../panels/choices.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import type { Choice } from '../../state/choice.ts';
import { useMap } from '../../state/map-context.ts';
import { bandRows, type FreeView, freeView, PeopleInView } from '../free-view.tsx';
import { type MapRequest, type MapView, mapRequest, type Viewed } from '../map-view.ts';

const NEAR_CLASSES = 3;

type TypeOf = (choice: Choice) => MapType | null;

/** Minutes to the nearest POI of the type that a choice has; null: there is nothing to measure. */
function nearestFree(typeOf: TypeOf): FreeView<Uint8Array, Tally> {
  return {
    measure(_, choice) {
      const type = typeOf(choice);
      return type && nearestMeasure(choice.service, type.leaves);
    },
    picture({ catalogue, choice }) {
      const { mode, service } = choice;
      const { id, leaves } = typeOf(choice)!;
      return {
        name: `nearest ${service} ${id}`,
        modes: [mode],
        pois: catalogue.poisOf(leaves, [mode]),
      };
    },
    classes: (bands) => bands.map((band) => (band === BEYOND ? 0 : band)),
    words: (bands, i) => classWords(bands[i]),
    rows: (_, { scheme }) => bandRows(scheme, ({ people }) => people),
    // Says which share of people is within 15 minutes of a POI of the type.
    say:
      (_, { choice }) =>
      (tally, where) => {
        const near = percent(shareWithin(tally, NEAR_CLASSES));
        return `${near} of ${count(tally.allPeople)} people ${where} are within 15 minutes of ${anyOf(typeOf(choice)!.name)}.`;
      },
    list(bands, { choice }) {
      const { mode, times } = choice;
      return nearestListing(bands, { mode, dest_type_id: typeOf(choice)!.id, ...times });
    },
  };
}

/** The members of a view of a type: those of `freeView`, but drawn from its archive of bands. */
export function nearestOf(typeOf: TypeOf) {
  const free = nearestFree(typeOf);
  const { shown, ...members } = freeView(free);
  return {
    ...members,
    shown(viewed: Viewed): Shown {
      const { catalogue, choice } = viewed;
      const [leaf, ...others] = typeOf(choice)!.leaves;
      const bandsUrl = others.length === 0 && catalogue.bandsUrl(choice.service, leaf);
      if (!bandsUrl) return shown(viewed);
      const { modes, pois } = free.picture(viewed);
      return { of: 'bands', bandsUrl, modes, pois };
    },
  };
}

const chosenType: TypeOf = ({ type }) => type;
const nearest = nearestFree(chosenType);
const members = nearestOf(chosenType);

export const nearestView: MapView = {
  ...members,
  name: 'Nearest',
  sides: 0,
  title: ({ choice: { mode, type } }) => mapTitle(mode, type.name),
  modes: ({ mode }) => [mode],
  minutesOf(viewed, geoid) {
    const { state, choice, profile } = viewed;
    const { mode, type } = choice;
    const exact =
      Number(state.block) === geoid
        ? (profile?.rows ?? []).filter(
            (row) => row.mode === mode && type.leaves.includes(row.dest_type_id),
          )
        : [];
    if (exact.length > 0) {
      return `${Math.min(...exact.map((row) => row.travel_time)).toFixed(1)} min`;
    }
    return members.minutesOf(viewed, geoid);
  },
  Panel: NearestPanel,
  requests({ state: { block: geoid }, choice, area }) {
    const { mode, times, type } = choice;
    const ofArea = area.value ? [coverageRequest(area.value, choice)] : [];
    if (geoid === null) return ofArea;
    const summary = { geoid, mode: [mode], type: [type.id], ...times };
    return [...ofArea, mapRequest('Minutes from the selected block', 'getBlockSummary', summary)];
  },
};

function coverageRequest(area: AreaBlocks, { mode, times, type }: Choice): MapRequest {
  const body = { area: bodyOf(area), mode: [mode], type: [type.id], ...times };
  return mapRequest(`People of ${area.name} by minutes`, 'measureCoverage', body);
}

/**
 * Panel of minutes to the nearest POI of a type: mode and type, the legend, and the blocks in view.
 */
function NearestPanel(viewed: Viewed) {
  const { choice, area } = viewed;
  const { change } = useMap();
  const { mode, type } = choice;
  const title = mapTitle(mode, type.name);
  return (
    <>
      <div class="map-choices">
        <ModeChoice mode={mode} onMode={(next) => change({ mode: next, type: type.id })} />
        <TypeChoice type={type.id} onType={(next) => change({ mode, type: next })} />
      </div>
      <section aria-labelledby="legend">
        <h2 id="legend">{title}</h2>
        <TransitTimes modes={[mode]} />
        <PeopleInView
          of={nearest}
          viewed={viewed}
          caption={`${title}: people in view by minutes`}
          by="Minutes"
        >
          {area.value && <Groups area={area.value} />}
        </PeopleInView>
      </section>
    </>
  );
}

const Groups = onRequest(
  'the groups',
  async () => (await import('./groups-panel.tsx')).GroupsPanel,
);
