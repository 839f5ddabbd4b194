/** Addresses that requests to the outside must not reach. */

/** One address of each block that is not of the public internet. */
export const inside: Record<string, string> = {
  'this network': '0.0.0.0',
  'private, class A': '10.255.0.1',
  'carrier-grade NAT': '100.127.255.255',
  loopback: '127.0.0.2',
  'link-local, where clouds answer metadata': '169.254.169.254',
  'private, class B': '172.31.255.255',
  'protocol assignments': '192.0.0.192',
  documentation: '203.0.113.1',
  'private, class C': '192.168.1.1',
  benchmarking: '198.19.255.255',
  multicast: '224.0.0.1',
  broadcast: '255.255.255.255',
  'the metadata address of a cloud': '168.63.129.16',
  unspecified: '::',
  'loopback of IPv6': '::1',
  'unique-local': 'fd00:ec2::254',
  'link-local of IPv6': 'fe80::1',
  'multicast of IPv6': 'ff02::1',
  'mapped loopback': '::ffff:127.0.0.1',
  'mapped private': '::ffff:a00:1',
  'translated (NAT64)': '64:ff9b::a00:1',
  '6to4': '2002:a00:1::1',
  Teredo: '2001::1',
  'documentation of IPv6': '2001:db8::1',
}

/** What leads inside, or is no address to post to, written in ways that readers of addresses differ about. */
export const refusedUrls: readonly string[] = [
  'https://2130706433/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://[::ffff:7f00:1]/',
  'https://１２７.0.0.1/',
  'http://93.184.215.14/',
  'ftp://93.184.215.14/',
  'https://user:pass@93.184.215.14/',
  'https://',
  'no address',
]
