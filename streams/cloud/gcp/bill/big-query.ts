/** The billing export in BigQuery, read by Google's client, whose every request becomes a call of the session. */
import type { BigQuery } from '@google-cloud/bigquery'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { sdk } from '#streams/cloud/call/sdk.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { serviceAt, type Query } from '#streams/cloud/gcp/session/api.ts'
import { gcpFault } from '#streams/cloud/gcp/session/fault.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { BillPlace } from './location.ts'
import { billSql, periodTypes, queryPeriod } from './query.ts'

/** Rows per answer. */
const rowsMax = 2000
/** Bytes one query may read: 10 GiB. BigQuery refuses queries that would read more, without charge. */
const bytesBilledMax = 10 * 2 ** 30
/** How often an unfinished query is polled: for a quarter of an hour. */
const waitsMax = 90

/** The tables of the detailed usage export in a data set. */
export async function exportTablesIn(session: GcpSession, project: string, dataset: string): Promise<string[]> {
  const client = await clientOf(session, project)
  const [tables] = await client.dataset(dataset).getTables().catch(rethrow(session, 'bigquery.tables.list'))
  return tables.flatMap(({ id = '' }) => (/^gcp_billing_export_resource_v1_\w+$/.test(id) ? [id] : []))
}

/**
 * Yields the rows of a month, as JSON. The client gives its query a request id, which makes a repeat harmless: nothing is
 * read and charged twice.
 */
export async function* exportLines(
  session: GcpSession,
  place: Required<BillPlace>,
  month: string,
  days: { from: string; to: string },
): AsyncGenerator<string> {
  yield* queriedLines(session, place.project, {
    query: billSql(place),
    params: queryPeriod(month, days),
    types: periodTypes,
    labels: { tidemark: 'bill' },
  })
}

interface LineQuery {
  query: string
  params?: Record<string, Date | string>
  types?: Readonly<Record<string, string>>
  labels: Readonly<Record<string, string>>
}

/** Yields the column `line` of a query in a project. */
export async function* queriedLines(session: GcpSession, project: string, asked: LineQuery): AsyncGenerator<string> {
  const client = await clientOf(session, project)
  const failed = rethrow(session, 'bigquery.jobs.create')
  const query = { ...asked, maximumBytesBilled: String(bytesBilledMax) }
  const paging = { autoPaginate: false, maxResults: rowsMax }
  let answer = (await client.query(query, paging).catch(failed)) as unknown as Page
  for (let waits = 0; ;) {
    const [rows, next, { jobComplete }] = answer
    if (jobComplete === false && ++waits > waitsMax)
      throw cloudFault('transient', 'cloud_timeout', 'BigQuery did not finish the query in time.')
    for (const { line } of rows) if (typeof line === 'string') yield line
    if (!next) return
    answer = (await next.job.getQueryResults(next).catch(failed)) as unknown as Page
  }
}

/** What the client returns without paging on its own. */
type Page = [
  rows: { line?: unknown }[],
  next: { job: { getQueryResults: (next: object) => Promise<unknown> } } | null,
  answer: { jobComplete?: boolean },
]

/** What the client makes of an answer that it cannot use is an error of its own. */
const rethrow = (session: GcpSession, permission: string) => (error: unknown) => {
  throw error instanceof Fault ? error : gcpFault(error, { service: 'bigquery', permission, project: session.project })
}

interface ClientRequest {
  uri: string
  method?: 'GET' | 'POST'
  qs?: Query
  json?: object
}

/**
 * All requests of the client come together in `makeAuthenticatedRequest`, which would ask the environment for credentials
 * and send by a transport of its own.
 */
async function clientOf(session: GcpSession, projectId: string): Promise<BigQuery> {
  const [{ BigQuery: Client }, authClient] = await Promise.all([
    sdk('@google-cloud/bigquery', () => import('@google-cloud/bigquery')),
    session.authClient(),
  ])
  const client = new Client({ projectId, authClient, autoRetry: false, maxRetries: 0 })
  const makeAuthenticatedRequest = (request: ClientRequest, callback: (error: unknown, answer?: unknown) => void) =>
    void asked(session, request).then((answer) => callback(null, answer), callback)
  return Object.assign(client, { makeAuthenticatedRequest })
}

const text = t.Optional(t.String())
const Tables = t.Object({
  nextPageToken: text,
  tables: t.Optional(t.Array(t.Object({ tableReference: t.Object({ tableId: t.String() }) }))),
})
const answered = {
  jobComplete: t.Optional(t.Boolean()),
  // Without one the client fails where nobody hears of it.
  jobReference: t.Object({ jobId: t.String({ minLength: 1 }), location: text }),
  pageToken: text,
}
const Row = t.Object({ f: t.Array(t.Object({ v: t.Union([t.String(), t.Null()]) })) })
const Schema = t.Object({ fields: t.Array(t.Object({ name: t.String(), type: t.String() })) })
/** The client takes rows without a schema for none. */
const Rows = t.Union([
  t.Object({ ...answered, schema: Schema, rows: t.Array(Row) }),
  t.Object({ ...answered, rows: t.Optional(t.Array(Row, { maxItems: 0 })) }),
])

const prefix = '/bigquery/v2'

async function asked(session: GcpSession, { uri, method = 'GET', qs = {}, json }: ClientRequest): Promise<object> {
  const url = new URL(uri)
  const service = serviceAt(url)
  if (service !== 'bigquery' || !url.pathname.startsWith(`${prefix}/`))
    throw Fault.refused('address_refused', `${url.origin} is not the address of BigQuery.`)
  // Options of the client itself are among the parameters.
  const { autoPaginate: _, ...query } = qs
  const call = { service, path: url.pathname.slice(prefix.length), method, query, ...(json && { body: json }) }
  if (call.path.endsWith('/tables')) return session.ask({ ...call, permission: 'bigquery.tables.list' }, Tables)
  return session.ask({ ...call, permission: 'bigquery.jobs.create' }, Rows)
}
