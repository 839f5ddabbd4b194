/** Bills of AWS: from the account's export in S3, or without one from Cost Explorer, by service and day. */
import { monthOf, monthsBetween } from '#engine/value/day.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import type { LineSink } from '#streams/billing/reader.ts'
import { partLines } from '#streams/cloud/bill/parts.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { readCostExplorer } from './explorer.ts'
import { exportOf } from './export.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { objectBytes } from './object.ts'
import type { AwsOptions, AwsSession } from '#streams/cloud/aws/session/session.ts'

/** Kinds that mean that there is no export. */
const noExportKinds: readonly string[] = ['cost-explorer', 'cost_explorer', 'none']

const fixHint =
  'Check that it is an AWS Cost and Usage Report or a FOCUS export: Billing and Cost Management, Data Exports.'

/** The requested days (inclusive), and where unreadable rows are reported. */
interface BillRequest {
  from: string
  to: string
  refusals: BillRefusals
  /** Takes the lines of an export in place of pages. */
  lines?: LineSink | undefined
}

export async function* bill(
  options: AwsOptions,
  account: CloudAccount,
  asked: BillRequest,
): AsyncGenerator<BillingLine[]> {
  const { billingExport } = account
  const session = openAws(account, options)
  try {
    if (!billingExport || noExportKinds.includes(billingExport.kind))
      yield* readCostExplorer(session, asked.from, asked.to)
    else yield* readExport(session, billingExport.location, asked)
  } finally {
    session.close()
  }
}

async function* readExport(session: AwsSession, location: string, asked: BillRequest): AsyncGenerator<BillingLine[]> {
  const found = await exportOf(session, location)
  const reading = { accountId: session.account.id, provider: 'aws', isNamed: true } as const
  for (const month of monthsBetween(monthOf(asked.from), monthOf(asked.to))) {
    const files = await found.filesOf(month)
    const parts = files.map((file) => ({ name: file.key, at: file.at, open: async () => objectBytes(session, file) }))
    yield* partLines(parts, { ...asked, month, fixHint }, reading)
  }
}
