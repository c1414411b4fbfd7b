import type { ComponentChildren } from 'preact';
import { counted } from '../../parts/formats.ts';
import { Notice } from '../../parts/notice.tsx';
import type { Bill, Purchase } from './purchase.ts';
import type { Desk } from './use-desk.ts';

/** A purchase with its price, then the result with its bill, or the failure in words. */
export function Paid<T>(props: {
  readonly desk: Desk;
  readonly purchase: Purchase<T>;
  /** Label of the button, such as `Load the reach`. */
  readonly label: string;
  readonly children?: (value: T) => ComponentChildren;
}) {
  const { desk, purchase, label, children } = props;
  const outcome = desk.outcomeOf<T>(purchase.name);
  if (outcome.state === 'bought') {
    return (
      <div class="paid">
        {children?.(outcome.value)}
        <p class="bill" role="status">
          {billed(outcome.bill)}
        </p>
      </div>
    );
  }
  if (outcome.state === 'busy') {
    return (
      <div class="paid paid-busy" role="status">
        <span>Loading …</span>
        <button type="button" class="button button-small" onClick={outcome.cancel}>
          Cancel
        </button>
      </div>
    );
  }
  return (
    <div class="paid">
      {outcome.state === 'failed' && (
        <Notice kind="fault">
          {outcome.message} {billed(outcome.bill)}
        </Notice>
      )}
      <button
        type="button"
        class="button button-main paid-button"
        onClick={() => desk.buy(purchase)}
      >
        <span>{outcome.state === 'failed' ? 'Try again' : label}</span>
        <span class="price">{counted(purchase.price, 'token')} at most</span>
      </button>
    </div>
  );
}

function billed({ charged, remaining }: Bill): string {
  if (charged === 0 && remaining === null) return 'Nothing charged.';
  const left = remaining === null ? '' : `, ${counted(remaining, 'token')} left`;
  return `${counted(charged, 'token')} charged${left}.`;
}
