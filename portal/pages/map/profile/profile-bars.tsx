import type { CategoryTime, DataOf, PoiTime } from '../../../client/src/index.ts';
import type { MapType } from '../catalogue/catalogue.ts';
import { byMode, modeName } from '../catalogue/mode-words.ts';
import { TransitNote } from '../panels/words.tsx';
import { useMap } from '../state/map-context.ts';
import { MAX_CATCHMENT_MINUTES } from '../state/map-state.ts';
import { useMarked } from './marked.ts';
import { markerId, type Profile } from './profile-request.ts';

/** Bars of minutes by type and mode, and the names of the POIs behind them. */
export function ProfileBars({ profile }: { readonly profile: Profile }) {
  const { catalogue } = useMap();
  const { pointed } = useMarked();
  const { rows, unrouted, nearest } = profile;
  const types = [...new Set([...rows.map((row) => row.dest_type_id), ...catalogue.everyday])];
  const known = catalogue.modes.filter((mode) => unrouted.every((one) => one.mode !== mode));
  const missing = types.filter((type) => rows.every((row) => row.dest_type_id !== type));
  return (
    <div class="profile">
      <TransitNote modes={known} />
      {types
        .filter((type) => !missing.includes(type))
        .map((type) => (
          <div
            key={type}
            class={`profile-type ${pointed === markerId(nearest.get(type)) ? 'is-pointed' : ''}`}
          >
            <h3>{catalogue.typeNames.get(type)}</h3>
            <Named poi={nearest.get(type)} />
            <ul class="bars">
              {known.map((mode) => (
                <Bar
                  key={mode}
                  mode={mode}
                  row={rows.find((row) => row.dest_type_id === type && row.mode === mode)}
                />
              ))}
            </ul>
          </div>
        ))}
      {known.length > 0 && missing.length > 0 && (
        <p class="quiet">
          Not within 30 minutes: {missing.map((type) => catalogue.typeNames.get(type)).join(', ')}.
        </p>
      )}
      {unrouted.map(({ mode }) => (
        <p key={mode} class="quiet">
          No street near {byMode(mode)}: these minutes are not known.
        </p>
      ))}
    </div>
  );
}

function Named({ poi }: { readonly poi: PoiTime | undefined }) {
  const { onPointed, onCatchment } = useMarked();
  if (poi === undefined) return null;
  const point = () => onPointed(markerId(poi)!);
  const leave = () => onPointed(null);
  return (
    <button
      type="button"
      class="poi-name"
      onPointerEnter={point}
      onPointerLeave={leave}
      onFocus={point}
      onBlur={leave}
      onClick={() => onCatchment(poi)}
      title="Show who reaches it"
    >
      {poi.name || 'without a name'}
    </button>
  );
}

function Bar({ mode, row }: { readonly mode: string; readonly row: CategoryTime | undefined }) {
  return (
    <li class={`bar bar-${mode}`}>
      <span class="bar-mode">{modeName(mode)}</span>
      <span class="bar-track">
        {row && (
          <span
            class="bar-fill"
            style={{ width: `${(row.travel_time / MAX_CATCHMENT_MINUTES) * 100}%` }}
          />
        )}
      </span>
      <span class="number">{row ? `${row.travel_time.toFixed(1)} min` : 'over 30'}</span>
    </li>
  );
}

/** Minutes to the nearest POI of each of further types, nearest first. */
export function OtherTypes(props: {
  readonly summary: DataOf<'getBlockSummary'>;
  readonly types: readonly MapType[];
  readonly mode: string;
}) {
  const { summary, types, mode } = props;
  const rows = summary.results.toSorted((a, b) => a.travel_time - b.travel_time);
  const names = new Map(types.map(({ id, name }) => [id, name]));
  const missing = types.filter(({ id }) => rows.every((row) => row.dest_type_id !== id));
  if (summary.unrouted !== undefined && summary.unrouted.length > 0) {
    return <p class="quiet">No street near {byMode(mode)}: these minutes are not known.</p>;
  }
  return (
    <>
      <table class="nearest">
        <caption>Minutes {byMode(mode)}</caption>
        <tbody>
          {rows.map(({ dest_type_id, travel_time }) => (
            <tr key={dest_type_id}>
              <th scope="row">{names.get(dest_type_id)}</th>
              <td class="number">{travel_time.toFixed(1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {missing.length > 0 && (
        <p class="quiet">Not within 30 minutes: {missing.map(({ name }) => name).join(', ')}.</p>
      )}
    </>
  );
}
