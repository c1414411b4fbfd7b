import { useId } from 'preact/hooks';

/** One of some values, by their names. */
export function Choice<Value extends string | number>(props: {
  readonly label: string;
  readonly options: Readonly<Record<string, Value>>;
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  const { label, options, chosen, onChoose } = props;
  const id = useId();
  return (
    <span class="choice">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={Object.keys(options).find((name) => options[name] === chosen)}
        onChange={({ currentTarget }) => onChoose(options[currentTarget.value])}
      >
        {Object.keys(options).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
