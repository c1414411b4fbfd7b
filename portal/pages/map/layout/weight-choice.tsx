import type { Weight } from '../measures/weights.ts';
import { Choose } from './choices.tsx';

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
