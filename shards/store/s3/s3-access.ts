import {
  loadConfig,
  NODE_REGION_CONFIG_FILE_OPTIONS,
  NODE_REGION_CONFIG_OPTIONS,
} from '@smithy/core/config';
import type { AwsCredentialIdentity, Provider } from '@smithy/types';
import { StoreError } from '../../errors.ts';

/** Access to S3, from the environment and the shared AWS configuration files. */
export interface S3Access {
  /** A server other than Amazon's, with path-style addresses: `https://host/bucket/key`. */
  readonly endpoint: URL | null;
  readonly region: Provider<string>;
  readonly credentials: Provider<AwsCredentialIdentity>;
}

/** Servers other than Amazon's accept any region. */
const ANY_REGION = 'us-east-1';

/**
 * Access for `location`; its providers reject with a `StoreError` that names the missing settings.
 */
export function s3Access(location: string, env: NodeJS.ProcessEnv = process.env): S3Access {
  const endpoint = endpointOf(location, env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL);
  const configured = loadConfig<string>(
    NODE_REGION_CONFIG_OPTIONS,
    NODE_REGION_CONFIG_FILE_OPTIONS,
  );
  const region = async () => {
    try {
      return await configured();
    } catch (cause) {
      if (endpoint !== null) return ANY_REGION;
      const problem = 'no region: set AWS_REGION to the one the bucket is in';
      throw new StoreError('unavailable', location, problem, { cause });
    }
  };
  return { endpoint, region, credentials: credentialsOf(location) };
}

function endpointOf(location: string, text: string | undefined): URL | null {
  if (!text) return null;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text);
  const problem = 'AWS_ENDPOINT_URL_S3 is not an address such as https://s3.example';
  throw new StoreError('unavailable', location, problem);
}

/** The usual credential chain. It is slow to load, and only S3 stores need it. */
function credentialsOf(location: string): Provider<AwsCredentialIdentity> {
  let chain: Promise<Provider<AwsCredentialIdentity>> | null = null;
  const load = async () => (await import('@aws-sdk/credential-provider-node')).defaultProvider();
  return async () => {
    chain ??= load();
    try {
      return await (await chain)();
    } catch (cause) {
      const problem =
        'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE';
      throw new StoreError('unavailable', location, problem, { cause });
    }
  };
}
