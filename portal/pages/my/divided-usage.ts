import type { UsageDay } from '../../responses.ts';

const DAY_MS = 86_400_000;

/** The last `number` UTC days up to today, oldest first, as `YYYY-MM-DD`. */
export function lastDays(number: number, nowMs: number): string[] {
  return Array.from({ length: number }, (_, i) =>
    new Date(nowMs - (number - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Tokens and requests per day, split into parts. */
export interface DividedUsage {
  /** Names of the parts, largest first. */
  readonly parts: readonly string[];
  readonly days: readonly DayUsage[];
  readonly tokens: number;
  readonly requests: number;
}

export interface DayUsage {
  readonly day: string;
  readonly tokens: number;
  readonly requests: number;
  /** Tokens of each part, in the order of `parts`. */
  readonly ofParts: readonly number[];
}

/**
 * Maximum number of parts that a chart can distinguish; if there are more, the last combines the
 * smaller ones.
 */
const MAX_PARTS = 4;
const REST = 'all others';

/** Groups usage by day, split into parts by name; days without usage are included. */
export function divideUsage(
  rows: readonly UsageDay[],
  days: readonly string[],
  nameOf: (row: UsageDay) => string,
): DividedUsage {
  const totals = new Map<string, number>();
  for (const row of rows) totals.set(nameOf(row), (totals.get(nameOf(row)) ?? 0) + row.tokens);
  const names = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name);
  const parts = names.length > MAX_PARTS ? [...names.slice(0, MAX_PARTS - 1), REST] : names;
  const partOf = (row: UsageDay) => {
    const at = parts.indexOf(nameOf(row));
    return at === -1 ? parts.length - 1 : at;
  };
  const laidOut = days.map((day) => {
    const ofDay = rows.filter((row) => row.day === day);
    const ofParts = parts.map(() => 0);
    for (const row of ofDay) ofParts[partOf(row)] += row.tokens;
    return { day, ofParts, tokens: sum(ofDay, 'tokens'), requests: sum(ofDay, 'requests') };
  });
  return { parts, days: laidOut, tokens: sum(rows, 'tokens'), requests: sum(rows, 'requests') };
}

function sum(rows: readonly UsageDay[], what: 'tokens' | 'requests'): number {
  return rows.reduce((all, row) => all + row[what], 0);
}
