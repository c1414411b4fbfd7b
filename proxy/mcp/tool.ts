import { z } from 'zod';
import { byMode, isTransit } from '../../shards/modes.ts';
import { counted, withCommas } from '../../shards/number-words.ts';
import {
  BASE_PERCENTILE,
  type ChosenTiming,
  isBaseTiming,
  timingOf,
} from '../../shards/services.ts';
import type { ToolCalls } from './tool-calls.ts';

/** Result of a tool: a short text for the reader, its content as data, and links to more of it. */
interface ToolResult<Data> {
  readonly text: string;
  readonly data: Data;
  readonly links?: readonly ToolLink[];
}

/** A resource too large for a conversation, such as a map or a table. */
export interface ToolLink {
  readonly name: string;
  readonly uri: string;
  readonly mimeType: string;
  readonly description?: string;
}

/** The portal, where people see maps; null if the service names none. */
export interface ToolSite {
  readonly accountUrl: string | null;
}

/** A read-only tool. Its schemas validate calls and are listed to clients. */
export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  /** Whether its results link a place that the embedded map can show. */
  readonly isOnMap?: boolean;
  /** Maximum price of a call in tokens, computed from its input; absent for tools that are free. */
  price?(input: z.output<Input>, calls: ToolCalls): Promise<number>;
  run(
    input: z.output<Input>,
    calls: ToolCalls,
    site: ToolSite,
  ): Promise<ToolResult<z.output<Output>>>;
}

/** Keeps inference at the definition, and returns the type of a table of tools. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Tool<Input, Output>,
): Tool {
  return definition as unknown as Tool;
}

/** Numbers keyed by two names, such as a type and minutes: shorter for a model than rows. */
export const table = z.record(z.string(), z.record(z.string(), z.number()));

/** Modes that an origin has no link for, and why; times by these modes are unknown. */
export const unrouted = z.array(z.string());

export function unroutedTexts(
  modes: readonly { readonly mode: string; readonly reason: string }[] = [],
): string[] {
  return modes.map(({ mode, reason }) => `Unknown ${byMode(mode)}: ${reason}`);
}

/** States which departures transit times refer to, since most departures take longer. */
export const TRANSIT_TIMES = `Transit times are the ${BASE_PERCENTILE}th percentile of departures on a weekday from 8:00 to 9:00: most departures take longer.`;

/** States which departures a result's times by transit refer to, if it has any. */
export function transitNotes(modes: readonly string[], asked: ChosenTiming): string[] {
  if (!modes.some(isTransit)) return [];
  const timing = timingOf(asked);
  if (isBaseTiming(timing)) return [TRANSIT_TIMES];
  const { departure, percentile } = timing;
  return [`Transit times are of the departures of ${departure}, at percentile ${percentile}.`];
}

/** Formats a population: `1,234 people`, or as unknown if null. */
export function population(people: number | null): string {
  return people === null ? 'unknown population' : counted(people, 'person', 'people');
}

/** Formats a part of a total: `1,234 (12.3 %)`; the percentage is `n/a` if the total is 0. */
export function share(part: number, total: number): string {
  return `${withCommas(part)} (${total === 0 ? 'n/a' : percentage(part, total)})`;
}

/** A percentage to a tenth, of which only none is 0 and only all is 100. */
function percentage(part: number, total: number): string {
  const rounded = Number(((100 * part) / total).toFixed(1));
  if (rounded === 0 && part > 0) return 'under 0.1 %';
  return rounded === 100 && part < total ? 'over 99.9 %' : `${rounded} %`;
}
