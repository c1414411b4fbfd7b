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
  /** Colour around an outline, so that the outline is visible on every colour. */
  readonly halo: string;
  /**
   * Colours of the classes of two times: only A, A much sooner, A sooner, alike, B sooner, B much
   * sooner, only B.
   */
  readonly difference: readonly string[];
}

/**
 * Colours by scheme: one hue path from blue to yellow in even steps of lightness, with the nearest
 * class having the most contrast to the page. Neighbouring classes differ by ΔE2000 ≥ 10, and in
 * each kind of colour blindness by ≥ 7.
 */
export const MAP_COLOURS: Readonly<Record<'light' | 'dark', MapColours>> = {
  light: {
    classes: ['#093558', '#11608d', '#20909c', '#5bb39a', '#a3d395', '#eae686'],
    beyond: '#f6f4ef',
    stripe: '#a0606e',
    outside: '#dad8d3',
    water: '#b8cddd',
    blockLine: '#7d8791',
    chosen: '#c2185b',
    halo: '#ffffff',
    difference: ['#0a3f7f', '#3d80c0', '#9cc4e4', '#c4c2bb', '#f3bf85', '#d17f2a', '#85430a'],
  },
  dark: {
    classes: ['#fef8b8', '#aed789', '#65b892', '#419398', '#276793', '#2e4566'],
    beyond: '#1d262b',
    stripe: '#a8707c',
    outside: '#07090b',
    water: '#0d1a26',
    blockLine: '#56626b',
    chosen: '#ff6fa3',
    halo: '#07090b',
    difference: ['#a5d4ff', '#559fe0', '#2f5f8f', '#4f5458', '#8a5a24', '#dd9440', '#ffd39a'],
  },
};

/** Label of a class in a legend: `0–5`, `5–10` … */
export function classLabel(index: number): string {
  return `${BAND_ENDS[index - 1] ?? 0}–${BAND_ENDS[index]}`;
}
