import type { ComponentChildren } from 'preact';

/** A row of alternatives, one of which is chosen: radio buttons that look like one switch. */
export function Switch<Value extends string>(props: {
  readonly label: string;
  readonly name: string;
  readonly values: readonly (readonly [value: Value, text: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  const { label, name, values, chosen, onChoose } = props;
  return (
    <fieldset class="switch">
      <legend class="unseen">{label}</legend>
      {values.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={value === chosen}
            onChange={() => onChoose(value)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A labelled list to choose from. */
export function Choose(props: {
  readonly label: string;
  readonly value: string | number;
  readonly onChoose: (value: string) => void;
  readonly children: ComponentChildren;
}) {
  const { label, value, onChoose, children } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {children}
      </select>
    </label>
  );
}
