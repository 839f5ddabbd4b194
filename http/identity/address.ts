import ipaddr from 'ipaddr.js'

/** No address is longer, whatever a proxy says. */
const textMax = 64

/**
 * The block that an address is of, as limits and throttles count: an IPv4 address, or the 64 bits of IPv6 that one network has.
 * An IPv4 address in the form of IPv6 is the IPv4 address; what is no address is a block by itself, never the empty text.
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
 * The caller's address: that of the socket, or what the outermost of our own proxies saw by X-Forwarded-For. What is left of it
 * anyone can write.
 */
export function addressOf(direct: string | undefined, forwarded: string, proxies: number): string {
  const seen = proxies === 0 ? [] : forwarded.split(',')
  return seen.at(-Math.min(proxies, seen.length))?.trim() || (direct ?? '')
}
