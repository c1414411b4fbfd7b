import { useState } from 'preact/hooks';
import type { Mode } from '../../../client/src/index.ts';
import { count } from '../../parts/formats.ts';
import { useWeights, WeightChoice } from '../layout/weight-choice.tsx';
import { accessRequest } from '../paid/access-request.ts';
import { Paid } from '../paid/paid.tsx';
import type { PaidRequests } from '../paid/use-paid-requests.ts';
import type { Direction, Origin } from '../state/map-state.ts';
import { SumsTable } from './sums-table.tsx';

/** Counted with the reach itself. */
const PEOPLE = 'people';
/** Chosen at first, where the release has it. */
const JOBS = 'jobs';

/** Jobs, or another weight of the release, within reach of a block; nothing without weights. */
export function Opportunities(props: {
  readonly origin: Origin;
  readonly mode: Mode;
  readonly direction: Direction;
  readonly requests: PaidRequests;
}) {
  const { origin, mode, direction, requests } = props;
  const [chosen, setChosen] = useState(JOBS);
  const weights = useWeights().filter(({ weight }) => weight !== PEOPLE);
  const shown = weights.find(({ weight }) => weight === chosen) ?? weights[0];
  if (shown === undefined) return null;
  const { weight, label, unit } = shown;
  const request = accessRequest(origin, mode, direction, weight);
  return (
    <section class="opportunities" aria-labelledby="opportunities">
      <h3 id="opportunities">Jobs and others in reach</h3>
      <WeightChoice weights={weights} weight={weight} onWeight={setChosen} />
      <Paid requests={requests} request={request} label="Count them">
        {(counts) =>
          counts.length === 0 ? (
            <p>Not known: no street near.</p>
          ) : (
            <SumsTable
              caption={label}
              heads={['Within', unit]}
              rows={counts.map((one) => ({
                name: `${one.minutes} min`,
                figures: [count(one.count)],
              }))}
            />
          )
        }
      </Paid>
    </section>
  );
}
