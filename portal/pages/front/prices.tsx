import { PLANS } from '../../plans.ts';
import { count } from '../parts/formats.ts';
import { Section } from '../parts/section.tsx';

const { free_grant, membership, token_packs, charges } = PLANS;

/** Prices; offers appear only where they are available. */
export function Prices(props: { readonly isSold: boolean; readonly hasGrants: boolean }) {
  const { isSold, hasGrants } = props;
  return (
    <Section id="prices" title="What it costs">
      <ul class="prices">
        {hasGrants && (
          <li class="card">
            <h3>To begin with</h3>
            <p class="price">Free</p>
            <p>{count(free_grant.tokens)} tokens, once.</p>
          </li>
        )}
        {isSold && (
          <li class="card card-accent">
            <h3>Membership</h3>
            <p class="price">
              ${membership.price_usd} <small>a {membership.interval}</small>
            </p>
            <p>
              {count(membership.tokens_per_month)} tokens each month; isochrones and map tiles cost
              nothing.
            </p>
          </li>
        )}
        {(isSold ? token_packs : []).map(({ id, tokens, price_usd }) => (
          <li class="card" key={id}>
            <h3>{count(tokens)} tokens</h3>
            <p class="price">${price_usd}</p>
            <p>Once. They do not run out with time.</p>
          </li>
        ))}
      </ul>
      <p class="quiet">
        A row costs {charges.row} token, an isochrone contour {charges.isochrone_contour}, a map
        tile {charges.tile}; a request at least {charges.minimum}. An unchanged answer (304), a
        failed request and everything about the data themselves cost nothing.
      </p>
    </Section>
  );
}
