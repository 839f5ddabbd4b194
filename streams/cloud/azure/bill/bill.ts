/** Bills of Azure: from the account's export in a storage container, or from Cost Management. */
import type { Clock } from '#engine/actor/ports.ts'
import { monthOf, monthsBetween } from '#engine/value/day.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import type { LineSink } from '#streams/billing/reader.ts'
import { partLines } from '#streams/cloud/bill/parts.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { exportOf } from './export.ts'
import { blobBytes } from './blob.ts'
import { isScope } from './location.ts'
import { daysIn, queryBill } from './query.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { AzureOptions } from '#streams/cloud/azure/session/session.ts'

/** Kinds that mean that there is no export. */
const noExportKinds: readonly string[] = ['none']

const fixHint = 'Check that it is an Azure export of FOCUS or actual cost data: Cost Management, Exports.'

/** The requested days (inclusive), and where unreadable rows are reported. */
interface BillRequest {
  from: string
  to: string
  refusals: BillRefusals
  /** Takes the lines of an export in place of pages. */
  lines?: LineSink | undefined
}

interface BillOptions extends AzureOptions {
  clock: Pick<Clock, 'now'>
}

/** Yields nothing for an account without a location of bills: its bills may come from producers. */
export async function* bill(
  options: BillOptions,
  account: CloudAccount,
  asked: BillRequest,
): AsyncGenerator<BillingLine[]> {
  const { billingExport } = account
  if (!billingExport || noExportKinds.includes(billingExport.kind)) return
  const session = openAzure(account, options)
  if (isScope(account, billingExport.location)) {
    for (const month of monthsBetween(monthOf(asked.from), monthOf(asked.to)))
      yield* queryBill(session, { ...daysIn(month, asked), now: options.clock.now() })
    return
  }
  const found = await exportOf(session, billingExport.location)
  const reading = { accountId: account.id, provider: 'azure', isNamed: true } as const
  for (const month of monthsBetween(monthOf(asked.from), monthOf(asked.to))) {
    const files = await found.filesOf(month)
    const parts = files.map((blob) => ({ name: blob.name, at: blob.at, open: async () => blobBytes(session, blob) }))
    yield* partLines(parts, { ...asked, month, fixHint }, reading)
  }
}
