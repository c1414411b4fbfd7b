import type { MAP_COLOURS } from '../../../map-classes.ts';
import { count, percent } from '../../formats.ts';
import type { BaseMap } from '../base-map-style.ts';
import { shareWithin } from '../blocks/coloured-blocks.ts';
import type { LoadedBlocks } from '../blocks/use-blocks-in-view.ts';
import { BAND_ORDER, bandSwatch } from './legend-swatches.ts';
import { PeopleLegend } from './people-legend.tsx';
import { UNCOUNTED } from './uncounted.ts';

const NEAR_CLASSES = 3;

/**
 * Legend of minutes to the nearest POI: the people in view by class, and the share within 15
 * minutes.
 */
export function Legend(props: {
  readonly scheme: keyof typeof MAP_COLOURS;
  readonly baseMap: BaseMap | null;
  readonly title: string;
  readonly blocks: LoadedBlocks;
}) {
  const { scheme, baseMap, title, blocks } = props;
  const tally = blocks.state === 'here' ? blocks.view.tally : null;
  const rows = BAND_ORDER.map((band) => ({
    swatch: bandSwatch(band, scheme),
    people: tally?.people[band] ?? null,
  }));
  return (
    <>
      <PeopleLegend
        baseMap={baseMap}
        scheme={scheme}
        caption={`${title}: people in view by minutes`}
        by="Minutes"
        rows={rows}
      />
      <p role="status" class="people-sum">
        {sentenceOf(blocks)}
      </p>
    </>
  );
}

/** A sentence on the people within 15 minutes, or on why they are not counted. */
function sentenceOf(blocks: LoadedBlocks): string {
  if (blocks.state === 'failed') return `${UNCOUNTED.failed} The colours are unaffected.`;
  if (blocks.state !== 'here') return UNCOUNTED[blocks.state];
  const { tally } = blocks.view;
  if (tally.allPeople === 0) return 'No one lives in the area shown.';
  const near = percent(shareWithin(tally, NEAR_CLASSES));
  return `${near} of ${count(tally.allPeople)} people in view are within 15 minutes.`;
}
