import type { ComponentType } from 'preact';
import { isTransit } from '../../../../shards/modes.ts';
import type { Timing } from '../../../../shards/services.ts';
import type { Operations, ParamsOf } from '../../../client/src/index.ts';
import { bodyOf, type LoadedArea } from '../blocks/area-blocks.ts';
import type { Measure } from '../blocks/measures.ts';
import type { LoadedInView } from '../blocks/use-in-view.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { serviceOf, timingWords } from '../catalogue/windows.ts';
import type { Scheme, Shown } from '../drawing/paint.ts';
import type { Outcomes, PaidCall } from '../paid/paid-request.ts';
import type { Swatch } from '../panels/legend.tsx';
import type { Profile } from '../profile/profile-request.ts';
import type { Choice } from '../state/choice.ts';
import type { MapState } from '../state/map-state.ts';

/** Everything that a view may be drawn from. */
export interface Viewed {
  readonly catalogue: Catalogue;
  readonly state: MapState;
  readonly choice: Choice;
  readonly scheme: Scheme;
  /** The paid requests, whose results views show. */
  readonly requests: Outcomes;
  /** The blocks in view, as the view measures them. */
  readonly inView: LoadedInView<unknown, unknown>;
  readonly area: LoadedArea;
  /** The most POIs around the area that may be sites; null while they are not counted. */
  readonly mostSites: number | null;
  /** Name of the POI at the origin, if there is one. */
  readonly poiName: string | null;
  /** The exact minutes of the selected block. */
  readonly profile: Profile | null;
}

/** Computes a value, and again only once one of its parts is another. */
export function kept<Of, Value>(
  partsOf: (of: Of) => readonly unknown[],
  compute: (of: Of) => Value,
): (of: Of) => Value {
  let last: { readonly parts: readonly unknown[]; readonly value: Value } | null = null;
  return (of) => {
    const parts = partsOf(of);
    if (!last?.parts.every((one, i) => one === parts[i])) last = { parts, value: compute(of) };
    return last.value;
  };
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
