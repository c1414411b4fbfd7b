import { PLANS } from '../../../proxy/plans.ts';
import { count } from '../formats.ts';
import { Section } from '../parts/page.tsx';

const { free_grant, membership, token_packs, charges } = PLANS;

/** Prices; offers appear only where they are available. */
export function Prices(props: { readonly isSold: boolean; readonly hasGrants: boolean }) {
  const { isSold, hasGrants } = props;
  return (
    <Section id="prices" title="Pricing">
      <ul class={isSold ? 'prices' : 'prices prices-one'}>
        {hasGrants && (
          <li class="card">
            <h3>Free to start</h3>
            <p class="price">$0</p>
            <p>{count(free_grant.tokens)} tokens for every new account.</p>
          </li>
        )}
        {isSold && (
          <li class="card card-accent">
            <h3>Membership</h3>
            <p class="price">
              ${membership.price_usd} <small>per {membership.interval}</small>
            </p>
            <p>
              {count(membership.tokens_per_month)} tokens each month; isochrones and map tiles are
              free.
            </p>
          </li>
        )}
        {(isSold ? token_packs : []).map(({ id, tokens, price_usd }) => (
          <li class="card" key={id}>
            <h3>{count(tokens)} tokens</h3>
            <p class="price">${price_usd}</p>
            <p>One-time purchase. Tokens do not expire.</p>
          </li>
        ))}
      </ul>
      <p class="quiet">
        A row costs {charges.row} token, an isochrone contour {charges.isochrone_contour}, a map
        tile {charges.tile}, the sums of an area or a basket {charges.area_minimum} or more, a site{' '}
        {charges.site} (at least {charges.sites_minimum}); a request costs at least{' '}
        {charges.minimum}. Exported tables have prices of their own. Unchanged responses (304),
        failed requests, and catalogue and metadata requests are free.
      </p>
    </Section>
  );
}
