import { PERCENTILE } from './names.ts';

/** Describes the times of transit trips, if any are shown. */
export function PercentileNote({ modes }: { readonly modes: readonly string[] }) {
  return modes.includes('transit') ? <p class="quiet">{PERCENTILE}</p> : null;
}
