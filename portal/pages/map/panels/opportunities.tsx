import { count } from '../../formats.ts';
import { WeightChoice } from '../layout/weight-choice.tsx';
import { accessRequest } from '../paid/access-request.ts';
import { Paid } from '../paid/paid.tsx';
import { PEOPLE } from '../state/choice.ts';
import type { Origin } from '../state/map-state.ts';
import { SumsTable } from './sums-table.tsx';
import type { ViewProps } from './view-props.ts';

/** Jobs, or another weight of the release, within reach of an origin; nothing without weights. */
export function Opportunities(props: ViewProps & { readonly origin: Origin }) {
  const { catalogue, state, choice, change, requests, origin } = props;
  if (choice.weight === null) return null;
  const { weight, label, unit } = choice.weight;
  const request = accessRequest(origin, choice.mode, state.direction, weight);
  return (
    <section class="opportunities" aria-labelledby="opportunities">
      <h3 id="opportunities">Jobs and others in reach</h3>
      <WeightChoice
        weights={catalogue.weights.filter((one) => one.weight !== PEOPLE)}
        weight={weight}
        onWeight={(next) => change({ weight: next })}
      />
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
