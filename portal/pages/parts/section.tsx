import type { ComponentChildren } from 'preact';

/** A part of a page with a heading. */
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
