import { randomBytes } from 'node:crypto';
import type { RedisConnection } from './connection.ts';
import { SECRETS } from './key-names.ts';

/** Returns a secret by its name, created on first use by only one of concurrent callers. */
export async function secret(redis: RedisConnection, name: string): Promise<string> {
  await importSecrets(redis, { [name]: randomBytes(32).toString('base64url') });
  return (await secrets(redis))[name];
}

export function secrets(redis: RedisConnection): Promise<Record<string, string>> {
  return redis.ask((client) => client.hgetall(SECRETS));
}

/** Imports secrets; existing ones stay unchanged. */
export async function importSecrets(
  redis: RedisConnection,
  taken: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, text] of Object.entries(taken)) {
    await redis.ask((client) => client.hsetnx(SECRETS, name, text));
  }
}
