import { useApi } from '../../session/use-api.ts';
import { nearestList } from '../blocks/block-lists.ts';
import { useBlocksInView } from '../blocks/use-blocks-in-view.ts';
import { mapTitle } from '../catalogue.ts';
import { ModeChoice, TypeChoice } from '../layout/mode-and-type.tsx';
import { BlockDownloads } from './block-downloads.tsx';
import { BlockTable } from './block-table.tsx';
import { Legend } from './legend.tsx';
import { PercentileNote } from './percentile-note.tsx';
import type { ViewProps } from './view-props.ts';

/**
 * Panel of minutes to the nearest POI of a type: mode and type, the legend, and the blocks in view.
 */
export function NearestPanel({ catalogue, state, choice, change, scheme }: ViewProps) {
  const { mode, type } = choice;
  const blocks = useBlocksInView(useApi(), state.position, catalogue.bounds, mode, type.id);
  const title = mapTitle(mode, type.name);
  const list =
    blocks.state === 'here'
      ? nearestList(blocks.view.coloured, blocks.view.seen, mode, type.id)
      : null;
  return (
    <>
      <div class="map-choices">
        <ModeChoice
          modes={catalogue.modes}
          mode={mode}
          onMode={(next) => change({ mode: next, type: type.id })}
        />
        <TypeChoice
          types={catalogue.types}
          type={type.id}
          onType={(next) => change({ mode, type: next })}
        />
      </div>
      <section aria-labelledby="legend">
        <h2 id="legend">{title}</h2>
        <PercentileNote modes={[mode]} />
        <Legend scheme={scheme} baseMap={catalogue.baseMap} title={title} blocks={blocks} />
        {list && <BlockTable list={list} />}
        {list && <BlockDownloads catalogue={catalogue} list={list} />}
      </section>
    </>
  );
}
