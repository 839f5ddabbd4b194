/**
 * Requests to addresses that customers give us. Such an address must not lead into the network this service runs in: every
 * address a name resolves to is checked, and the connection goes to one of those that were checked, so that a name that
 * resolves otherwise a moment later gains nothing. Redirects are not followed, and no connection is used twice but for `keep`.
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
  /** For all of it: the name, the connection, the answer. */
  timeoutMs: number
  /** Of the answer's body. */
  bytesMax: number
  /** Takes any address, and http: too. */
  allowPrivate: boolean
  /** All addresses of a name; the system's resolver unless given. */
  resolve?: (name: string) => Promise<LookupAddress[]>
  /**
   * Names the receiver whose connections are kept and used again; a name is looked up and checked for each request even so.
   * A request that finds a kept connection closed is sent once more: the receiver may get it twice.
   */
  keep?: string
  /** Certificates (PEM) that vouch for the receiver, instead of the public authorities. */
  ca?: string
  /** Ends it early. */
  signal?: AbortSignal
}

/** The cause of an answer that was given up for its size. */
export class TooLarge extends Error {}

export interface OutsideAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/**
 * Sends a request and reads its answer, whatever its status.
 * @throws Fault `refused` `address_refused`; Fault `transient` `upstream_failed` without an answer in time, or with too large a one
 */
export async function fetchOutside(url: string, request: OutsideRequest): Promise<OutsideAnswer> {
  const target = outsideUrl(url, request.allowPrivate)
  const late = AbortSignal.timeout(request.timeoutMs)
  const signal = request.signal ? AbortSignal.any([request.signal, late]) : late
  try {
    const addresses = await until(signal, addressesOf(target, request))
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
 * An address as far as it can be judged by itself: https, without a password, and neither a private address written out nor a name
 * that means this machine whatever resolves it (RFC 6761).
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

/** The URL parser has made the letters small and plain. */
const thisMachine = /(?:^|\.)localhost\.?$/

const addressFault = (message: string): Fault => Fault.refused('address_refused', message)
const privateAddress = 'The URL points to a private network.'
const upstreamFault = (message: string, cause?: unknown): Fault => Fault.transient('upstream_failed', message, cause)

/** The URL parser has brought every notation of an IPv4 address into four decimal numbers. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Private, loopback, link-local, shared (carrier-grade NAT), benchmarking, documentation, multicast and reserved addresses
 * (IANA special-purpose registries), and the one public address that a cloud answers metadata on.
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

/** All that is public of IPv6 lies here: loopback, unique-local, link-local, multicast, mapped and translated ones do not. */
const global6 = blocks('ipv6', [['2000::', 3]])

/** But for these: protocol assignments (Teredo with them), documentation, and IPv4 addresses inside of 6to4 ones. */
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

/** Whether a literal address is of the public internet. */
export function isOutside(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !inside4.check(address, 'ipv4')
  if (family !== 6 || address.includes('%') || address.includes('.')) return false
  return global6.check(address, 'ipv6') && !inside6.check(address, 'ipv6')
}

async function addressesOf(target: URL, { resolve = resolveAll, allowPrivate }: OutsideRequest) {
  const name = hostOf(target)
  const family = isIP(name)
  const addresses = family === 0 ? await resolve(name) : [{ address: name, family }]
  if (addresses.length === 0) throw upstreamFault('The host name of the URL does not resolve.')
  if (!allowPrivate && !addresses.every(({ address }) => isOutside(address))) throw addressFault(privateAddress)
  return addresses
}

const resolveAll = (name: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    resolveName(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  )

/** The resolver cannot be stopped, only left alone. */
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

/** The receiver had closed a kept connection before the request came. */
class ConnectionClosed extends Error {}

async function exchange(
  target: URL,
  addresses: readonly LookupAddress[],
  { method, headers, body, bytesMax, ca }: OutsideRequest,
  signal: AbortSignal,
  agent: Agent | false,
): Promise<OutsideAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const start = target.protocol === 'https:' ? requestHttps : requestHttp
  const lookup: LookupFunction = (_name, { all }, found) => {
    const [first] = addresses
    if (all) found(null, [...addresses])
    else found(null, first!.address, first!.family)
  }
  const trust = ca === undefined ? {} : { ca }
  const outgoing = start(target, { method, headers: { ...headers }, agent, lookup, signal, ...trust })
  outgoing.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
    reject(isClosed ? new ConnectionClosed('closed', { cause: error }) : error)
  })
  outgoing.end(body)
  const answer = await promise
  const chunks: Buffer[] = []
  let bytes = 0
  // Left early, the loop destroys the answer and its connection with it.
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw upstreamFault(`The response is larger than ${bytesMax} bytes.`, new TooLarge())
    chunks.push(chunk)
  }
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks, bytes) }
}

/** What may be told of an error: its code, for its text names addresses. */
function reasonOf(error: unknown): string {
  const { code } = error as { code?: unknown }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name of the URL does not resolve.'
  return typeof code === 'string' ? `The server could not be reached (${code}).` : 'The server could not be reached.'
}
