/**
 * Travel modes in the order of their ids. There is no drive mode. Which of them a release has
 * stands in its manifest.
 */
export const MODES = [
  { modeId: 1, mode: 'walk', description: 'On foot along streets and paths.' },
  {
    modeId: 2,
    mode: 'bike',
    description:
      'By bicycle on streets a careful adult would ride, walking the bike past the rest.',
  },
  {
    modeId: 3,
    mode: 'transit',
    description:
      'By scheduled public transit, door to door: the walk to the stop, the wait, the ride, transfers, and the walk at the end.',
  },
] as const;

export type Mode = (typeof MODES)[number]['mode'];
export type ModeId = (typeof MODES)[number]['modeId'];

/** Modes that are searched on a street network alone. */
export type StreetMode = Exclude<Mode, 'transit'>;

export const MODE_LABELS: readonly Mode[] = MODES.map((m) => m.mode);

const WORDS: Readonly<Record<string, string>> = {
  walk: 'on foot',
  bike: 'by bike',
  transit: 'by transit',
};

/**
 * A mode or service in a sentence: `on foot`, `by bike`, `by transit`, `by transit (midday)`,
 * `by transit (am, percentile 50)`.
 */
export function byMode(service: string): string {
  const [mode, departure, percentile] = service.split('.');
  const words = WORDS[mode] ?? `by ${mode}`;
  if (departure === undefined) return words;
  return `${words} (${departure}${percentile === undefined ? '' : `, percentile ${percentile}`})`;
}

const ID_BY_LABEL = new Map<Mode, ModeId>(MODES.map((m) => [m.mode, m.modeId]));

export function modeIdOf(mode: Mode): ModeId {
  return ID_BY_LABEL.get(mode)!;
}

export function isMode(label: string): label is Mode {
  return ID_BY_LABEL.has(label as Mode);
}
