import { REQUEST_LIMITS } from '../../../../../proxy/http/request-limits.ts';
import { BAND_ENDS } from '../../../../../shards/bands/time-bands.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Criterion } from '../../measures/basket.ts';
import { Choose, ModeChoice, TypeChoice } from '../../panels/choices.tsx';

/**
 * A list for changing, adding and removing the criteria of a basket: each a type, a mode and
 * minutes.
 */
export function CriteriaList(props: {
  readonly catalogue: Catalogue;
  readonly criteria: readonly Criterion[];
  readonly onChange: (criteria: readonly Criterion[]) => void;
}) {
  const { catalogue, criteria, onChange } = props;
  const replace = (at: number, part: Partial<Criterion>) =>
    onChange(criteria.map((one, i) => (i === at ? { ...one, ...part } : one)));
  const add = () => {
    const unused = [...catalogue.everyday, ...catalogue.types.map(({ id }) => id)].find((type) =>
      criteria.every((one) => one.type !== type),
    );
    const { mode, minutes, type } = criteria.at(-1)!;
    onChange([...criteria, { type: unused ?? type, mode, minutes }]);
  };
  return (
    <fieldset class="criteria">
      <legend class="unseen">Criteria</legend>
      {criteria.map(({ type, mode, minutes }, i) => (
        <fieldset class="criterion" key={i}>
          <legend class="unseen">Criterion {i + 1}</legend>
          <TypeChoice
            label="Type"
            types={catalogue.types}
            type={type}
            onType={(next) => replace(i, { type: next })}
          />
          <ModeChoice mode={mode} onMode={(next) => replace(i, { mode: next })} />
          <Choose
            label="Minutes"
            value={minutes}
            options={BAND_ENDS.map((end) => [end, `${end} min`])}
            onChoose={(next) => replace(i, { minutes: Number(next) })}
          />
          <button
            type="button"
            class="button button-small button-quiet"
            aria-label={`Remove criterion ${i + 1}`}
            disabled={criteria.length === 1}
            onClick={() => onChange(criteria.filter((_, at) => at !== i))}
          >
            ×
          </button>
        </fieldset>
      ))}
      {criteria.length < REQUEST_LIMITS.criteria && (
        <button type="button" class="button button-small" onClick={add}>
          Add a criterion
        </button>
      )}
    </fieldset>
  );
}
