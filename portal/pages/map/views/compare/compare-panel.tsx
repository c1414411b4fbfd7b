import type { ComponentProps } from 'preact';
import { useMemo } from 'preact/hooks';
import { isTransit } from '../../../../../shards/modes.ts';
import { count } from '../../../formats.ts';
import type { AreaBlocks, LoadedArea } from '../../blocks/area-blocks.ts';
import { type BlockFacts, comparisonList } from '../../blocks/block-lists.ts';
import { peopleOf, useBlockFacts } from '../../blocks/use-block-facts.ts';
import { byMode } from '../../catalogue/mode-words.ts';
import { useColourScheme } from '../../drawing/use-colour-scheme.ts';
import {
  type Comparison,
  changesOf,
  DEAD_BAND_MINUTES,
  laterOf,
  soonerOf,
} from '../../measures/comparison.ts';
import { cumulative } from '../../measures/reach.ts';
import { Paid } from '../../paid/paid.tsx';
import { ListedBlocks } from '../../panels/block-downloads.tsx';
import { ModeChoice, Switch } from '../../panels/choices.tsx';
import { differenceSwatches, reachSwatches, Swatches } from '../../panels/legend.tsx';
import { MinutesSlider } from '../../panels/minutes-slider.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { WindowChoice } from '../../panels/transit-times.tsx';
import { FarNote, originName, transitWords } from '../../panels/words.tsx';
import { useMap } from '../../state/map-context.ts';
import type { MapState, Origin } from '../../state/map-state.ts';
import { timingsOf, type Viewed } from '../map-view.ts';
import { sidesOf } from '../reach/reach-view.ts';
import { compareView, comparisonIn } from './compare-view.ts';

const SHOWN: readonly (readonly [MapState['compared'], string])[] = [
  ['difference', 'Difference'],
  ['both', 'Both'],
  ['a', 'A'],
  ['b', 'B'],
];

export function ComparePanel(viewed: Viewed) {
  const { catalogue, choice, poiName, area } = viewed;
  const [a, b] = sidesOf(viewed);
  const comparison = comparisonIn(viewed);
  const isSame = a?.name === b?.name;
  const [nameOfA, nameOfB] = useSideNames(poiName);
  return (
    <section class="view" aria-labelledby="compare">
      <h2 id="compare">Compare A with B</h2>
      {timingsOf(compareView, choice).map((timing) => (
        <p key={JSON.stringify(timing)} class="quiet">
          {transitWords(catalogue, timing)}
        </p>
      ))}
      {a === null || b === null ? (
        <p class="quiet">Select a block on the map, then “Use as A”.</p>
      ) : (
        <>
          <Sides poiName={poiName} />
          {isSame ? (
            <p class="quiet">
              Choose another mode {catalogue.windows.length > 0 && 'or other departures '}for B, or
              select another block and “Use as B”.
            </p>
          ) : (
            <>
              <Paid request={a} label="Load A" what={nameOfA} />
              <Paid request={b} label="Load B" what={nameOfB} />
              {comparison !== null && (
                <Compared comparison={comparison} names={[nameOfA, nameOfB]} area={area} />
              )}
            </>
          )}
        </>
      )}
    </section>
  );
}

/** Names of A and B: `A, block 990010012003080 on foot`. */
function useSideNames(poiName: string | null): readonly [string, string] {
  const { state, choice } = useMap();
  const { origin, otherOrigin } = state;
  const nameOf = (one: Origin | null, name: string | null) => one && originName(one, name);
  const a = nameOf(origin, poiName);
  const b = nameOf(otherOrigin, null) ?? a;
  return [`A, ${a} ${byMode(choice.mode)}`, `B, ${b} ${byMode(choice.otherMode)}`];
}

function Sides({ poiName }: Pick<Viewed, 'poiName'>) {
  const { state, choice, change } = useMap();
  const { origin, otherOrigin } = state;
  const { mode, timing, otherMode, otherTiming } = choice;
  return (
    <div class="sides">
      <div class="side side-a">
        <h3>A</h3>
        <p>{originName(origin!, poiName)}</p>
        <ModeChoice
          label="Mode of A"
          mode={mode}
          onMode={(next) => change({ mode: next, otherMode })}
        />
        <SideTimes
          of="A: "
          {...{ mode, timing }}
          onTiming={(next) => change({ timing: next, otherTiming })}
        />
      </div>
      <div class="side side-b">
        <h3>B</h3>
        <p>{otherOrigin === null ? 'the same' : originName(otherOrigin, null)}</p>
        <ModeChoice
          label="Mode of B"
          mode={otherMode}
          onMode={(next) => change({ otherMode: next })}
        />
        <SideTimes
          of="B: "
          mode={otherMode}
          timing={otherTiming}
          onTiming={(next) => change({ otherTiming: next })}
        />
      </div>
    </div>
  );
}

/** The choice of the departures of a side, where it is by transit and the release has several. */
function SideTimes(props: ComponentProps<typeof WindowChoice> & { readonly mode: string }) {
  const { mode, ...choice } = props;
  const hasChoice = isTransit(mode) && useMap().catalogue.windows.length > 0;
  return hasChoice ? <WindowChoice {...choice} /> : null;
}

function Compared(props: {
  readonly comparison: Comparison;
  readonly names: readonly [string, string];
  readonly area: LoadedArea;
}) {
  const { comparison, names, area } = props;
  const { state, change } = useMap();
  const scheme = useColourScheme();
  const { minutes, compared } = state;
  const { facts, isFar } = useBlockFacts(comparison.geoids);
  return (
    <>
      <MinutesSlider />
      <Shares {...{ comparison, facts, minutes }} area={area.value} />
      <Switch
        label="Color blocks by"
        name="compared"
        values={SHOWN}
        chosen={compared}
        onChoose={(next) => change({ compared: next })}
      />
      <p class="quiet">{names.join('; ')}</p>
      {compared === 'difference' ? (
        <Swatches isSingle entries={differenceSwatches(scheme)} />
      ) : (
        <Swatches entries={reachSwatches(scheme, minutes)} />
      )}
      {isFar && <FarNote />}
      <ListedBlocks list={facts && comparisonList(facts, comparison, minutes)} />
    </>
  );
}

/** Sums within `minutes` of A, B, both and either, and how B differs from A. */
function Shares(props: {
  readonly comparison: Comparison;
  /** Null while people are not known. */
  readonly facts: BlockFacts | null;
  readonly minutes: number;
  readonly area: AreaBlocks | null;
}) {
  const { comparison, facts, minutes, area } = props;
  const people = useMemo(() => facts && peopleOf(facts), [facts]);
  const ofArea = useMemo(() => facts && area && peopleOf(facts, area), [facts, area]);
  const each = useMemo(() => new Uint8Array(comparison.geoids.length).fill(1), [comparison]);
  const counts = [
    ...(people ? [{ name: 'people', weights: people }] : []),
    ...(area && ofArea ? [{ name: `people of ${area.name}`, weights: ofArea }] : []),
    { name: 'blocks', weights: each },
  ];
  const within = (of: Uint8Array) =>
    counts.map(({ weights }) => cumulative(of, weights, minutes)[minutes]);
  const changes = counts.map(({ weights }) => changesOf(comparison, weights, minutes));
  const rowsOf = (columns: readonly (readonly number[])[]) =>
    counts.map(({ name }, i) => ({ name, figures: columns.map((sums) => count(sums[i])) }));
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
