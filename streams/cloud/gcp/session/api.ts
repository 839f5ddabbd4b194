/**
 * Calls to Google Cloud: HTTPS requests with `streams/delivery`, and JSON answers that are checked against a schema and
 * limited in size. Inventories and changes use the REST interfaces directly: Google has a package for each of a dozen
 * services, and one table of calls serves them all. Metrics, tokens and bills use Google's packages (`package.ts`).
 */
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { decoder, type Static, type TSchema } from '#engine/value/schema.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { fetchOutside, type OutsideAnswer } from '#streams/delivery/outbound.ts'
import { GcpRefusal } from './fault.ts'

/** Services by the first part of their host name, with the prefix of their paths. */
const services = {
  aiplatform: '/v1',
  alloydb: '/v1',
  appengine: '/v1',
  artifactregistry: '/v1',
  bigquery: '/bigquery/v2',
  bigqueryreservation: '/v1',
  bigtableadmin: '/v2',
  billingbudgets: '/v1',
  cloudbilling: '/v1',
  cloudfunctions: '/v2',
  cloudkms: '/v1',
  cloudresourcemanager: '/v3',
  composer: '/v1',
  compute: '/compute/v1',
  container: '/v1',
  dataflow: '/v1b3',
  datafusion: '/v1',
  dataproc: '/v1',
  dns: '/dns/v1',
  file: '/v1',
  iam: '/v1',
  iamcredentials: '/v1',
  logging: '/v2',
  monitoring: '/v3',
  notebooks: '/v2',
  oauth2: '',
  policyanalyzer: '/v1',
  pubsub: '/v1',
  recommender: '/v1',
  redis: '/v1',
  run: '/v1',
  secretmanager: '/v1',
  serviceusage: '',
  spanner: '/v1',
  sqladmin: '/sql/v1beta4',
  storage: '/storage/v1',
  sts: '/v1',
  workstations: '/v1',
} as const
export type Service = keyof typeof services

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface Question {
  service: Service
  /** For services that answer at an address of each region. */
  region?: string
  path: string
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Query
  /** Sent as JSON. */
  body?: object
}

/** Maximum bytes of one answer. */
const answerMax = 64 * 2 ** 20
const timeoutMs = 30_000

export interface Wire {
  /** Address of a stand-in for all services, for tests. */
  endpoint?: string | undefined
  /** Maximum bytes of the answer; 64 MiB by default. */
  bytesMax?: number | undefined
}

interface CallOptions {
  token?: string | undefined
  keep: string
  signal: AbortSignal
  /** Byte range of the requested object. */
  range?: string
}

/** The JSON value of the answer. @throws `GcpRefusal` for an error status, a Fault if there is no answer */
export async function askValue(wire: Wire, question: Question, how: CallOptions): Promise<unknown> {
  const text = (await askedBytes(wire, question, how)).toString('utf8')
  return text === '' ? {} : parseJson(text)
}

/** The bytes of the answer. @throws as `askValue` */
export async function askedBytes(
  wire: Wire,
  { service, region, path, method = 'GET', query, body }: Question,
  { token, keep, signal, range }: CallOptions,
): Promise<Buffer> {
  const headers = {
    accept: range === undefined ? 'application/json' : '*/*',
    // Without accepting gzip, storage decompresses objects stored as gzip and ignores the range.
    ...(range !== undefined && { range, 'accept-encoding': 'gzip' }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const content = body === undefined ? undefined : JSON.stringify(body)
  const place = `${services[service]}${path}${searchOf(query)}`
  return sendTo(wire, service, { region, path: place, method, headers, body: content }, { token, keep, signal })
}

interface Message {
  region?: string | undefined
  /** From the root of the host, with the query. */
  path: string
  method: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
}

/** The only way to Google, for packages too. @throws `GcpRefusal` for an error status, a Fault if there is no answer */
export async function sendTo(
  wire: Wire,
  service: Service,
  { region, path, method, headers, body }: Message,
  { token, keep, signal }: Omit<CallOptions, 'range'>,
): Promise<Buffer> {
  const answer = await fetchOutside(`${rootOf(wire, service, region)}${path}`, {
    method,
    headers: {
      ...headers,
      'user-agent': 'tidemark',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body }),
    timeoutMs,
    bytesMax: wire.bytesMax ?? answerMax,
    allowPrivate: wire.endpoint !== undefined,
    // A kept connection may turn out to be closed, and then the request is repeated: only for calls that may be
    // repeated.
    ...(method === 'GET' && { keep }),
    signal,
  })
  return bodyOf(answer, service)
}

/** A stand-in serves all services, which it distinguishes by path. */
const rootOf = ({ endpoint }: Wire, service: Service, region?: string): string =>
  endpoint?.replace(/\/+$/, '') ?? `https://${region === undefined ? '' : `${region}-`}${service}.googleapis.com`

/** The service that an address belongs to. @throws Fault `refused` `address_refused` for any other address */
export function serviceAt(url: URL): Service {
  const [name = ''] = /^[a-z0-9]+(?=\.googleapis\.com$)/.exec(url.hostname) ?? []
  if (`https://${name}.googleapis.com` === url.origin && url.username === '' && Object.hasOwn(services, name))
    return name as Service
  throw Fault.refused('address_refused', `${url.origin} is not an address of Google Cloud that Tidemark calls.`)
}

function searchOf(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value])
      if (one !== undefined) search.append(name, String(one))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

function bodyOf({ status, headers, body }: OutsideAnswer, service: Service): Buffer {
  if (status >= 200 && status < 300) return body
  const seconds = Number(headers['retry-after'])
  throw new GcpRefusal(
    status,
    body.toString('utf8'),
    Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0,
    service,
  )
}

const decoders = new WeakMap<TSchema, (input: unknown) => unknown>()

/** @throws a `system` fault `unknown_answer` if the answer does not match the schema */
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
