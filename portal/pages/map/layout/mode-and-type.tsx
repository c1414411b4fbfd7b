import { type MapType, modeName } from '../catalogue.ts';
import { Choose } from './choices.tsx';

export function ModeChoice(props: {
  readonly label?: string;
  readonly modes: readonly string[];
  readonly mode: string;
  readonly onMode: (mode: string) => void;
}) {
  const { label = 'Mode', modes, mode, onMode } = props;
  return (
    <Choose label={label} value={mode} onChoose={onMode}>
      {modes.map((one) => (
        <option key={one} value={one}>
          {modeName(one)}
        </option>
      ))}
    </Choose>
  );
}

export function TypeChoice(props: {
  readonly label?: string;
  readonly types: readonly MapType[];
  readonly type: number;
  readonly onType: (type: number) => void;
}) {
  const { label = 'To the nearest', types, type, onType } = props;
  const groups = [...new Set(types.map(({ group }) => group))];
  return (
    <Choose label={label} value={type} onChoose={(value) => onType(Number(value))}>
      {groups.map((group) => {
        const options = types
          .filter((one) => one.group === group)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ));
        return group === null ? (
          options
        ) : (
          <optgroup key={group} label={group}>
            {options}
          </optgroup>
        );
      })}
    </Choose>
  );
}
