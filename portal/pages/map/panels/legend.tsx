import type { MAP_COLOURS } from '../../../map-classes.ts';
import { count } from '../../parts/formats.ts';
import type { BaseMap } from '../base-map-style.ts';
import { classWords } from '../blocks/block-files.ts';
import { MAX_COUNTIES, shareWithin, type Tally } from '../blocks/coloured-blocks.ts';
import type { LoadedBlocks } from '../blocks/use-blocks-in-view.ts';
import { BAND_ORDER, bandSwatch, groundSwatches } from './legend-swatches.ts';
import { SwatchBox } from './swatches.tsx';

const NEAR_CLASSES = 3;

/** The legend of the map: a histogram of the people in view, as a table. */
export function Legend(props: {
  readonly scheme: keyof typeof MAP_COLOURS;
  readonly baseMap: BaseMap | null;
  readonly title: string;
  readonly blocks: LoadedBlocks;
}) {
  const { scheme, baseMap, title, blocks } = props;
  const tally = blocks.state === 'here' ? blocks.view.tally : null;
  const most = tally ? Math.max(1, ...tally.people) : 1;
  return (
    <>
      <table class="people-legend">
        <caption class="unseen">{title}: people in view by minutes</caption>
        <thead>
          <tr>
            <th scope="col">Minutes</th>
            <th scope="col">People in view</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {BAND_ORDER.map((band) => (
            <tr key={band}>
              <th scope="row">
                <SwatchBox {...bandSwatch(band, scheme)} />
                {classWords(band)}
              </th>
              <td class="number">
                {tally && <Bar share={tally.people[band] / most} />}
                {tally ? count(tally.people[band]) : ''}
              </td>
              <td class="number">{tally ? shareText(tally, band) : ''}</td>
            </tr>
          ))}
          {groundSwatches(baseMap, scheme).map((swatch) => (
            <tr key={swatch.label}>
              <th scope="row" colSpan={3}>
                <SwatchBox {...swatch} />
                {swatch.label}
              </th>
            </tr>
          ))}
        </tbody>
      </table>
      <p role="status" class="people-sum">
        {sentenceOf(blocks)}
      </p>
    </>
  );
}

/** The people within 15 minutes, or the reason that they are not counted. */
function sentenceOf(blocks: LoadedBlocks): string {
  switch (blocks.state) {
    case 'loading':
      return 'Counting people …';
    case 'failed':
      return 'People could not be counted: the API is away. The colours are unaffected.';
    case 'too-many':
      return `Zoom in to count people: more than ${MAX_COUNTIES} counties are in view.`;
    case 'here': {
      const { tally } = blocks.view;
      if (tally.allPeople === 0) return 'Nobody lives in view.';
      const near = percent(shareWithin(tally, NEAR_CLASSES));
      return `${near} of ${count(tally.allPeople)} people in view are within 15 minutes.`;
    }
  }
}

function shareText({ people, allPeople }: Tally, band: number): string {
  return allPeople === 0 ? '' : percent(people[band] / allPeople);
}

/** `0.4 %` below one per cent, so that few is not none. */
function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 1 ? value.toFixed(1) : Math.round(value)} %`;
}

const BAR = { width: 56, height: 10 };

function Bar({ share }: { readonly share: number }) {
  return (
    <svg
      class="people-bar"
      viewBox={`0 0 ${BAR.width} ${BAR.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect width={share * BAR.width} height={BAR.height} />
    </svg>
  );
}
