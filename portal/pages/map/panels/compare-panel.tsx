import { useMemo } from 'preact/hooks';
import { count } from '../../formats.ts';
import { useApi } from '../../session/use-api.ts';
import { type BlockFacts, comparisonList } from '../blocks/block-lists.ts';
import { peopleOf, useBlockFacts } from '../blocks/use-block-facts.ts';
import { Switch } from '../layout/choices.tsx';
import { MinutesSlider } from '../layout/minutes-slider.tsx';
import { ModeChoice } from '../layout/mode-and-type.tsx';
import {
  type Comparison,
  changesOf,
  DEAD_BAND_MINUTES,
  laterOf,
  soonerOf,
} from '../measures/comparison.ts';
import { cumulative } from '../measures/reach.ts';
import { Paid } from '../paid/paid.tsx';
import { sidesOf } from '../paid/reach-request.ts';
import type { MapState } from '../state/map-state.ts';
import { BlockDownloads } from './block-downloads.tsx';
import { BlockTable } from './block-table.tsx';
import { FarNote } from './far-note.tsx';
import { differenceSwatches, reachSwatches } from './legend-swatches.ts';
import { originName } from './names.ts';
import { PercentileNote } from './percentile-note.tsx';
import { SumsTable } from './sums-table.tsx';
import { Swatches } from './swatches.tsx';
import type { ViewProps } from './view-props.ts';

const SHOWN: readonly (readonly [MapState['compared'], string])[] = [
  ['difference', 'Difference'],
  ['both', 'Both'],
  ['a', 'A'],
  ['b', 'B'],
];

/** Panel of two reaches side by side, of two blocks or by two modes. */
export function ComparePanel(props: ViewProps) {
  const { catalogue, state, choice, change, requests, scheme, poiName, comparison } = props;
  const { origin, otherOrigin, minutes, compared } = state;
  const { mode, otherMode } = choice;
  const [a, b] = sidesOf(state, choice);
  const geoids = comparison?.geoids ?? null;
  const { facts, isFar } = useBlockFacts(useApi(), geoids, state.position, catalogue.bounds);
  const list = comparison && facts && comparisonList(facts, comparison, minutes);
  const both =
    origin === null
      ? []
      : [
          { sign: 'A', request: a! },
          { sign: 'B', request: b! },
        ];
  return (
    <section class="view" aria-labelledby="compare">
      <h2 id="compare">Compare A with B</h2>
      <PercentileNote modes={[mode, otherMode]} />
      {origin === null ? (
        <p class="quiet">Select a block on the map, then “Use as A”.</p>
      ) : (
        <>
          <div class="sides">
            <div class="side side-a">
              <h3>A</h3>
              <p>{originName(origin, poiName)}</p>
              <ModeChoice
                label="Mode of A"
                modes={catalogue.modes}
                mode={mode}
                onMode={(next) => change({ mode: next, otherMode })}
              />
            </div>
            <div class="side side-b">
              <h3>B</h3>
              <p>{otherOrigin === null ? 'the same' : originName(otherOrigin, null)}</p>
              <ModeChoice
                label="Mode of B"
                modes={catalogue.modes}
                mode={otherMode}
                onMode={(next) => change({ otherMode: next })}
              />
            </div>
          </div>
          {a?.name === b?.name ? (
            <p class="quiet">Choose another mode for B, or select another block and “Use as B”.</p>
          ) : (
            both.map(({ sign, request }) => (
              <Paid key={sign} requests={requests} request={request} label={`Load ${sign}`} />
            ))
          )}
          {comparison !== null && a?.name !== b?.name && (
            <>
              <MinutesSlider minutes={minutes} onMinutes={(next) => change({ minutes: next })} />
              <Shares comparison={comparison} facts={facts} minutes={minutes} />
              <Switch
                label="Colour blocks by"
                name="compared"
                values={SHOWN}
                chosen={compared}
                onChoose={(next) => change({ compared: next })}
              />
              {compared === 'difference' ? (
                <Swatches isSingle entries={differenceSwatches(scheme)} />
              ) : (
                <Swatches entries={reachSwatches(scheme)} />
              )}
              {isFar && <FarNote />}
              {list && <BlockTable list={list} />}
              {list && <BlockDownloads catalogue={catalogue} list={list} />}
            </>
          )}
        </>
      )}
    </section>
  );
}

/** Sums within `minutes` of A, B, both and either, and how B differs from A. */
function Shares(props: {
  readonly comparison: Comparison;
  /** Null while people are not known. */
  readonly facts: BlockFacts | null;
  readonly minutes: number;
}) {
  const { comparison, facts, minutes } = props;
  const people = useMemo(() => facts && peopleOf(facts), [facts]);
  const each = useMemo(() => new Uint8Array(comparison.geoids.length).fill(1), [comparison]);
  const weights = people === null ? [each] : [people, each];
  const within = (of: Uint8Array) => weights.map((one) => cumulative(of, one, minutes)[minutes]);
  const changes = weights.map((one) => changesOf(comparison, one, minutes));
  const names = people === null ? ['blocks'] : ['people', 'blocks'];
  const rowsOf = (columns: readonly (readonly number[])[]) =>
    names.map((name, i) => ({ name, figures: columns.map((sums) => count(sums[i])) }));
  const sets = [comparison.a, comparison.b, laterOf(comparison), soonerOf(comparison)].map(within);
  return (
    <div class="shares" aria-live="polite">
      <SumsTable
        caption={`Within ${minutes} minutes`}
        heads={['Counted', 'A', 'B', 'both', 'either']}
        rows={rowsOf(sets)}
      />
      <SumsTable
        caption={`Switching from A to B, within ${minutes} minutes`}
        heads={['Counted', 'gain', 'lose', `same (± ${DEAD_BAND_MINUTES} min)`]}
        rows={rowsOf([
          changes.map(({ gain }) => gain),
          changes.map(({ lose }) => lose),
          changes.map(({ alike }) => alike),
        ])}
      />
    </div>
  );
}
