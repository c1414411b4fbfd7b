import { csvOf, geoJsonOf } from '../blocks/block-files.ts';
import type { BlocksInView } from '../blocks/use-blocks-in-view.ts';
import type { Catalogue } from '../catalogue.ts';
import { ATTRIBUTION, dataDates } from '../share/data-dates.ts';
import { FileButton } from '../share/file-button.tsx';
import type { Choice } from '../state/choice.ts';

/** Files of the blocks in view. They are made in the page: nothing is charged. */
export function ViewFiles(props: {
  readonly catalogue: Catalogue;
  readonly choice: Choice;
  readonly view: BlocksInView;
}) {
  const { catalogue, choice, view } = props;
  const { coloured, seen, box } = view;
  const { mode, type } = choice;
  const { release, blocksUrl } = catalogue;
  const facts = { mode, type: type.id, release, attribution: ATTRIBUTION };
  const name = `${mode}-${type.id}-${release}`;
  const csv = async () => new Blob([csvOf(coloured, seen, facts)], { type: 'text/csv' });
  const geoJson = async () => {
    const { blockPolygons } = await import('../still/block-polygons.ts');
    const wanted = new Set(seen.map((i) => coloured.geoids[i]));
    const polygons = await blockPolygons(blocksUrl, box, wanted);
    const text = geoJsonOf(coloured, seen, polygons, facts);
    return new Blob([text], { type: 'application/geo+json' });
  };
  return (
    <details class="view-files">
      <summary>Download what is in view</summary>
      <p class="quiet">
        The classes of the blocks in view with their people, centres and, in GeoJSON, polygons.{' '}
        {dataDates(catalogue)} {ATTRIBUTION}.
      </p>
      <p class="take-along">
        <FileButton label="CSV" name={`${name}.csv`} make={csv} />
        <FileButton label="GeoJSON" name={`${name}.geojson`} make={geoJson} />
      </p>
    </details>
  );
}
