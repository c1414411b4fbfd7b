import { useEffect, useId, useState } from 'preact/hooks';

interface ComboboxOption {
  readonly key: string | number;
  readonly label: string;
  /** Quiet words after the label. */
  readonly note?: string | null;
  choose(): void;
}

interface ComboboxProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly options: readonly ComboboxOption[];
  /** A sentence on the matches for screen readers. */
  readonly said: string;
  /** Called when Escape is pressed and no list is shown. */
  readonly onEscape: () => void;
  /** Called when the focus leaves; with it, a click shows the list before anything is typed. */
  readonly onLeave?: () => void;
}

/** A field with a list of matches, if there are any, as in the ARIA authoring practices. */
export function Combobox(props: ComboboxProps) {
  const { label, placeholder = '', text, onText, options, said, onLeave } = props;
  const id = useId();
  const { isOpen, setOpen, isShown, active, choose, onKey } = useMatches(id, props);
  return (
    <div class="combobox">
      <input
        type="text"
        aria-label={label}
        role="combobox"
        autoComplete="off"
        spellcheck={false}
        placeholder={placeholder}
        aria-expanded={isShown}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        value={text}
        onInput={(event) => {
          onText(event.currentTarget.value);
          setOpen(true);
        }}
        onKeyDown={onKey}
        onFocus={(event) => onLeave && event.currentTarget.select()}
        onClick={() => onLeave && setOpen(true)}
        onBlur={() => {
          setOpen(false);
          onLeave?.();
        }}
      />
      <Matches id={id} options={isShown ? options : []} active={active} onChoose={choose} />
      <p class={isShown ? 'unseen' : 'quiet'} role="status">
        {isShown ? said : isOpen && onLeave && text !== '' && 'No match.'}
      </p>
    </div>
  );
}

/** Whether the list is open, the active match (-1: none), and how keys change both. */
function useMatches(id: string, { text, options, onEscape }: ComboboxProps) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  // No option stays active, since the list changes with the text.
  useEffect(() => setActive(-1), [text.trim()]);
  const isShown = isOpen && options.length > 0;
  useEffect(() => {
    if (isShown) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, isShown]);
  const choose = (at: number) => {
    options[at].choose();
    setOpen(false);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && options.length > 0) {
      event.preventDefault();
      setOpen(true);
      const from = active < 0 && step < 0 ? 0 : active;
      setActive((from + step + options.length) % options.length);
    } else if (event.key === 'Enter' && isShown) {
      event.preventDefault();
      choose(Math.max(active, 0));
    } else if (event.key === 'Escape') {
      if (isShown) setOpen(false);
      else onEscape();
    }
  };
  return { isOpen, setOpen, isShown, active, choose, onKey };
}

/** The list below a combobox, hidden without options. */
function Matches(props: {
  readonly id: string;
  readonly options: readonly ComboboxOption[];
  readonly active: number;
  readonly onChoose: (at: number) => void;
}) {
  const { id, options, active, onChoose } = props;
  return (
    <div
      id={`${id}-list`}
      class="search-list"
      role="listbox"
      aria-label="Matches"
      hidden={options.length === 0}
    >
      {options.map(({ key, label, note }, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys
        <div
          key={key}
          id={`${id}-${i}`}
          class="search-option"
          role="option"
          tabIndex={-1}
          aria-selected={i === active}
          // Keeps the focus in the input.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(i)}
        >
          {label} {note && <span class="quiet">{note}</span>}
        </div>
      ))}
    </div>
  );
}
