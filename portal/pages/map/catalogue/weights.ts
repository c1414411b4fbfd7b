export interface Weight {
  readonly weight: string;
  readonly label: string;
  /** The noun of what is counted, in the plural. */
  readonly unit: string;
  /** Whether it is counted within reach of every block. */
  readonly area_access: boolean;
  /** How far counts are from what was counted, if the source says so. */
  readonly noise?: {
    readonly typical_error: readonly {
      readonly counts: string;
      readonly error: string;
      readonly source: string;
    }[];
  } | null;
}

/** Units of weights in the order in which they are offered; others follow. */
const UNITS = ['jobs', 'workers', 'people', 'housing units', 'households'];
const WAGES = ['low_wage', 'mid_wage', 'high_wage'];

/** Orders weights by their units, each as a whole before its parts, and wages from low to high. */
export function inOrder<T extends { readonly weight: string; readonly unit: string }>(
  weights: readonly T[],
): readonly T[] {
  const byPart = weights.toSorted((a, b) => partOf(a.weight) - partOf(b.weight));
  return byPart.toSorted((a, b) => placeOf(a.unit) - placeOf(b.unit));
}

function placeOf(unit: string): number {
  return UNITS.includes(unit) ? UNITS.indexOf(unit) : UNITS.length;
}

/** 0 for a weight as a whole, 1 to 3 for its parts by wage. */
function partOf(weight: string): number {
  return 1 + WAGES.findIndex((wage) => weight.endsWith(`_${wage}`));
}
