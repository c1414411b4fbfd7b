import { HttpReader, type HttpReaderOptions } from '../http/http-reader.ts';
import { type S3Access, s3Access } from './s3-access.ts';
import { type S3Address, s3Address } from './s3-address.ts';
import { s3Protocol } from './s3-protocol.ts';

/**
 * A read-only store in an S3 bucket: `s3://bucket/prefix`. Reads are signed requests on our own
 * connections, at a tenth of the cost of the S3 client's.
 */
export class S3Reader extends HttpReader {
  protected readonly address: S3Address;
  protected readonly access: S3Access;

  constructor(location: string, options?: HttpReaderOptions) {
    const address = s3Address(location);
    const access = s3Access(location);
    super(location, s3Protocol(address, access), options);
    this.address = address;
    this.access = access;
  }
}
