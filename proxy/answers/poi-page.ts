import { breathe } from '../../shards/breathe.ts';
import type { Askers } from '../../shards/fair-queue.ts';
import type { CountyManifest } from '../../shards/manifest.ts';
import type { PoiMatrix } from '../../shards/pois/poi-matrix.ts';
import type { Release } from '../../shards/release.ts';
import type { CountyPoi, DestId, DestTypeId, Tenths } from '../../shards/units.ts';
import { type ByteText, inOnePiece } from '../formats/byte-text.ts';
import type { RowFormat } from '../formats/row-format.ts';
import { POI_FACTS } from '../formats/row-table.ts';
import type { FoundRows } from '../formats/rows.ts';
import { KeptTexts } from './kept-texts.ts';
import type { LocatedBlock } from './located-block.ts';
import { originText } from './origin-text.ts';
import type { Page } from './paged-request.ts';
import { pageOfRow, type RowPage } from './row-page.ts';
import { timeTexts } from './time-texts.ts';

/** Which rows of a block's POIs are wanted. */
export interface PoiFilter {
  /** Positions among the release's modes, ascending. */
  readonly modes: readonly number[];
  readonly types: ReadonlySet<DestTypeId> | undefined;
  readonly destIds: ReadonlySet<DestId> | undefined;
  readonly maxTenths: Tenths;
}

/** Rows written between two looks at the clock. */
const ROWS_A_STEP = 256;

/**
 * The next `limit` rows of a block after a position (mode id, `dest_id`). `origin`: the members that
 * say which of several origins they are from. At most one range read once the county's head is kept.
 */
export async function poisOf(
  { release, county, ordinal }: LocatedBlock,
  filter: PoiFilter,
  page: Pick<Page, 'position' | 'limit'>,
  askers: Askers,
  origin: object = {},
): Promise<FoundRows & Pick<RowPage, 'end'>> {
  const pois = await release.pois(county, askers);
  const row = await pois.matrix.encodedRow(ordinal);
  const { modes } = release.manifest;
  const wanted = { ...filter, isWanted: wantedBy(pois, filter) };
  const { parts, count, end } = await pageOfRow(modes, pois.matrix, row, wanted, page, askers);
  return {
    count,
    end,
    async addTo(rows, askers) {
      const { format } = rows;
      const texts = await textsOf(release, county, pois, format);
      const from = originText(format, origin);
      for (const { mode, targets, times } of parts) {
        const timeText = timeTexts(format)[mode];
        for (let i = 0; i < targets.length; i++) {
          const { begin, id, facts } = texts.of(targets[i]);
          rows.add(begin + from + id + timeText[times[i]] + facts);
          const pause = (i + 1) % ROWS_A_STEP === 0 ? breathe(askers) : undefined;
          if (pause) await pause;
        }
      }
    },
  };
}

function wantedBy(
  { matrix, table }: PoiMatrix,
  { types, destIds }: PoiFilter,
): ((poi: CountyPoi) => boolean) | undefined {
  if (!types && !destIds) return undefined;
  const ofTypes = types && table.ofTypes(types);
  return (poi) =>
    (destIds === undefined || destIds.has(matrix.targets[poi])) &&
    (ofTypes === undefined || ofTypes.has(poi));
}

/** What a row says of a place: before its origin, between that and the time, and after it. */
interface PoiText {
  readonly begin: ByteText;
  readonly id: ByteText;
  readonly facts: ByteText;
}

/** The places of a county as rows of a format tell of them, kept with the county's head. */
function textsOf(
  release: Release,
  { objects }: CountyManifest,
  { matrix, table }: PoiMatrix,
  format: RowFormat,
): Promise<KeptTexts<PoiText>> {
  return release.beside(objects.pois, `rows.${format.name}`, () => {
    const value = new KeptTexts(table.count, (poi): PoiText => {
      const { name, lon, lat, street, city, state, zip } = table.facts(poi);
      const facts = { name, lon, lat, address: { street, city, state, zip } };
      return {
        begin: format.begin(lon, lat),
        id: inOnePiece(`${format.members({ dest_id: matrix.targets[poi] }, ['dest_id'])},`),
        facts: inOnePiece(`,${format.members(facts, POI_FACTS)}${format.end}`),
      };
    });
    return { value, bytes: value.bytesAtMost(table.textBytes) };
  });
}
