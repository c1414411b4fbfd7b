import type { ComponentChildren } from 'preact';
import { counted } from '../../parts/formats.ts';
import { Notice } from '../../parts/notice.tsx';
import type { Bill, PaidRequest } from './paid-request.ts';
import type { PaidRequests } from './use-paid-requests.ts';

/** A button with the price of a request, then the result with its bill, or the failure in words. */
export function Paid<T>(props: {
  readonly requests: PaidRequests;
  readonly request: PaidRequest<T>;
  /** Label of the button, such as `Load the reach`. */
  readonly label: string;
  readonly children?: (value: T) => ComponentChildren;
}) {
  const { requests, request, label, children } = props;
  const outcome = requests.outcomeOf<T>(request.name);
  if (outcome.state === 'done') {
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
        onClick={() => requests.send(request)}
      >
        <span>{outcome.state === 'failed' ? 'Try again' : label}</span>
        <span class="price">{counted(request.price, 'token')} at most</span>
      </button>
    </div>
  );
}

function billed({ charged, remaining }: Bill): string {
  if (charged === 0 && remaining === null) return 'Nothing charged.';
  const left = remaining === null ? '' : `, ${counted(remaining, 'token')} left`;
  return `${counted(charged, 'token')} charged${left}.`;
}
