import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';

interface Tab {
  readonly name: string;
  readonly content: ComponentChildren;
}

/** Tabs: arrow keys, Home and End move between them, as in the ARIA authoring practices. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const [shown, setShown] = useState(0);
  const buttons = useRef<(HTMLButtonElement | null)[]>([]);
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const next = nextByKey(event.key, shown, tabs.length);
    if (next === undefined) return;
    event.preventDefault();
    setShown(next);
    buttons.current[next]?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ name }, i) => (
          <button
            key={name}
            ref={(button) => {
              buttons.current[i] = button;
            }}
            type="button"
            role="tab"
            id={`${id}-tab-${i}`}
            aria-selected={i === shown}
            aria-controls={`${id}-panel`}
            tabIndex={i === shown ? 0 : -1}
            onClick={() => setShown(i)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-tab-${shown}`}>
        {tabs[shown].content}
      </div>
    </div>
  );
}

/** Index to which a key moves the focus in a row of items; `undefined` if it moves none. */
export function nextByKey(key: string, at: number, length: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowRight: (at + 1) % length,
    ArrowLeft: (at + length - 1) % length,
    Home: 0,
    End: length - 1,
  };
  return targets[key];
}
