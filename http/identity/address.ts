import ipaddr from 'ipaddr.js'

/** Maximum characters of an address, whatever a proxy sends. */
const textMax = 64

/**
 * The address block that limits and throttles count: an IPv4 address, or the /64 of an IPv6 address. An IPv4-mapped
 * IPv6 address counts as the IPv4 address. Text that is not an address is a block of its own, never empty.
 */
export function blockOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip.slice(0, textMax) || 'none'
  const address = ipaddr.process(ip)
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

/**
 * The caller's address: that of the socket, or the one that the outermost of our own proxies saw, from X-Forwarded-For.
 * Entries further left can be forged.
 */
export function addressOf(direct: string | undefined, forwarded: string, proxies: number): string {
  const seen = proxies === 0 ? [] : forwarded.split(',')
  return seen.at(-Math.min(proxies, seen.length))?.trim() || (direct ?? '')
}
