import type { ComponentChildren } from 'preact';
import { blockList, type Listing } from '../blocks/block-lists.ts';
import type { Measure } from '../blocks/measures.ts';
import type { InView, LoadedInView } from '../blocks/use-in-view.ts';
import type { Scheme, Shown } from '../drawing/paint.ts';
import { ListedBlocks } from '../panels/block-downloads.tsx';
import { BAND_ORDER, bandSwatch, groundSwatches } from '../panels/legend.tsx';
import { PeopleLegend, type PeopleRow } from '../panels/people-legend.tsx';
import { UNCOUNTED } from '../panels/words.tsx';
import type { Choice } from '../state/choice.ts';
import type { MapState } from '../state/map-state.ts';
import type { MapView, Viewed } from './map-view.ts';

/**
 * A view of what the public objects of counties say of the blocks in view. `viewed` has the state,
 * the choice and the area that the blocks are measured for.
 */
export interface FreeView<Of, Sums extends People> {
  /** Null: there is nothing to measure. */
  measure(state: MapState, choice: Choice): Measure<Of, Sums> | null;
  /** The colouring without the blocks. */
  picture(viewed: Viewed): Omit<Extract<Shown, { of: 'classes' }>, 'of' | 'blocks'>;
  /** Classes of the blocks by colour. */
  classes(of: Of, viewed: Viewed): Uint8Array;
  /** Words for a block. */
  words(of: Of, i: number, viewed: Viewed): string | null;
  /** Rows of the legend. `of`: null until the blocks are measured; `isShort`: in few words. */
  rows(of: Of | null, viewed: Viewed, isShort?: boolean): readonly PeopleRow<Sums>[];
  /**
   * Says what some sums of people are; `where` follows the word people: `in view`, `in Port
   * Meridian`.
   */
  say(view: InView<Of, Sums>, viewed: Viewed): (sums: Sums, where: string) => string;
  list(of: Of, viewed: Viewed): Listing | null;
}

/** Sums up all people of some blocks, and what a view shows of them. */
interface People {
  readonly allPeople: number;
}

/** Rows of bands, whose people some sums have by band. */
export function bandRows<Sums>(
  scheme: Scheme,
  peopleOf: (sums: Sums) => readonly number[],
): readonly PeopleRow<Sums>[] {
  return BAND_ORDER.map((band) => ({
    swatch: bandSwatch(band, scheme),
    peopleOf: (sums) => peopleOf(sums)[band],
  }));
}

type Measured = 'measure' | 'summary' | 'legend' | 'shown' | 'minutesOf';

/** The members of a view that its measure decides. */
export function freeView<Of, Sums extends People>(
  free: FreeView<Of, Sums>,
): Pick<Required<MapView>, Measured> {
  return {
    measure: free.measure,
    summary(now) {
      const { state } = now.inView;
      return state === 'here' ? sentencesIn(free, now).at(-1)! : null;
    },
    legend(now) {
      const { catalogue, scheme } = now;
      const rows = free.rows(inViewOf(free, now).value?.of ?? null, asked(now));
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
function inViewOf<Of, Sums extends People>(
  _: FreeView<Of, Sums>,
  { inView }: Viewed,
): LoadedInView<Of, Sums> {
  return inView as LoadedInView<Of, Sums>;
}

/** Everything as it was when the blocks in view were asked for. */
function asked(now: Viewed): Viewed {
  return { ...now, ...now.inView.value?.asked };
}

/**
 * Sentences on the blocks in view, or on why they are not counted; then on the chosen area, which
 * are the most particular.
 */
function sentencesIn<Of, Sums extends People>(
  free: FreeView<Of, Sums>,
  now: Viewed,
): readonly string[] {
  const viewed = asked(now);
  const { state, value } = inViewOf(free, viewed);
  if (state !== 'here') return [UNCOUNTED[state]];
  const { sums, inArea } = value;
  const sayAny = free.say(value, viewed);
  const say = (of: Sums, where: string) =>
    of.allPeople === 0 ? `There are no people ${where}.` : sayAny(of, where);
  const area = viewed.area.value;
  return [say(sums, 'in view'), ...(inArea && area ? [say(inArea, `in ${area.name}`)] : [])];
}

/** The people in view and in the area by class, in a legend and in words, and the blocks. */
export function PeopleInView<Of, Sums extends People>(props: {
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
  const rows = free.rows(value?.of ?? null, viewed, isShort);
  const listing = value && free.list(value.of, viewed);
  return (
    <>
      {rows.length > 0 && (
        <PeopleLegend
          {...{ caption, by, rows }}
          inView={value?.sums ?? null}
          inArea={value?.inArea ?? null}
        />
      )}
      {sentencesIn(free, viewed).map((sentence, i) => (
        <p key={i} role="status" class={i === 0 ? 'people-sum' : ''}>
          {sentence}
        </p>
      ))}
      {children}
      <ListedBlocks list={listing && blockList(value.blocks, value.seen, 'in view', listing)} />
    </>
  );
}
