import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { counted } from '../../formats.ts';
import { Notice } from '../../parts/notice.tsx';
import type { Bill, Outcome, PaidRequest } from './paid-request.ts';
import { useRequests } from './use-paid-requests.ts';

/** A button with the price of a request, then the result with its bill, or the failure in words. */
export function Paid<T>(props: {
  readonly request: PaidRequest<T>;
  /** Label of the button, such as `Load the reach`. */
  readonly label: string;
  /** Name of what is paid for, on its bill, where there are several. */
  readonly what?: string;
  readonly children?: (value: T) => ComponentChildren;
}) {
  const { request, label, what, children } = props;
  const requests = useRequests();
  const outcome = requests.outcomeOf<T>(request.name);
  const group = useRef<HTMLDivElement>(null);
  // The pressed button is replaced; without this, the focus would move to the top of the page.
  const pressed = (act: () => void) => () => {
    group.current?.focus({ preventScroll: true });
    act();
  };
  return (
    <div ref={group} class="paid" tabIndex={-1}>
      {outcome.state === 'done' ? (
        <>
          {children?.(outcome.value)}
          <p class="bill" role="status">
            {what && `${what}: `}
            {billed(outcome.bill)}
          </p>
        </>
      ) : outcome.state === 'busy' ? (
        <div class="paid-busy" role="status">
          <span>Loading …</span>
          <button type="button" class="button button-small" onClick={pressed(outcome.cancel)}>
            Cancel
          </button>
        </div>
      ) : (
        <>
          {outcome.state === 'failed' && <Failure {...outcome} />}
          <button
            type="button"
            class="button button-main paid-button"
            onClick={pressed(() => requests.send(request))}
          >
            <span>{outcome.state === 'failed' ? 'Try again' : label}</span>
            <span class="price">{counted(request.price, 'token')} at most</span>
          </button>
        </>
      )}
    </div>
  );
}

function Failure({ message, bill }: Extract<Outcome<unknown>, { state: 'failed' }>) {
  return (
    <Notice kind="fault">
      {message} {billed(bill)}
    </Notice>
  );
}

function billed({ charged, remaining }: Bill): string {
  if (charged === 0 && remaining === null) return 'Nothing charged.';
  const left = remaining === null ? '' : `, ${counted(remaining, 'token')} left`;
  return `${counted(charged, 'token')} charged${left}.`;
}
