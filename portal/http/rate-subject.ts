import { isIPv4, isIPv6 } from 'node:net';

/** Groups of 16 bits in an IPv6 address, and in the network that a customer is given at least. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Whose requests are counted together, by their address: that of an IPv4 client, also where it is
 * written as an IPv6 one; of an IPv6 client the network of 64 bits, for a machine may take any
 * address in it. A port behind it, as some balancers write one, is left out. What is no address is
 * one subject.
 */
export function rateSubject(written: string): string {
  const [, bracketed, plain] = /^(?:\[(.+)\]|([^:]+)):\d+$/.exec(written) ?? [];
  const address = bracketed ?? plain ?? written;
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return 'unknown';
  const groups = groupsOf(address.split('%')[0]);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  }
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head, tail] = address.split('::').map(writtenGroups);
  if (tail === undefined) return head;
  return [...head, ...Array<number>(GROUPS - head.length - tail.length).fill(0), ...tail];
}

function writtenGroups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a, b, c, d] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
