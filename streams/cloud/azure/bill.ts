/** Bills of Azure: the export that the account names, in its container. */
import type { Readable } from 'node:stream'
import { firstOf, monthOf, monthsBetween } from '#engine/day.ts'
import { Fault } from '#engine/fault.ts'
import type { BillingLine } from '#streams/billing.ts'
import { membersOf, type Member } from '#streams/billing/member.ts'
import { LineIds } from '#streams/billing/line-id.ts'
import { openBillingFile, type Accepted } from '#streams/billing/reader.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { exportOf } from './bill-export.ts'
import { blobBytes, type Blob } from './blob.ts'
import { openAzure } from './open.ts'
import type { AzureOptions, AzureSession } from './session.ts'

/** Lines of one page. */
const pageMax = 1000

interface Reading {
  ids: LineIds
  /** YYYY-MM */
  month: string
  from: string
  to: string
}

/** Kinds of exports that say there is none. */
const unexported: readonly string[] = ['none']

/** Nothing of an account that does not say where its bills are: producers of its own may send them. */
export async function* bill(
  options: AzureOptions,
  account: CloudAccount,
  from: string,
  to: string,
): AsyncGenerator<BillingLine[]> {
  const { billingExport } = account
  if (!billingExport || unexported.includes(billingExport.kind)) return
  const session = openAzure(account, options)
  const found = await exportOf(session, billingExport.location)
  for (const month of monthsBetween(monthOf(from), monthOf(to))) {
    const ids = new LineIds(1 << 12)
    for (const file of await found.filesOf(month))
      for await (const { name, input } of membersIn(session, file))
        yield* fileLines(session, { ...file, name }, input, { ids, month, from, to })
  }
}

async function* membersIn(session: AzureSession, file: Blob): AsyncGenerator<Member> {
  try {
    yield* membersOf(file.name, blobBytes(session, file))
  } catch (error) {
    throw unreadable(file, error)
  }
}

/** @throws `bill_unreadable` for the first row that is no line of a bill: without it the bill would not be whole */
async function* fileLines(
  session: AzureSession,
  file: Blob,
  input: Readable,
  reading: Reading,
): AsyncGenerator<BillingLine[]> {
  const opened = await openBillingFile(input, {
    format: 'auto',
    accountId: session.account.id,
    rates: {},
    exportedAt: file.at,
    ids: reading.ids,
    byPeriod: true,
    provider: 'azure',
  }).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  let page: BillingLine[] = []
  try {
    for await (const row of opened.rows) {
      if ('refused' in row) throw refused(file, opened.unit, row)
      if (isWanted(row, reading)) page.push(row.line)
      if (page.length < pageMax) continue
      yield page
      page = []
    }
  } catch (error) {
    throw unreadable(file, error)
  } finally {
    opened.close()
  }
  if (page.length > 0) yield page
}

/** Refunds of a bill may be of days before its month. */
function isWanted({ cost: { x_Day: day } }: Accepted, { month, from, to }: Reading): boolean {
  const first = firstOf(month)
  return day <= to && (day >= from || (from <= first && day < first))
}

const refused = (
  { name }: Blob,
  unit: string,
  { row, refused: { code, message } }: { row: number; refused: { code: string; message: string } },
): Fault =>
  cloudFault('user_action', 'bill_unreadable', `${name}, ${unit} ${row}: ${message}`, {
    reason: code,
    fixHint: 'Check that the export is one of FOCUS or of actual costs, in US dollars, as Azure writes it.',
  })

/** What the file itself is wrong by, as a fault of the cloud. */
function unreadable({ name }: Blob, error: unknown): unknown {
  if (!(error instanceof Fault) || error.kind !== 'invalid') return error
  const fixHint = 'Let Azure write the export as CSV or Parquet: Cost Management, Exports.'
  return cloudFault(
    'user_action',
    'bill_unreadable',
    `${name}: ${error.message}`,
    { reason: error.code, fixHint },
    error,
  )
}
