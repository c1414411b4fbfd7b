import { BAND_ENDS } from '../shards/bands/time-bands.ts';

/** Colours of a map: of each class from the nearest on, and of what is in none. */
export interface MapColours {
  readonly classes: readonly string[];
  /** Not within the last class. */
  readonly beyond: string;
  /** Stripes over `beyond`, of blocks without a street near. */
  readonly stripe: string;
  /** Outside the data: neutral, so that it is not taken for water. */
  readonly outside: string;
  readonly water: string;
  readonly blockLine: string;
  readonly chosen: string;
  /** Around an outline, so that it is seen on every colour. */
  readonly halo: string;
  /**
   * Classes of two times: only A, A much sooner, A sooner, alike, B sooner, B much sooner, only B.
   */
  readonly difference: readonly string[];
}

/**
 * One hue path from blue to yellow by even steps of lightness, the nearest with the most contrast
 * to the page. Neighbours differ by ΔE2000 ≥ 10, and by ≥ 7 in each kind of colour blindness.
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

/** `0–5`, `5–10` … as a legend has them. */
export function classLabel(index: number): string {
  return `${BAND_ENDS[index - 1] ?? 0}–${BAND_ENDS[index]}`;
}
