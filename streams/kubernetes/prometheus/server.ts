/** A customer's server with the HTTP API of Prometheus. */
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { fetchOutside, type OutsideAnswer, type OutsideRequest } from '#streams/delivery/outbound.ts'

export interface PrometheusServer {
  /** The address before `/api/v1`. */
  url: string
  headers: Readonly<Record<string, string>>
  /** Allows servers in private networks, and http. */
  allowPrivate: boolean
  /** Name under which connections are kept. */
  keep: string
  signal?: AbortSignal
}

/** Maximum bytes of one answer, compressed and uncompressed. */
export const bytesMax = 64 * 1024 * 1024
const timeoutMs = 60_000

/** A request. */
export interface PrometheusCall {
  method: 'GET' | 'POST'
  /** Path after `/api/v1/`. */
  path: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
}

/**
 * Returns the answer, whatever its status.
 * @throws Fault `address_refused`; Fault `upstream_failed` without an answer
 */
export function askServer(server: PrometheusServer, call: PrometheusCall): Promise<OutsideAnswer> {
  const { url, headers, signal, ...reached } = server
  const { method, path, query, body } = call
  const asked = query ? `?${new URLSearchParams(query).toString()}` : ''
  const request: OutsideRequest = {
    ...reached,
    method,
    headers: { ...headers, ...call.headers, 'user-agent': 'tidemark' },
    timeoutMs,
    bytesMax,
    ...(body && { body }),
    ...(signal && { signal }),
  }
  return fetchOutside(`${url.replace(/\/+$/, '')}/api/v1/${path}${asked}`, request)
}

export const upstreamFault = (message: string): Fault => Fault.refused('upstream_failed', message)

/** The `data` of an API answer. @throws Fault `upstream_failed` for anything else */
export function dataOf({ status, body }: OutsideAnswer): unknown {
  if (status < 200 || status > 299) throw upstreamFault(`The server returned HTTP ${status}${readError(body)}`)
  const answer = jsonOf(body)
  if (answer?.['status'] !== 'success') throw upstreamFault('The response is not a Prometheus response.')
  return answer['data']
}

/** The server's error message, for people. */
export function readError(body: Buffer): string {
  const error = jsonOf(body)?.['error']
  return typeof error === 'string' ? `: ${error.slice(0, 300).toWellFormed().replaceAll('\0', '')}` : '.'
}

function jsonOf(body: Buffer): Record<string, unknown> | undefined {
  try {
    const found = parseJson(body.toString('utf8'))
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/**
 * The server's current time, milliseconds since 1970, from its answer or the answer's date.
 * @throws Fault `upstream_failed`
 */
export async function timeThere(server: PrometheusServer): Promise<number> {
  const answer = await askServer(server, { method: 'GET', path: 'query', query: { query: 'time()' } })
  const { status, headers } = answer
  if (status === 401 || status === 403)
    throw upstreamFault(`The server returned HTTP ${status}${readError(answer.body)}`)
  const told = status === 200 ? (jsonOf(answer.body)?.['data'] as { result?: unknown } | undefined) : undefined
  const seconds = Array.isArray(told?.result) ? Number(told.result[0]) : Number.NaN
  const at = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(headers.date ?? '')
  if (!Number.isFinite(at)) throw upstreamFault('The response has no current time.')
  return at
}
