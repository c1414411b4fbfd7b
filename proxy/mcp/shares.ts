import type { CoverageRow } from '../../portal/client/src/index.ts';

/** A row of coverage in the words of a model: shares, not sums alone. */
export function sharesOf(
  { dest_type_id, mode, total, within, beyond, no_data }: CoverageRow,
  names: ReadonlyMap<number, string>,
) {
  const sums = within as Readonly<Record<string, number>>;
  const type = names.get(dest_type_id) ?? String(dest_type_id);
  return { type, mode, total, within: sums, beyond, no_data };
}

export type Shares = ReturnType<typeof sharesOf>;

/** `Supermarkets by walk: 5 min 12.3 % … beyond 30 min 4 %`. */
export function sharesText({ type, mode, total, within, beyond, no_data }: Shares): string {
  const parts = Object.entries(within).map(([minutes, n]) => `${minutes} min ${percent(n, total)}`);
  const unknown = no_data > 0 ? `, unknown ${percent(no_data, total)}` : '';
  return `${type} by ${mode}: ${parts.join(', ')}, beyond 30 min ${percent(beyond, total)}${unknown}`;
}

/** One decimal; a part of nothing is unknown. */
export function percent(part: number, total: number): string {
  return total === 0 ? 'n/a' : `${Number(((100 * part) / total).toFixed(1))} %`;
}
