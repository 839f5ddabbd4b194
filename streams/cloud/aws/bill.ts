/** Bills of AWS: the export that the account names, in S3; without one Cost Explorer, by service and day. */
import type { Readable } from 'node:stream'
import { firstOf, monthOf, monthsBetween } from '#engine/day.ts'
import { Fault } from '#engine/fault.ts'
import type { BillingLine } from '#streams/billing.ts'
import { membersOf, type Member } from '#streams/billing/member.ts'
import { LineIds } from '#streams/billing/line-id.ts'
import { openBillingFile, type Accepted } from '#streams/billing/reader.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { explored } from './bill-explorer.ts'
import { exportOf, type BillFile } from './bill-export.ts'
import { openAws } from './open.ts'
import { objectBytes } from './object.ts'
import type { AwsOptions, AwsSession } from './session.ts'

/** Lines of one page. */
const pageMax = 1000

/** Kinds of exports that say there is none. */
const unexported: readonly string[] = ['cost-explorer', 'cost_explorer', 'none']

export async function* bill(
  options: AwsOptions,
  account: CloudAccount,
  from: string,
  to: string,
): AsyncGenerator<BillingLine[]> {
  const { billingExport } = account
  const session = openAws(account, options)
  try {
    if (!billingExport || unexported.includes(billingExport.kind)) yield* explored(session, from, to)
    else yield* exported(session, billingExport.location, { from, to })
  } finally {
    session.close()
  }
}

interface Days {
  from: string
  to: string
}

async function* exported(session: AwsSession, location: string, days: Days): AsyncGenerator<BillingLine[]> {
  const found = await exportOf(session, location)
  for (const month of monthsBetween(monthOf(days.from), monthOf(days.to))) {
    const ids = new LineIds(1 << 12)
    for (const file of await found.filesOf(month))
      for await (const { name, input } of membersIn(session, file))
        yield* fileLines(session, { ...file, key: name }, input, { ids, month, days })
  }
}

async function* membersIn(session: AwsSession, file: BillFile): AsyncGenerator<Member> {
  try {
    yield* membersOf(file.key, objectBytes(session, file))
  } catch (error) {
    throw unreadable(file, error)
  }
}

interface Reading {
  ids: LineIds
  /** YYYY-MM */
  month: string
  days: Days
}

/** @throws `bill_unreadable` for the first row that is no line of a bill: without it the bill would not be whole */
async function* fileLines(
  session: AwsSession,
  file: BillFile,
  input: Readable,
  { ids, month, days }: Reading,
): AsyncGenerator<BillingLine[]> {
  const opened = await openBillingFile(input, {
    format: 'auto',
    accountId: session.account.id,
    rates: {},
    exportedAt: file.at,
    ids,
    byPeriod: true,
    provider: 'aws',
  }).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  let page: BillingLine[] = []
  try {
    for await (const reading of opened.rows) {
      if ('refused' in reading) throw refused(file, opened.unit, reading)
      if (isWanted(reading, month, days)) page.push(reading.line)
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

/** Credits and refunds of a bill may be of days before its month. */
function isWanted({ cost: { x_Day: day } }: Accepted, month: string, { from, to }: Days): boolean {
  const first = firstOf(month)
  return day <= to && (day >= from || (from <= first && day < first))
}

const refused = (
  { key }: BillFile,
  unit: string,
  { row, refused: { code, message } }: { row: number; refused: { code: string; message: string } },
): Fault =>
  cloudFault('user_action', 'bill_unreadable', `${key}, ${unit} ${row}: ${message}`, {
    reason: code,
    fixHint: 'Check that the export is one of Cost and Usage Reports or FOCUS, in US dollars, as AWS writes it.',
  })

/** What the file itself is wrong by, as a fault of the cloud. */
function unreadable({ key }: BillFile, error: unknown): unknown {
  if (!(error instanceof Fault) || error.kind !== 'invalid') return error
  const fixHint = 'Let AWS write the export as Parquet, or as CSV with gzip: Billing and Cost Management, Data Exports.'
  return cloudFault(
    'user_action',
    'bill_unreadable',
    `${key}: ${error.message}`,
    { reason: error.code, fixHint },
    error,
  )
}
