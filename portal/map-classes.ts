import { BAND_ENDS } from '../shards/bands/time-bands.ts';

/** Colours of a map: one per class, nearest first, and those of everything outside the classes. */
export interface MapColours {
  readonly classes: readonly string[];
  /** Colour of blocks that are not within the last class. */
  readonly beyond: string;
  /** Colour of the stripes over `beyond` on blocks without a street near. */
  readonly stripe: string;
  /** Colour outside the data: neutral, so that it is not taken for water. */
  readonly outside: string;
  readonly water: string;
  readonly blockLine: string;
  readonly chosen: string;
  /** Colour of a line of transit whose feed gives none. */
  readonly route: string;
  /** Colour around an outline, so that the outline is visible on every colour. */
  readonly halo: string;
  /**
   * Colours of the classes of two times: only A, A much sooner, A sooner, alike, B sooner, B much
   * sooner, only B.
   */
  readonly difference: readonly string[];
}

/**
 * Colours of the classes in every scheme, so that a color means the same in all pictures: one hue
 * path from blue to yellow in even steps of lightness. Neighbouring classes differ by ΔE2000 ≥ 10,
 * and in each kind of colour blindness by ≥ 7; each differs by more from the ground of each scheme.
 */
const CLASSES = ['#12508a', '#1a74a6', '#2b9ba3', '#62b89d', '#a6d597', '#eae686'];

export const MAP_COLOURS: Readonly<Record<'light' | 'dark', MapColours>> = {
  light: {
    classes: CLASSES,
    beyond: '#f6f4ef',
    stripe: '#a0606e',
    outside: '#dad8d3',
    water: '#b8cddd',
    blockLine: '#7d8791',
    chosen: '#c2185b',
    route: '#85430a',
    halo: '#ffffff',
    difference: ['#0a3f7f', '#3d80c0', '#9cc4e4', '#c4c2bb', '#f3bf85', '#d17f2a', '#85430a'],
  },
  dark: {
    classes: CLASSES,
    beyond: '#2b2a29',
    stripe: '#a8707c',
    outside: '#07090b',
    water: '#0d1a26',
    blockLine: '#56626b',
    chosen: '#ff6fa3',
    route: '#ffd39a',
    halo: '#07090b',
    difference: ['#a5d4ff', '#559fe0', '#2f5f8f', '#4f5458', '#8a5a24', '#dd9440', '#ffd39a'],
  },
};

/** Label of a class in a legend: `0–5`, `5–10` … */
export function classLabel(index: number): string {
  return `${BAND_ENDS[index - 1] ?? 0}–${BAND_ENDS[index]}`;
}
