import { BEYOND, UNROUTED } from '../../../../shards/bands/time-bands.ts';
import { useFresh } from '../../api/use-loaded.ts';
import { classWords } from '../blocks/block-bands.ts';
import type { KnownBlock } from '../blocks/coloured-blocks.ts';
import { byMode } from '../catalogue/mode-words.ts';
import { useColourScheme } from '../drawing/use-colour-scheme.ts';
import { bandSwatch, SwatchBox } from '../panels/legend.tsx';
import { useMap } from '../state/map-context.ts';

interface TypeBand {
  readonly id: number;
  readonly name: string;
  readonly band: number;
}

/**
 * Minutes from a block to the nearest POI of every type by the chosen mode, in classes, from the
 * public block bands: free, and without a key.
 */
export function FreeProfile({ block }: { readonly block: KnownBlock }) {
  const { catalogue, choice } = useMap();
  const { mode, type } = choice;
  const all = useTypeBands(block);
  if (all === null) return <p class="quiet">Loading its minutes …</p>;
  if (all.length > 0 && all.every(({ band }) => band === UNROUTED)) {
    return <p class="quiet">No street near {byMode(mode)}: its minutes are not known.</p>;
  }
  const first = [...type.leaves, ...catalogue.everyday];
  const [shown, others] = [true, false].map((isFirst) =>
    all.filter(({ id }) => first.includes(id) === isFirst),
  );
  return (
    <>
      <Bands caption={`Minutes ${byMode(mode)} to the nearest`} rows={shown} />
      {others.length > 0 && (
        <details>
          <summary>{others.length} more types, nearest first</summary>
          <Bands
            caption={`Further types ${byMode(mode)}`}
            rows={others.toSorted((a, b) => a.band - b.band)}
          />
        </details>
      )}
    </>
  );
}

function Bands(props: { readonly caption: string; readonly rows: readonly TypeBand[] }) {
  const scheme = useColourScheme();
  return (
    <table class="nearest bands">
      <caption>{props.caption}</caption>
      <tbody>
        {props.rows.map(({ id, name, band }) => (
          <tr key={id}>
            <th scope="row">{name}</th>
            <td>
              {band !== BEYOND && <SwatchBox {...bandSwatch(band, scheme)} />}
              {classWords(band)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The bands of a block for all types by the chosen mode; null until they are loaded. */
function useTypeBands(block: KnownBlock): readonly TypeBand[] | null {
  const { catalogue, choice } = useMap();
  const { types } = catalogue;
  const { service } = choice;
  const ids = types.map(({ id }) => id);
  const bands = useFresh(() => block.bandsOf(service, ids), [block, service, types]).value;
  if (bands === null) return null;
  return types.flatMap(({ id, name }, i) => {
    const band = bands[i];
    return band === null ? [] : [{ id, name, band }];
  });
}
