import type { PortalConfig } from '../../answers.ts';
import { buyPack } from '../api/portal.ts';
import { count } from '../parts/formats.ts';
import { Section } from '../parts/section.tsx';

/** Tokens that are bought once. */
export function TokenPacks(props: {
  readonly packs: PortalConfig['plans']['token_packs'];
  /** Leads to a page of the payment processor; `null` where nothing can be paid. */
  readonly pay: ((askAddress: () => Promise<string>) => void) | null;
}) {
  const { packs, pay } = props;
  return (
    <Section id="packs" title="Token packs">
      <ul class="prices">
        {packs.map(({ id, tokens, price_usd }) => (
          <li class="card" key={id}>
            <h3>{count(tokens)} tokens</h3>
            <p class="price">${price_usd}</p>
            {pay && (
              <button
                type="button"
                class="button"
                aria-label={`Buy ${count(tokens)} tokens`}
                onClick={() => pay(() => buyPack(id))}
              >
                Buy
              </button>
            )}
          </li>
        ))}
      </ul>
      <p class="quiet">Bought once; they do not run out with time.</p>
    </Section>
  );
}
