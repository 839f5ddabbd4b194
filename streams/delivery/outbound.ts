/**
 * Requests to addresses given by customers. Such an address must not lead into the network of this service: all
 * addresses of its name are checked, and the connection is made to one of the checked addresses, so that a later change
 * of the name has no effect. Redirects are not followed, and connections are not reused except with `keep`.
 */
import { lookup as resolveName, type LookupAddress } from 'node:dns'
import { request as requestHttp, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Fault } from '#engine/value/fault.ts'
import { withKept } from '#streams/delivery/connection-pool.ts'

export interface OutsideRequest {
  method: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** For everything: lookup, connection, answer. */
  timeoutMs: number
  /** Maximum bytes of the answer's body. */
  bytesMax: number
  /** Allows any address, and http. */
  allowPrivate: boolean
  /** Returns all addresses of a name; the system's resolver by default. */
  resolve?: (name: string) => Promise<LookupAddress[]>
  /**
   * The receiver's name, under which connections are kept and reused. Names are still looked up and checked for each
   * request. If a kept connection turns out to be closed, the request is sent again, so the receiver may get it twice.
   */
  keep?: string
  /** Certificate authorities (PEM) for the receiver, in place of the public ones. */
  ca?: string
  /** Certificate and key (PEM) by which the receiver recognizes us. */
  client?: { cert: string; key: string }
  /** Aborts the request. */
  signal?: AbortSignal
}

/** Cause of a fault because of the answer's size. */
export class TooLarge extends Error {}

export interface OutsideAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/**
 * Sends a request and reads the answer, whatever its status.
 * @throws Fault `refused` `address_refused`; Fault `transient` `upstream_failed` if the answer does not arrive in time
 * or is too large
 */
export async function fetchOutside(url: string, request: OutsideRequest): Promise<OutsideAnswer> {
  const target = outsideUrl(url, request.allowPrivate)
  const late = AbortSignal.timeout(request.timeoutMs)
  const signal = request.signal ? AbortSignal.any([request.signal, late]) : late
  try {
    const addresses = await until(signal, outsideAddresses(hostOf(target), request))
    return await sendRequest(target, addresses, request, signal)
  } catch (error) {
    if (error instanceof Fault) throw error
    throw upstreamFault(
      late.aborted ? `The server did not respond within ${request.timeoutMs} ms.` : reasonOf(error),
      error,
    )
  }
}

/**
 * Checks an address without resolving it: https, no password, no literal private address, and no name for this machine
 * (RFC 6761).
 * @throws Fault `refused` `address_refused`
 */
export function outsideUrl(url: string, allowPrivate: boolean): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined
  const protocols = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (!target || !protocols.includes(target.protocol)) throw addressFault('The URL must start with https://.')
  if (target.username !== '' || target.password !== '')
    throw addressFault('The URL must not contain a user name or password.')
  const name = hostOf(target)
  if (!allowPrivate && (isIP(name) === 0 ? thisMachine.test(name) : !isOutside(name)))
    throw addressFault(privateAddress)
  return target
}

/** The URL parser has normalized the name to lower case. */
const thisMachine = /(?:^|\.)localhost\.?$/

const addressFault = (message: string): Fault => Fault.refused('address_refused', message)
const privateAddress = 'The URL points to a private network.'
const upstreamFault = (message: string, cause?: unknown): Fault => Fault.transient('upstream_failed', message, cause)

/** The URL parser has converted every notation of an IPv4 address to four decimal numbers. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Private, loopback, link-local, shared (carrier-grade NAT), benchmarking, documentation, multicast and reserved
 * addresses (IANA special-purpose registries), and the one public address that a cloud answers metadata on.
 */
const inside4 = blocks('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
])

/**
 * All public IPv6 addresses; loopback, unique-local, link-local, multicast, mapped and translated addresses are outside
 * this range.
 */
const global6 = blocks('ipv6', [['2000::', 3]])

/**
 * Exceptions in that range: protocol assignments (including Teredo), documentation, and 6to4 addresses, which contain
 * IPv4 addresses.
 */
const inside6 = blocks('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

function blocks(family: 'ipv4' | 'ipv6', list: readonly (readonly [net: string, bits: number])[]): BlockList {
  const made = new BlockList()
  for (const [net, bits] of list) made.addSubnet(net, bits, family)
  return made
}

/** Whether a literal address is on the public internet. */
export function isOutside(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !inside4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%') || address.includes('.')) return false
  return global6.check(address, 'ipv6') && !inside6.check(address, 'ipv6')
}

/**
 * All addresses of a name or a literal address, for connections other than HTTP.
 * @throws Fault as `fetchOutside`
 */
export async function outsideAddresses(
  name: string,
  { resolve = resolveAll, allowPrivate }: Pick<OutsideRequest, 'resolve' | 'allowPrivate'>,
): Promise<LookupAddress[]> {
  const family = isIP(name)
  const addresses = family === 0 ? await resolve(name) : [{ address: name, family }]
  if (addresses.length === 0) throw upstreamFault('The host name of the URL does not resolve.')
  if (!allowPrivate && !addresses.every(({ address }) => isOutside(address))) throw addressFault(privateAddress)
  return addresses
}

/** A lookup that answers these addresses, so that a later change of the name has no effect. */
export const lookupOf =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_name, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else found(null, first!.address, first!.family)
  }

const resolveAll = (name: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    resolveName(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  )

/** The resolver cannot be cancelled, so its result is ignored. */
async function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason as Error)
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

async function sendRequest(
  target: URL,
  addresses: readonly LookupAddress[],
  request: OutsideRequest,
  signal: AbortSignal,
): Promise<OutsideAnswer> {
  const { keep } = request
  if (keep === undefined) return exchange(target, addresses, request, signal, false)
  return withKept(keep, target, addresses, (agent) =>
    exchange(target, addresses, request, signal, agent).catch((error: unknown) => {
      if (error instanceof ConnectionClosed) return exchange(target, addresses, request, signal, false)
      throw error
    }),
  )
}

/** The receiver had closed a kept connection before the request. */
class ConnectionClosed extends Error {}

async function exchange(
  target: URL,
  addresses: readonly LookupAddress[],
  { method, headers, body, bytesMax, ca, client }: OutsideRequest,
  signal: AbortSignal,
  agent: Agent | false,
): Promise<OutsideAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const start = target.protocol === 'https:' ? requestHttps : requestHttp
  const trust = { ...(ca !== undefined && { ca }), ...client }
  const outgoing = start(target, {
    method,
    headers: { ...headers },
    agent,
    lookup: lookupOf(addresses),
    signal,
    ...trust,
  })
  outgoing.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
    reject(isClosed ? new ConnectionClosed('closed', { cause: error }) : error)
  })
  outgoing.end(body)
  const answer = await promise
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop early destroys the answer and its connection.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw upstreamFault(`The response is larger than ${bytesMax} bytes.`, new TooLarge())
    chunks.push(chunk)
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks, bytes) }
}

/** The error's code; its text is not shown because it contains addresses. */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name of the URL does not resolve.'
  return typeof code === 'string' ? `The server could not be reached (${code}).` : 'The server could not be reached.'
}
