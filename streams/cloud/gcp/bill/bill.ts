/**
 * Bills of Google Cloud: files in Cloud Storage, or the detailed usage export in BigQuery, queried by month within its
 * partitions.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { monthOf, monthsBetween } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { billLines } from '#streams/cloud/bill/file.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { objectOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { placeInStorage, placeOfBills, type BillPlace } from './location.ts'
import { billSql, queryPeriod } from './query.ts'
import { withResourceName } from './resource.ts'
import { storedBill } from './storage.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

/** Rows per answer. */
const rowsMax = 2000
/** Bytes one query may read: 10 GiB. BigQuery refuses queries that would read more, without charge. */
const bytesBilledMax = 10 * 2 ** 30
/** How often an unfinished query is polled: for a quarter of an hour. */
const waitsMax = 90

const noExportKinds: readonly string[] = ['none']

/** Yields nothing for an account without a bill location. */
export async function* bill(
  options: GcpOptions,
  account: CloudAccount,
  asked: BillRequest,
): AsyncGenerator<BillingLine[]> {
  const { billingExport } = account
  if (!billingExport || noExportKinds.includes(billingExport.kind)) return
  if (placeInStorage(billingExport.location)) {
    yield* storedBill(options, account, billingExport.location, asked)
    return
  }
  const place = placeOfBills(account)
  if (!place)
    throw wrong(
      'billing_export_invalid',
      `${billingExport.location} is neither a BigQuery location nor a Cloud Storage location.`,
      'Use bigquery://<project>/<dataset> of the detailed usage cost export, or gs://<bucket>/<prefix> of exported files.',
    )
  const session = openGcp(account, options)
  const table = await tableOf(session, place)
  for (const month of monthsBetween(monthOf(asked.from), monthOf(asked.to)))
    yield* monthLines(session, { ...place, table }, month, asked)
}

const wrong = (code: string, message: string, fixHint: string, cause?: unknown) =>
  cloudFault('user_action', code, message, { fixHint }, cause)

const Tables = t.Object({
  nextPageToken: t.Optional(t.String()),
  tables: t.Optional(t.Array(t.Object({ tableReference: t.Object({ tableId: t.String() }) }))),
})

/** The named table, or the only export table in the data set. */
async function tableOf(session: GcpSession, { project, dataset, table }: BillPlace): Promise<string> {
  if (table !== undefined) return table
  const call = {
    service: 'bigquery',
    path: `/projects/${project}/datasets/${dataset}/tables`,
    query: { maxResults: 1000 },
    permission: 'bigquery.tables.list',
  } as const
  const found: string[] = []
  for await (const { tables = [] } of session.pages(call, Tables))
    found.push(
      ...tables
        .map(({ tableReference: { tableId } }) => tableId)
        .filter((id) => /^gcp_billing_export_resource_v1_\w+$/.test(id)),
    )
  const [only] = found
  if (only === undefined)
    throw wrong(
      'bill_not_there',
      `${project}.${dataset} has no table gcp_billing_export_resource_v1_….`,
      'Turn on the detailed usage cost export: Billing, Billing export. Google creates the table within a day.',
    )
  if (found.length > 1)
    throw wrong(
      'billing_export_invalid',
      `${project}.${dataset} has the exports of several billing accounts: ${found.slice(0, 10).join(', ')}.`,
      `Use one of them: bigquery://${project}/${dataset}/${only}`,
    )
  return only
}

interface Days {
  from: string
  to: string
}

/** The requested days (inclusive), and where unreadable rows are reported. */
interface BillRequest extends Days {
  refusals: BillRefusals
}

async function* monthLines(
  session: GcpSession,
  place: Required<BillPlace>,
  month: string,
  asked: BillRequest,
): AsyncGenerator<BillingLine[]> {
  const lines = linesOf(session, place, month, asked)
  const first = await lines.next()
  if (first.done) return
  const name = `${place.project}.${place.dataset}.${place.table}`
  const reading = {
    format: 'gcp-export',
    accountId: session.account.id,
    exportedAt: new Date(),
    provider: 'gcp',
  } as const
  const content = Readable.from(texts(first.value, lines))
  yield* billLines({ ...asked, month, name, content, fixHint }, { ...reading, ids: new LineIds(1 << 12) })
}

const fixHint = 'Check that the table belongs to the detailed usage cost export of Google.'

async function* texts(first: Json, rest: AsyncIterable<Json>): AsyncGenerator<string> {
  yield `${JSON.stringify(withResourceName(first))}\n`
  for await (const one of rest) yield `${JSON.stringify(withResourceName(one))}\n`
}

const text = t.Optional(t.String())
const Rows = t.Object({
  jobComplete: t.Optional(t.Boolean()),
  jobReference: t.Optional(t.Object({ projectId: text, jobId: text, location: text })),
  pageToken: text,
  rows: t.Optional(t.Array(t.Object({ f: t.Array(t.Object({ v: t.Union([t.String(), t.Null()]) })) }))),
})

/** Yields the rows of the export as Google wrote them. */
async function* linesOf(
  session: GcpSession,
  place: Required<BillPlace>,
  month: string,
  days: Days,
): AsyncGenerator<Json> {
  for await (const { rows = [] } of answers(session, place, month, days))
    for (const { f } of rows) {
      const [cell] = f
      if (typeof cell?.v === 'string') yield objectOf(parseJson(cell.v))
    }
}

/** The request id makes a repeat harmless: nothing is read and charged twice. */
async function* answers(
  session: GcpSession,
  place: Required<BillPlace>,
  month: string,
  days: Days,
): AsyncGenerator<Static<typeof Rows>> {
  const body = {
    query: billSql(place),
    useLegacySql: false,
    maximumBytesBilled: String(bytesBilledMax),
    maxResults: rowsMax,
    timeoutMs: 20_000,
    parameterMode: 'NAMED',
    queryParameters: queryPeriod(month, days),
    labels: { tidemark: 'bill' },
    requestId: randomUUID(),
  }
  const call = {
    service: 'bigquery',
    path: `/projects/${place.project}/queries`,
    method: 'POST',
    body,
    permission: 'bigquery.jobs.create',
  } as const
  let answer = await session.ask(call, Rows).catch((error: unknown) => {
    throw tooMuch(error)
  })
  const { projectId = place.project, jobId = '', location } = answer.jobReference ?? {}
  const path = `/projects/${encodeURIComponent(projectId)}/queries/${encodeURIComponent(jobId)}`
  for (let waits = 0; ;) {
    if (answer.jobComplete !== false) yield answer
    else if (++waits > waitsMax)
      throw cloudFault('transient', 'cloud_timeout', 'BigQuery did not finish reading the bill in time.')
    const pageToken = answer.pageToken || undefined
    if (answer.jobComplete !== false && pageToken === undefined) return
    const query = { maxResults: rowsMax, timeoutMs: 10_000, location, pageToken }
    answer = await session.ask({ service: 'bigquery', path, query, permission: 'bigquery.jobs.create' }, Rows)
  }
}

function tooMuch(error: unknown): unknown {
  if (
    !(error instanceof Fault) ||
    !/bytesBilled|bytes billed/i.test(`${String(error.detail['word'])} ${error.message}`)
  )
    return error
  return wrong(
    'bill_too_large',
    'Reading the bill of one month would scan more than 10 GiB in BigQuery.',
    'Let the export write to a separate dataset with the daily partitioned table that Google creates.',
    error,
  )
}
