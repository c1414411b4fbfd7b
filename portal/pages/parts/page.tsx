import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

const SITE = 'Travel-Time Access';
let isFirst = true;

/**
 * A page: its title, and its heading, which takes the focus on navigation, so that keyboards and
 * screen readers start at the top.
 */
export function Page(props: {
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const { title, heading = title, lead } = props;
  const headingRef = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title === SITE ? SITE : `${title} · ${SITE}`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) headingRef.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <div class={`page ${props.class ?? ''}`}>
      <header class="page-head">
        <h1 ref={headingRef} tabIndex={-1}>
          {heading}
        </h1>
        {lead && <p class="lead">{lead}</p>}
      </header>
      {props.children}
    </div>
  );
}

export function Section(props: {
  readonly id: string;
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}) {
  const { id, title, aside } = props;
  return (
    <section class={`section ${props.class ?? ''}`} aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {props.children}
    </section>
  );
}
