import { MAP_COLOURS } from '../../../map-classes.ts';
import { count } from '../../parts/formats.ts';
import type { BaseMap } from '../base-map-style.ts';
import { BEYOND, UNROUTED } from '../blocks/block-bands.ts';
import { classWords } from '../blocks/block-files.ts';
import { MAX_COUNTIES, shareWithin, type Tally } from '../blocks/coloured-blocks.ts';
import type { LoadedBlocks } from '../blocks/use-blocks-in-view.ts';
import { SwatchBox } from './swatches.tsx';

/** Classes from the nearest on, then beyond, then no street. */
const ORDER = [1, 2, 3, 4, 5, 6, BEYOND, UNROUTED];
const NEAR_CLASSES = 3;

/** The legend of the map: a histogram of the people in view, as a table. */
export function Legend(props: {
  readonly scheme: keyof typeof MAP_COLOURS;
  readonly baseMap: BaseMap | null;
  readonly title: string;
  readonly blocks: LoadedBlocks;
}) {
  const { scheme, baseMap, title, blocks } = props;
  const { classes, beyond, stripe, outside, water } = MAP_COLOURS[scheme];
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
          {ORDER.map((band) => (
            <tr key={band}>
              <th scope="row">
                <SwatchBox
                  colour={classes[band - 1] ?? beyond}
                  {...(band === UNROUTED && { stripe })}
                />
                {classWords(band)}
              </th>
              <td class="number">
                {tally && <Bar share={tally.people[band] / most} />}
                {tally ? count(tally.people[band]) : ''}
              </td>
              <td class="number">{tally ? shareText(tally, band) : ''}</td>
            </tr>
          ))}
          {groundOf(baseMap).map(([kind, label]) => (
            <tr key={label}>
              <th scope="row" colSpan={3}>
                <SwatchBox colour={kind === 'water' ? water : outside} />
                {label}
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

/** The surroundings of the blocks: a style of another service has colours of its own. */
function groundOf(baseMap: BaseMap | null): readonly (readonly ['water' | 'outside', string])[] {
  if (baseMap === null) return [['outside', 'water, or outside the data']];
  if (!('archive' in baseMap)) return [];
  return [
    ['water', 'water'],
    ['outside', 'outside the data'],
  ];
}
