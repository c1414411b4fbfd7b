import { csvOf, geoJsonOf } from '../blocks/block-files.ts';
import type { BlocksInView } from '../blocks/use-blocks-in-view.ts';
import type { Catalogue } from '../catalogue.ts';
import { ATTRIBUTION, dataDates } from '../share/data-dates.ts';
import type { Choice } from '../state/choice.ts';

/** Files of the blocks in view. They are made in the page: nothing is requested or charged. */
export function ViewFiles(props: {
  readonly catalogue: Catalogue;
  readonly choice: Choice;
  readonly view: BlocksInView;
}) {
  const { catalogue, choice, view } = props;
  const { mode, type } = choice;
  const { release } = catalogue;
  const facts = { mode, type: type.id, release, attribution: ATTRIBUTION };
  const name = `${mode}-${type.id}-${release}`;
  const csv = () => csvOf(view.coloured, view.seen, facts);
  const geoJson = () => geoJsonOf(view.coloured, view.seen, facts);
  return (
    <details class="view-files">
      <summary>Download what is in view</summary>
      <p class="quiet">
        The classes of the blocks in view with their people and centres. {dataDates(catalogue)}{' '}
        {ATTRIBUTION}.
      </p>
      <p class="take-along">
        <button type="button" class="button" onClick={() => save(`${name}.csv`, 'text/csv', csv())}>
          CSV
        </button>
        <button
          type="button"
          class="button"
          onClick={() => save(`${name}.geojson`, 'application/geo+json', geoJson())}
        >
          GeoJSON
        </button>
      </p>
    </details>
  );
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
