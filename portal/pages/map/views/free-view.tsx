import type { ComponentChildren } from 'preact';
import type { BlockList } from '../blocks/block-lists.ts';
import type { Measure } from '../blocks/measures.ts';
import type { InView, LoadedInView } from '../blocks/use-in-view.ts';
import type { Shown } from '../drawing/paint.ts';
import { ListedBlocks } from '../panels/block-downloads.tsx';
import { groundSwatches } from '../panels/legend-swatches.ts';
import { PeopleLegend, type PeopleRow } from '../panels/people-legend.tsx';
import { type Say, Sentences, sentencesOf } from '../panels/people-sentences.tsx';
import type { Choice } from '../state/choice.ts';
import type { MapState } from '../state/map-state.ts';
import type { MapView, Viewed } from './map-view.ts';

/**
 * A view of what the public objects of counties say of the blocks in view. `viewed` has the state,
 * the choice and the area that the blocks are measured for.
 */
export interface FreeView<Of, Sums> {
  /** Null: there is nothing to measure. */
  measure(state: MapState, choice: Choice): Measure<Of, Sums> | null;
  /** The colouring without the blocks. */
  picture(viewed: Viewed): Omit<Extract<Shown, { of: 'classes' }>, 'of' | 'blocks'>;
  /** Classes of the blocks by colour. */
  classes(of: Of, viewed: Viewed): Uint8Array;
  /** Words for a block. */
  words(of: Of, i: number, viewed: Viewed): string | null;
  /** Rows of the legend; people are null until counted. `isShort`: in few words. */
  rows(view: InView<Of, Sums> | null, viewed: Viewed, isShort?: boolean): readonly PeopleRow[];
  say(view: InView<Of, Sums>, viewed: Viewed): Say<Sums>;
  list(view: InView<Of, Sums>, viewed: Viewed): BlockList | null;
}

type Measured = 'measure' | 'summary' | 'legend' | 'shown' | 'minutesOf';

/** The members of a view that its measure decides. */
export function freeView<Of, Sums>(free: FreeView<Of, Sums>): Pick<Required<MapView>, Measured> {
  return {
    measure: free.measure,
    summary(now) {
      const { state } = now.inView;
      return state === 'here' ? sentencesIn(free, now).at(-1)! : null;
    },
    legend(now) {
      const { catalogue, scheme } = now;
      const rows = free.rows(inViewOf(free, now).value, asked(now));
      return [...rows.map(({ swatch }) => swatch), ...groundSwatches(catalogue.baseMap, scheme)];
    },
    shown(now) {
      const viewed = asked(now);
      const { value } = inViewOf(free, viewed);
      const blocks = value && {
        geoids: value.blocks.geoids,
        classes: free.classes(value.of, viewed),
      };
      return { of: 'classes', ...free.picture(viewed), blocks };
    },
    minutesOf(now, geoid) {
      const viewed = asked(now);
      const { value } = inViewOf(free, viewed);
      const at = value?.blocks.geoids.indexOf(geoid) ?? -1;
      return value === null || at === -1 ? null : free.words(value.of, at, viewed);
    },
  };
}

/** The blocks in view, which `useInView` has measured as the view states. */
function inViewOf<Of, Sums>(_: FreeView<Of, Sums>, { inView }: Viewed): LoadedInView<Of, Sums> {
  return inView as LoadedInView<Of, Sums>;
}

/** Everything as it was when the blocks in view were asked for. */
function asked(now: Viewed): Viewed {
  return { ...now, ...now.inView.value?.asked };
}

function sentencesIn<Of, Sums>(free: FreeView<Of, Sums>, now: Viewed): readonly string[] {
  const viewed = asked(now);
  return sentencesOf(inViewOf(free, viewed), viewed.area, (view) => free.say(view, viewed));
}

/** The people in view and in the area by class, in a legend and in words, and the blocks. */
export function PeopleInView<Of, Sums>(props: {
  readonly of: FreeView<Of, Sums>;
  readonly viewed: Viewed;
  readonly caption: string;
  /** Head of the first column. */
  readonly by: string;
  readonly isShort?: boolean;
  /** Shown between the sentences and the blocks. */
  readonly children?: ComponentChildren;
}) {
  const { of: free, caption, by, isShort, children } = props;
  const viewed = asked(props.viewed);
  const { value } = inViewOf(free, viewed);
  const rows = free.rows(value, viewed, isShort);
  return (
    <>
      {rows.length > 0 && <PeopleLegend {...{ caption, by, rows }} />}
      <Sentences of={sentencesIn(free, viewed)} />
      {children}
      <ListedBlocks list={value && free.list(value, viewed)} />
    </>
  );
}
