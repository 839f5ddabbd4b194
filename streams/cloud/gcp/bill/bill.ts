/**
 * Bills of Google Cloud: files in Cloud Storage, or the detailed usage export in BigQuery, queried by month within its
 * partitions.
 */
import { Readable } from 'node:stream'
import { monthOf, monthsBetween } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { billLines } from '#streams/cloud/bill/file.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { objectOf, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import { placeInStorage, placeOfBills, type BillPlace } from './location.ts'
import { exportTablesIn, exportLines } from './big-query.ts'
import { withResourceName } from './resource.ts'
import { storedBill } from './storage.ts'
import { openGcp, type GcpSession } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

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

/** The named table, or the only export table in the data set. */
async function tableOf(session: GcpSession, { project, dataset, table }: BillPlace): Promise<string> {
  if (table !== undefined) return table
  const found = await exportTablesIn(session, project, dataset)
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

/** Yields the rows of the export as Google wrote them. */
async function* linesOf(
  session: GcpSession,
  place: Required<BillPlace>,
  month: string,
  days: Days,
): AsyncGenerator<Json> {
  try {
    for await (const line of exportLines(session, place, month, days)) yield objectOf(parseJson(line))
  } catch (error) {
    throw tooMuch(error)
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
