/**
 * How Google Cloud is asked: plain HTTPS by `streams/delivery`, JSON that is read by a schema and bounded. Not Google's own clients:
 * those read files, environment and a metadata server by themselves, and repeat calls beside the caller.
 */
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { decoder, type Static, type TSchema } from '#engine/value/schema.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { fetchOutside, type OutsideAnswer } from '#streams/delivery/outbound.ts'
import { GcpRefusal } from './fault.ts'

/** Services by the first part of their host, and where their paths begin. */
const services = {
  appengine: '/v1',
  bigquery: '/bigquery/v2',
  cloudresourcemanager: '/v3',
  compute: '/compute/v1',
  container: '/v1',
  dataproc: '/v1',
  iamcredentials: '/v1',
  monitoring: '/v3',
  notebooks: '/v2',
  oauth2: '',
  sqladmin: '/sql/v1beta4',
  storage: '/storage/v1',
  sts: '/v1',
  workstations: '/v1',
} as const
export type Service = keyof typeof services

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface Question {
  service: Service
  path: string
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Query
  /** Sent as JSON; a text as a form. */
  body?: object | string
}

/** Bytes of one answer. */
const answerMax = 64 * 2 ** 20
const timeoutMs = 30_000

export interface Wire {
  /** Of every service, where it is not the cloud's own: a stand-in of tests. */
  endpoint?: string | undefined
  /** Bytes; 64 MiB unless given. */
  bytesMax?: number | undefined
}

interface CallOptions {
  token?: string | undefined
  keep: string
  signal: AbortSignal
  /** Of the bytes of what is asked for. */
  range?: string
}

/** The value of the answer. @throws a `Refusal` for what is none of success, a Fault for what does not come */
export async function askValue(wire: Wire, question: Question, how: CallOptions): Promise<unknown> {
  const text = (await askedBytes(wire, question, how)).toString('utf8')
  return text === '' ? {} : parseJson(text)
}

/** The bytes of the answer. @throws as `asked` */
export async function askedBytes(
  wire: Wire,
  { service, path, method = 'GET', query, body }: Question,
  { token, keep, signal, range }: CallOptions,
): Promise<Buffer> {
  const answer = await fetchOutside(`${rootOf(wire, service)}${path}${searchOf(query)}`, {
    method,
    headers: {
      accept: range === undefined ? 'application/json' : '*/*',
      'user-agent': 'tidemark',
      // Without the second, storage unpacks what was stored as gzip, and answers all of it whatever the range is.
      ...(range !== undefined && { range, 'accept-encoding': 'gzip' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    timeoutMs,
    bytesMax: wire.bytesMax ?? answerMax,
    allowPrivate: wire.endpoint !== undefined,
    // One of its connections may be closed unseen, and what is sent over it is sent again: only what may come twice.
    ...(method === 'GET' && { keep }),
    signal,
  })
  return bodyOf(answer)
}

/** What a stand-in is asked for by every service, it tells apart by the paths. */
const rootOf = ({ endpoint }: Wire, service: Service): string =>
  `${endpoint?.replace(/\/+$/, '') ?? `https://${service}.googleapis.com`}${services[service]}`

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value])
      if (one !== undefined) search.append(name, String(one))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

function bodyOf({ status, headers, body }: OutsideAnswer): Buffer {
  if (status >= 200 && status < 300) return body
  const seconds = Number(headers['retry-after'])
  throw new GcpRefusal(status, body.toString('utf8'), Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0)
}

const decoders = new WeakMap<TSchema, (input: unknown) => unknown>()

/** @throws a `system` fault `unknown_answer` for what is not of the schema */
export function decodeAnswer<S extends TSchema>(schema: S, answer: unknown, { service, path }: Question): Static<S> {
  const decode = decoders.get(schema) ?? decoder(schema)
  decoders.set(schema, decode)
  try {
    return decode(answer) as Static<S>
  } catch (error) {
    const [problem] = Fault.from(error).detail.problems ?? []
    const where = problem ? `: ${problem.path} ${problem.message}` : ''
    throw cloudFault(
      'system',
      'unknown_answer',
      `${service} returned an unexpected response to ${path}${where}.`,
      {},
      error,
    )
  }
}
