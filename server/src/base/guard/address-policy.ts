import ipaddr from 'ipaddr.js';
import { type Address, isIn, type Network, parseNetwork } from '../std/networks/networks.ts';

/** `open`: in a network that the operator listed. `public`: on the internet. `refused`: everything else. */
export type AddressClass = 'open' | 'public' | 'refused';
export type AddressPolicy = (address: string) => AddressClass;

/** Classifies addresses. `allowNetworks` are CIDR blocks or addresses. @throws TypeError for anything else */
export function createAddressPolicy(allowNetworks: readonly string[]): AddressPolicy {
  const open = allowNetworks.map(parseNetwork);
  return (text) => {
    if (!ipaddr.isValid(text)) return 'refused';
    const address = ipaddr.parse(text);
    if (isIn(neverOpen, address) && address.range() !== 'loopback') return 'refused';
    if (isIn(open, address)) return 'open';
    return isPublic(address) ? 'public' : 'refused';
  };
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || isIn(globalIpv6, address);
}

/** Addresses at which clouds serve credentials. */
const metadata = [
  '169.254.169.254', // AWS, Google, Azure and most others
  '169.254.170.2', // AWS containers: credentials of the task
  '169.254.170.23', // AWS EKS: credentials of the pod
  'fd00:ec2::254', // AWS over IPv6
  'fd00:ec2::23', // AWS EKS over IPv6
  'fd20:ce::254', // Google over IPv6
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '168.63.129.16', // Azure's host; ipaddr.js calls it public
];

const nowhere = [
  '0.0.0.0/8', // reaches the local machine on Linux
  '224.0.0.0/4',
  '255.255.255.255',
  'ff00::/8',
];

/** Addresses that no listed network opens. IPv6 forms of IPv4 addresses would bypass the rules for IPv4. */
const neverOpen: readonly Network[] = [
  ...metadata,
  ...nowhere,
  '::/96', // unspecified and IPv4-compatible; ipaddr.js calls ::7f00:1 public. ::1 lies within, but may be listed
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
].map(parseNetwork);

/** The block from which IANA assigns global addresses. Others, such as `4000::`, are unreachable or local. */
const globalIpv6: readonly Network[] = ['2000::/3'].map(parseNetwork);

/** Whether operators may name a server at this address: no link-local address, and no cloud's credential service. */
export function mayBeServer(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = carried(ipaddr.parse(text));
  return !isIn(neverServers, address);
}

const neverServers: readonly Network[] = [...metadata, ...nowhere, '169.254.0.0/16', 'fe80::/10', '::'].map(
  parseNetwork,
);

/** Returns the IPv4 address to which an IPv6 address leads. Networks without IPv4 use such addresses (NAT64). */
function carried(address: Address): Address {
  if (address.range() === 'loopback') return address;
  const bytes = address.toByteArray();
  const start = isIn(inLastBytes, address) ? 12 : isIn(inSecondBytes, address) ? 2 : undefined;
  return start === undefined ? address : ipaddr.fromByteArray(bytes.slice(start, start + 4));
}

const inLastBytes: readonly Network[] = ['::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'].map(
  parseNetwork,
);
const inSecondBytes: readonly Network[] = ['2002::/16'].map(parseNetwork);
