import { count, percent } from '../../../formats.ts';
import { onRequest } from '../../../parts/failed-script.tsx';
import { nearestList } from '../../blocks/block-lists.ts';
import { shareWithin, type Tally } from '../../blocks/coloured-blocks.ts';
import { mapTitle } from '../../catalogue/catalogue.ts';
import { anyOf } from '../../catalogue/type-nouns.ts';
import { timingOf } from '../../catalogue/windows.ts';
import { useColourScheme } from '../../drawing/use-colour-scheme.ts';
import { ListedBlocks } from '../../panels/block-downloads.tsx';
import { ModeChoice, TypeChoice } from '../../panels/choices.tsx';
import { BAND_ORDER, bandSwatch } from '../../panels/legend-swatches.ts';
import { PeopleLegend } from '../../panels/people-legend.tsx';
import { Sentences, sentencesOf } from '../../panels/people-sentences.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { useMap } from '../../state/map-context.ts';
import type { Loaded } from '../map-view.ts';

/**
 * Panel of minutes to the nearest POI of a type: mode and type, the legend, and the blocks in view.
 */
export function NearestPanel({ blocks, area }: Pick<Loaded, 'blocks' | 'area'>) {
  const { choice, change } = useMap();
  const { mode, timing, type } = choice;
  const title = mapTitle(mode, type.name);
  const stated = { mode, dest_type_id: type.id, ...timingOf([mode], timing) };
  const view = blocks.value;
  const list = view && nearestList(view.blocks, view.of, view.seen, stated);
  return (
    <>
      <div class="map-choices">
        <ModeChoice mode={mode} onMode={(next) => change({ mode: next, type: type.id })} />
        <TypeChoice type={type.id} onType={(next) => change({ mode, type: next })} />
      </div>
      <section aria-labelledby="legend">
        <h2 id="legend">{title}</h2>
        <TransitTimes modes={[mode]} />
        <Legend title={title} blocks={blocks} />
        <Sentences of={sentencesOf(blocks, area, sayNear(type.name))} />
        {area.value && <Groups area={area.value} />}
        <ListedBlocks list={list} />
      </section>
    </>
  );
}

const Groups = onRequest(
  'the groups',
  async () => (await import('./groups-panel.tsx')).GroupsPanel,
);

const NEAR_CLASSES = 3;

/** Legend of minutes to the nearest POI: the people in view and in the area by class. */
function Legend(props: { readonly title: string; readonly blocks: Loaded['blocks'] }) {
  const { title, blocks } = props;
  const scheme = useColourScheme();
  const view = blocks.value;
  const rows = BAND_ORDER.map((band) => ({
    swatch: bandSwatch(band, scheme),
    people: view?.sums.people[band] ?? null,
    inArea: view?.inArea?.people[band],
  }));
  return <PeopleLegend caption={`${title}: people in view by minutes`} by="Minutes" rows={rows} />;
}

/** Says which share of people is within 15 minutes of a POI of a type. */
export function sayNear(typeName: string) {
  return (tally: Tally, where: string): string => {
    if (tally.allPeople === 0) return `There are no people ${where}.`;
    const near = percent(shareWithin(tally, NEAR_CLASSES));
    return `${near} of ${count(tally.allPeople)} people ${where} are within 15 minutes of ${anyOf(typeName)}.`;
  };
}
