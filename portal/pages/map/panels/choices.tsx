import { useState } from 'preact/hooks';
import type { Mode } from '../../../client/src/index.ts';
import { counted } from '../../formats.ts';
import { type MapType, typesBeginning } from '../catalogue/catalogue.ts';
import { modeName } from '../catalogue/mode-words.ts';
import type { Weight } from '../catalogue/weights.ts';
import { useMap } from '../state/map-context.ts';
import { Combobox } from './combobox.tsx';

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

export function Choose(props: {
  readonly label: string;
  readonly value: string | number;
  readonly options: readonly (readonly [value: string | number, text: string])[];
  readonly onChoose: (value: string) => void;
}) {
  const { label, value, options, onChoose } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function ModeChoice(props: {
  readonly label?: string;
  readonly mode: string;
  readonly onMode: (mode: Mode) => void;
}) {
  const { label = 'Mode', mode, onMode } = props;
  const { modes } = useMap().catalogue;
  return (
    <Choose
      label={label}
      value={mode}
      options={modes.map((one) => [one, modeName(one)])}
      onChoose={(next) => onMode(next as Mode)}
    />
  );
}

/** A choice of a type by typing a part of its name, or from the list of all. */
export function TypeChoice(props: {
  readonly label?: string;
  /** All by default. */
  readonly types?: readonly MapType[];
  readonly type: number;
  readonly onType: (type: number) => void;
}) {
  const { catalogue } = useMap();
  const all = [...catalogue.parents, ...catalogue.types];
  const { label = 'To the nearest', types = all, type, onType } = props;
  /** Null while nothing is typed. */
  const [text, setText] = useState<string | null>(null);
  const found = typesBeginning(types, text ?? '');
  return (
    <div class="field">
      <span aria-hidden="true">{label}</span>
      <Combobox
        label={label}
        text={text ?? types.find(({ id }) => id === type)?.name ?? ''}
        onText={setText}
        options={found.map(({ id, name, group }) => ({
          key: id,
          label: name,
          note: group !== null && !name.startsWith(group) ? group : null,
          choose() {
            setText(null);
            onType(id);
          },
        }))}
        said={counted(found.length, 'type')}
        onEscape={() => setText(null)}
        onLeave={() => setText(null)}
      />
    </div>
  );
}

export function WeightChoice(props: {
  readonly weights: readonly Weight[];
  readonly weight: string;
  readonly onWeight: (weight: string) => void;
}) {
  const { weights, weight, onWeight } = props;
  return (
    <Choose
      label="Count"
      value={weight}
      options={weights.map((one) => [one.weight, one.label])}
      onChoose={onWeight}
    />
  );
}
