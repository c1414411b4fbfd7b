import type { ComponentChildren } from 'preact';
import { nextPageOf, nextParameter, PAGE_PATHS } from '../../page-paths.ts';
import { navigate, usePath } from './router.ts';

/** Link to an internal page, shown without a page load. */
export function Link(props: {
  readonly to: string;
  readonly class?: string;
  /** Returns the address at the time of a click, if it depends on that. */
  readonly toNow?: () => string;
  readonly children: ComponentChildren;
}) {
  const { to, toNow = () => to, children } = props;
  const isHere = usePath() === to;
  const follow = (event: MouseEvent) => {
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0;
    if (isElsewhere) return;
    event.preventDefault();
    navigate(toNow());
  };
  // A new tab takes the address from the link.
  const renew = ({ currentTarget }: { readonly currentTarget: HTMLAnchorElement }) => {
    currentTarget.href = toNow();
  };
  return (
    <a
      href={to}
      class={props.class}
      aria-current={isHere ? 'page' : undefined}
      onClick={follow}
      onPointerDown={renew}
      onFocus={renew}
    >
      {children}
    </a>
  );
}

/** Link to the sign-in page, which leads back here: to the map, to its very state. */
export function SignInLink(props: {
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const toNow = () => {
    const next = nextPageOf(location.pathname + location.hash);
    return next === PAGE_PATHS.overview
      ? PAGE_PATHS.signIn
      : `${PAGE_PATHS.signIn}?next=${nextParameter(next)}`;
  };
  return (
    <Link to={PAGE_PATHS.signIn} {...props} toNow={toNow}>
      {props.children}
    </Link>
  );
}
