import { FileButton } from '../../parts/file-button.tsx';
import { type BlockList, boxAround } from '../blocks/block-lists.ts';
import { attributionOf, dataDates } from '../catalogue/catalogue.ts';
import { useMap } from '../state/map-context.ts';
import { BlockTable } from './block-table.tsx';

/** The blocks that a view shows as a table and as files; nothing while they are not known. */
export function ListedBlocks({ list }: { readonly list: BlockList | null }) {
  if (list === null) return null;
  return (
    <>
      <BlockTable list={list} />
      <BlockDownloads list={list} />
    </>
  );
}

/** Downloads of blocks. The files are made in the page, so nothing is charged. */
function BlockDownloads({ list }: { readonly list: BlockList }) {
  const { catalogue } = useMap();
  const { release, blocksUrl } = catalogue;
  const name = `${list.name}-${release}`;
  const csv = async () => {
    const { csvOf } = await import('../blocks/block-files.ts');
    return new Blob([csvOf(list, release)], { type: 'text/csv' });
  };
  const geoJson = async () => {
    const { geoJsonOf } = await import('../blocks/block-files.ts');
    const { blockPolygons } = await import('../blocks/block-polygons.ts');
    const { blocks, listed } = list;
    const wanted = new Set(listed.map((i) => blocks.geoids[i]));
    const box = boxAround(list);
    const polygons = box === null ? new Map() : await blockPolygons(blocksUrl, box, wanted);
    const text = geoJsonOf(list, polygons, { release, attribution: attributionOf(catalogue) });
    return new Blob([text], { type: 'application/geo+json' });
  };
  return (
    <details class="view-files">
      <summary>Download the blocks {list.where}</summary>
      <p class="quiet">
        Every block in the table, with its center. GeoJSON adds the outline. {dataDates(catalogue)}{' '}
        {attributionOf(catalogue)}
      </p>
      <p class="take-along">
        <FileButton label="CSV" name={`${name}.csv`} make={csv} />
        <FileButton label="GeoJSON" name={`${name}.geojson`} make={geoJson} />
      </p>
    </details>
  );
}
