import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile';
import { PbfReader } from 'pbf';
import { PMTiles, type RangeResponse, type Source } from 'pmtiles';
import type { ArchiveFacts } from '../../shards/pmtiles/writer.ts';

/** The metadata of test archives. */
export const ARCHIVE_FACTS: ArchiveFacts = {
  name: 'Some tiles',
  description: 'of a test',
  attribution: 'nobody',
  bounds: { minLon: -77.1234567, minLat: 39, maxLon: -76, maxLat: 40.5 },
  minZoom: 0,
  maxZoom: 14,
  layers: [{ id: 'bands', description: 'bands', fields: { minutes: 'Number' } }],
};

/** An archive in memory, as the PMTiles library reads one. */
export function libraryArchive(bytes: Uint8Array): PMTiles {
  const source: Source = {
    getKey: () => 'archive in memory',
    getBytes: async (offset, length): Promise<RangeResponse> => ({
      data: Uint8Array.from(bytes.subarray(offset, offset + length)).buffer,
    }),
  };
  return new PMTiles(source);
}

/** The features of a vector tile's only layer, as the vector tile library reads them. */
export function decodeTile(bytes: Uint8Array | ArrayBuffer): VectorTileFeature[] {
  const [layer] = Object.values(new VectorTile(new PbfReader(bytes)).layers);
  return Array.from({ length: layer.length }, (_, i) => layer.feature(i));
}
