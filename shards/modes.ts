/** Walking speed of `walk_slow`, in kilometres an hour. */
export const SLOW_WALK_KMH = 3.2;

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
  {
    modeId: 4,
    mode: 'walk_slow',
    description: `On foot at ${SLOW_WALK_KMH} km/h, along the streets and paths of \`walk\`.`,
  },
  {
    modeId: 5,
    mode: 'step_free',
    description:
      'On foot or on wheels without stairs, raised curbs, and ways, gates and elevators tagged as unusable with a wheelchair, at the speed of `walk`; never sooner than `walk`.',
  },
  {
    modeId: 6,
    mode: 'transit_step_free',
    description:
      'By scheduled public transit, door to door, with the walks of `step_free`: on trips, and at stops, that are not stated to be unusable in a wheelchair, and in stations without stairs and escalators; never sooner than `transit`.',
  },
] as const;

export type Mode = (typeof MODES)[number]['mode'];
export type ModeId = (typeof MODES)[number]['modeId'];

/** Modes with a timetable: their times depend on the window of departures and the percentile. */
export const TRANSIT_MODES = ['transit', 'transit_step_free'] as const;
export type TransitMode = (typeof TRANSIT_MODES)[number];

export function isTransit(mode: string): mode is TransitMode {
  return (TRANSIT_MODES as readonly string[]).includes(mode);
}

export type StreetMode = Exclude<Mode, TransitMode>;

export const MODE_LABELS: readonly Mode[] = MODES.map((m) => m.mode);

/** The modes of a release that was built without further ones; transit only if it has feeds. */
export const BASE_MODES: readonly Mode[] = ['walk', 'bike', 'transit'];

/** The modes that a build adds where it is asked to. */
export const FURTHER_MODES = ['walk_slow', 'step_free', 'transit_step_free'] as const;
export type FurtherMode = (typeof FURTHER_MODES)[number];

/**
 * The further modes among some services, in the order of their ids. Step-free transit begins with a
 * step-free walk, so a release has both.
 */
export function furtherModesOf(services: readonly string[]): FurtherMode[] {
  const needed = services.includes('transit_step_free') ? ['step_free'] : [];
  return FURTHER_MODES.filter((mode) => services.includes(mode) || needed.includes(mode));
}

export type FurtherWalk = Exclude<FurtherMode, TransitMode>;

export function furtherWalksOf(services: readonly string[]): FurtherWalk[] {
  return furtherModesOf(services).filter((mode) => mode !== 'transit_step_free');
}

/** The street modes that blocks have links of their own for. */
export type LinkMode = Exclude<StreetMode, 'walk_slow'>;

/** All modes that indexes may record links for. */
export const ALL_LINK_MODES: readonly LinkMode[] = ['walk', 'bike', 'step_free'];

/** The modes whose links every index records, in order; others follow where a release has them. */
export const LINK_MODES: readonly LinkMode[] = ['walk', 'bike'];

/** The links that a journey by a mode or service starts on. */
export function linkModeOf(service: string): LinkMode {
  const [mode] = service.split('.');
  if (mode === 'transit_step_free') return 'step_free';
  return mode === 'bike' || mode === 'step_free' ? mode : 'walk';
}

/** The modes whose links an index of a release with some services records, in order. */
export function linkModesOf(services: readonly string[]): LinkMode[] {
  return [...new Set([...LINK_MODES, ...services.map(linkModeOf)])];
}

const WORDS: Readonly<Record<string, string>> = {
  walk: 'on foot',
  bike: 'by bike',
  transit: 'by transit',
  walk_slow: `on foot at ${SLOW_WALK_KMH} km/h`,
  step_free: 'on foot without steps',
  transit_step_free: 'by transit without steps',
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
