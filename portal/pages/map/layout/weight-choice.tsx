import { Choose } from './choices.tsx';

/** A count per block: people, jobs, a group. */
export interface Weight {
  readonly weight: string;
  readonly label: string;
  /** The noun of what is counted, in the plural. */
  readonly unit: string;
}

export function WeightChoice(props: {
  readonly weights: readonly Weight[];
  readonly weight: string;
  readonly onWeight: (weight: string) => void;
}) {
  const { weights, weight, onWeight } = props;
  return (
    <Choose label="Count" value={weight} onChoose={onWeight}>
      {weights.map((one) => (
        <option key={one.weight} value={one.weight}>
          {one.label}
        </option>
      ))}
    </Choose>
  );
}
