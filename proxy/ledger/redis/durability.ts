import type { RedisConnection } from './connection.ts';

/**
 * Returns one sentence for each setting by which a Redis can lose acknowledged debits; empty if
 * there are none or the settings cannot be read, as on many hosted servers.
 */
export async function durabilityFaults(connection: RedisConnection): Promise<string[]> {
  const faults = new Set<string>();
  const [files, memory, replicas] = await Promise.all([
    connection.settings('append*'),
    connection.settings('maxmemory*'),
    connection.replicas(),
  ]);
  for (const settings of files) {
    const [appendOnly, fsync] = [settings.get('appendonly'), settings.get('appendfsync')];
    if (appendOnly === 'no') {
      faults.add(
        'has no append-only file: a restart loses acknowledged debits; set appendonly yes',
      );
    } else if (fsync !== undefined && fsync !== 'always') {
      faults.add(`has appendfsync ${fsync}: a crash loses acknowledged debits; set it to always`);
    }
  }
  for (const { connected, wanted } of replicas) {
    if (connected === 0 || wanted > 0) continue;
    faults.add(
      'has replicas but min-replicas-to-write 0: a failover loses acknowledged debits; set it to 1',
    );
  }
  for (const settings of memory) {
    const policy = settings.get('maxmemory-policy');
    if (policy?.startsWith('allkeys') && settings.get('maxmemory') !== '0') {
      faults.add(`has maxmemory-policy ${policy}: it evicts accounts; set it to noeviction`);
    }
  }
  return [...faults];
}
