import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { S3, S3ServiceException } from '@aws-sdk/client-s3';

/**
 * `node make-bucket.js BUCKET POLICY`: creates the bucket if it does not exist, and applies the
 * policy in a file. Waits for an S3 server that is still starting.
 */
const [bucket, policyFile] = process.argv.slice(2);
const Policy = await readFile(policyFile, 'utf8');
const client = new S3({
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
  maxAttempts: 1,
});

const UNTIL_MS = Date.now() + 120_000;
for (;;) {
  try {
    await client.createBucket({ Bucket: bucket });
    break;
  } catch (error) {
    if (error instanceof S3ServiceException && error.name.startsWith('BucketAlready')) break;
    if (
      Date.now() > UNTIL_MS ||
      (error instanceof S3ServiceException && error.$fault === 'client')
    ) {
      throw error;
    }
    await pause(500);
  }
}
await client.putBucketPolicy({ Bucket: bucket, Policy });
client.destroy();
