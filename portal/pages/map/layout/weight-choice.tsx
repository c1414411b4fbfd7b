import type { DataOf } from '../../../client/src/index.ts';
import { useApi } from '../../api/use-api.ts';
import { useLoaded } from '../../api/use-loaded.ts';
import { Choose } from './choices.tsx';

/** A count per block of the release: people, jobs, a group. */
export type Weight = DataOf<'getWeights'>['weights'][number];

/** The weights of the release; none while they are loaded, and where they cannot be. */
export function useWeights(): readonly Weight[] {
  const api = useApi();
  const weights = useLoaded(() => api.getWeights());
  return weights.state === 'here' ? weights.value.data.weights : [];
}

export function WeightChoice(props: {
  readonly weights: readonly Pick<Weight, 'weight' | 'label'>[];
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
