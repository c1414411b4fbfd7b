import { VarintReader, VarintWriter } from '../codec/varint.ts';
import { decodingError } from '../errors.ts';
import { checkedSection, readEnvelope, writeEnvelope } from '../store/envelope.ts';
import type { Bytes, CountyFips } from '../units.ts';

export const ADDRESS_DIRECTORY_KIND = 'ADIR';

export interface CountyAddresses {
  readonly county: CountyFips;
  /** Length of the head of its object. */
  readonly headBytes: Bytes;
  /** ZIP codes of its addresses, ascending. */
  readonly zips: readonly string[];
}

/** The counties of a release that have addresses, so that a search reads few of them. */
export class AddressDirectory {
  readonly headBytes: ReadonlyMap<CountyFips, Bytes>;
  readonly #counties = new Map<string, CountyFips[]>();

  constructor(object: string, bytes: Uint8Array) {
    const envelope = readEnvelope(object, bytes, bytes.length, ADDRESS_DIRECTORY_KIND);
    const reader = new VarintReader(checkedSection(object, envelope, 'ZIPS', bytes));
    const headBytes = new Map<CountyFips, Bytes>();
    try {
      while (!reader.done) {
        const county = String(reader.uint()).padStart(5, '0');
        headBytes.set(county, reader.uint());
        let zip = 0;
        for (let left = reader.uint(); left > 0; left--) {
          zip += reader.uint();
          const text = String(zip).padStart(5, '0');
          this.#counties.set(text, [...this.countiesOf(text), county]);
        }
      }
    } catch (error) {
      throw decodingError(object, 'ZIPS', error);
    }
    this.headBytes = headBytes;
  }

  static encode(counties: readonly CountyAddresses[]): Uint8Array {
    const writer = new VarintWriter(1 << 12);
    for (const { county, headBytes, zips } of counties) {
      writer.uint(Number(county));
      writer.uint(headBytes);
      writer.uint(zips.length);
      let previous = 0;
      for (const zip of zips.map(Number)) {
        writer.uint(zip - previous);
        previous = zip;
      }
    }
    return writeEnvelope(ADDRESS_DIRECTORY_KIND, [{ tag: 'ZIPS', bytes: writer.view() }]);
  }

  countiesOf(zip: string): readonly CountyFips[] {
    return this.#counties.get(zip) ?? [];
  }
}
