import type { ComponentType } from 'preact';
import { isTransit } from '../../../../shards/modes.ts';
import type { Timing } from '../../../../shards/services.ts';
import type { DataOf, Operations, ParamsOf } from '../../../client/src/index.ts';
import { bodyOf, type LoadedArea } from '../blocks/area-blocks.ts';
import type { Measure } from '../blocks/measures.ts';
import type { LoadedInView } from '../blocks/use-in-view.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { serviceOf, timingWords } from '../catalogue/windows.ts';
import type { Scheme, Shown } from '../drawing/paint.ts';
import type { Comparison } from '../measures/comparison.ts';
import type { Reach } from '../measures/reach.ts';
import type { PaidCall, PaidRequest } from '../paid/paid-request.ts';
import type { Swatch } from '../panels/legend.tsx';
import type { Profile } from '../profile/profile-request.ts';
import type { Choice } from '../state/choice.ts';
import type { MapState } from '../state/map-state.ts';

/** The pages of a catchment, each of which is paid for separately. */
export interface Catchment {
  /** All blocks of the loaded pages; null if none is loaded. */
  readonly reach: Reach | null;
  /** The loaded pages, and the next; a catchment of few blocks has one page. */
  readonly pages: readonly PaidRequest<CatchmentPage>[];
  /** The POI, named as in the rows; null without rows. */
  readonly poi: { readonly dest_id: number; readonly name: string } | null;
}

export type CatchmentPage = DataOf<'listPoiCatchment'>;

/** Sites, as far as they are measured; null until then. */
export interface MeasuredSites {
  /** Null without sites, and for sites of a type without an area. */
  readonly request: PaidCall<DataOf<'measureSites'>> | null;
  readonly coverage: DataOf<'measureSites'> | null;
  /** Requests the reach of each site; null if the colours are free, or for too many sites. */
  readonly colours: PaidRequest<readonly Reach[]> | null;
  readonly reaches: readonly Reach[] | null;
  /** The minutes to the nearest site. */
  readonly nearest: Reach | null;
}

/** Data that views have loaded; null until then. */
export interface Loaded {
  /** Name of the POI at the origin, if there is one. */
  readonly poiName: string | null;
  /** The requests of A and B; a reach has A only. */
  readonly a: PaidRequest<Reach> | null;
  readonly b: PaidRequest<Reach> | null;
  readonly reach: Reach | null;
  readonly comparison: Comparison | null;
  readonly catchment: Catchment | null;
  /** The blocks in view, as the view measures them. */
  readonly inView: LoadedInView<unknown, unknown>;
  readonly area: LoadedArea;
  readonly sites: MeasuredSites;
  /** The exact minutes of the selected block. */
  readonly profile: Profile | null;
}

/** Everything that a view may be drawn from. */
export interface Viewed extends Loaded {
  readonly catalogue: Catalogue;
  readonly state: MapState;
  readonly choice: Choice;
  readonly scheme: Scheme;
}

export interface MapView {
  readonly name: string;
  /** Number of origins: none, A only, or A and B. */
  readonly sides: 0 | 1 | 2;
  /** How the blocks in view are measured, for free; null: there is nothing to measure. */
  readonly measure?: (state: MapState, choice: Choice) => Measure<unknown, unknown> | null;
  /** Title without the window of times by transit, which `titleOf` adds. */
  readonly title: (of: Viewed) => string;
  /** A sentence on the people in the chosen area, or else in view; null until they are counted. */
  readonly summary?: (of: Viewed) => string | null;
  readonly legend: (of: Viewed) => readonly Swatch[];
  /** Modes of the times that the view shows. */
  readonly modes: (choice: Choice) => readonly string[];
  /** Returns the colouring of the blocks. */
  readonly shown: (of: Viewed) => Shown;
  /** Words for the minutes of a block, by its GEOID; null if the map shows none. */
  readonly minutesOf: (of: Viewed, geoid: number) => string | null;
  readonly Panel: ComponentType<Viewed>;
  /** The requests whose responses the map and its panel show. */
  readonly requests: (of: Viewed) => readonly MapRequest[];
}

/** A request to the API, as a call of the TypeScript client. */
export interface MapRequest extends Pick<PaidCall<unknown>, 'operation' | 'parameters'> {
  /** Name shown to users, such as `Reach of A`. */
  readonly name: string;
  /** The member of the response that has the rows, or the sums of a basket. */
  readonly rows: 'results' | 'blocks' | 'basket';
}

export function mapRequest<O extends keyof Operations>(
  name: string,
  operation: O,
  parameters: ParamsOf<O>,
  rows: MapRequest['rows'] = 'results',
): MapRequest {
  return { name, operation, parameters: { ...parameters }, rows };
}

/** A paid request as one to show; none without one. */
export function asShown(
  name: string,
  paid: PaidCall<unknown> | null | undefined,
  rows: MapRequest['rows'] = 'results',
): readonly MapRequest[] {
  return paid ? [{ name, operation: paid.operation, parameters: paid.parameters, rows }] : [];
}

/**
 * The chosen area with its name, as the API takes it, or else the first county in view; null
 * without either, and while the chosen one is not known.
 */
export function summedArea({ area, inView }: Viewed) {
  if (area.value) return { name: area.value.name, body: bodyOf(area.value) };
  const county = inView.value?.blocks.counties[0];
  if (area.state !== 'none' || county === undefined) return null;
  return { name: county.name, body: { counties: [county.code] } };
}

/** The windows and percentiles of the transit times of a view: none, one, or those of A and B. */
export function timingsOf({ sides, modes }: MapView, choice: Choice): readonly Timing[] {
  const { timing, otherTiming } = choice;
  const all = modes(choice).flatMap((mode, i) =>
    isTransit(mode) ? [sides === 2 && i === 1 ? otherTiming : timing] : [],
  );
  return [...new Map(all.map((one) => [serviceOf('transit', one), one])).values()];
}

/**
 * The title of a view, and which times by transit it shows where the release has several, of
 * pictures and of the map for screen readers.
 */
export function titleOf(view: MapView, of: Viewed): string {
  const { windows } = of.catalogue;
  const times = timingsOf(view, of.choice).flatMap((one) => timingWords(windows, one) ?? []);
  return [view.title(of), ...times].join('; ');
}

export const NO_ORIGIN = 'No block chosen';
