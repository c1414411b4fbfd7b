import { HttpReader, type HttpReaderOptions } from '../http/http-reader.ts';
import { type S3Access, s3Access } from './s3-access.ts';
import { type S3Address, s3Address } from './s3-address.ts';
import { s3Protocol } from './s3-protocol.ts';

/**
 * A store in a bucket of S3, to read: `s3://bucket/prefix`. Reads are signed requests of our own
 * connections, which cost a tenth of what the S3 client’s do.
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
