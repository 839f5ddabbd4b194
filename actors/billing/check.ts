/** Checks whether the bills of an account arrive, for a person who requested it (decision G-90). */
import { Fault, type Problem } from '#engine/value/fault.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { decoder } from '#engine/value/schema.ts'
import { BillingLine } from '#streams/billing/messages.ts'
import { checkRefusals } from '#streams/cloud/bill/fault.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount, Connector } from '#streams/cloud/connector.ts'
import { costLine } from '#streams/billing/line/cost-line.ts'
import { addDays } from '#engine/value/day.ts'

export interface CheckTools {
  reads: Reads
  connector: Connector
  now: Date
  /** The newest complete day, YYYY-MM-DD. */
  newest: string
}

type CheckName = 'reachable' | 'schema' | 'sample'

/** A record is recent if it is from one of the last so many days. */
const recentDays = 3
const decode = decoder(BillingLine)

/** @throws Fault whose message begins with the name of the failed check; `transient` if trying again may help */
export async function checkExport(tools: CheckTools, account: CloudAccount): Promise<void> {
  const from = addDays(tools.newest, 1 - recentDays)
  const sample = await reach(tools, account, from)
  for (const line of sample) readable(line, account.id, tools.now)
  if (sample.length === 0 && !(await isFed(tools.reads, account, from))) {
    throw exportFault('sample', `The export has no lines for the last ${recentDays} days.`)
  }
}

async function reach({ connector, newest }: CheckTools, account: CloudAccount, from: string): Promise<BillingLine[]> {
  const sample: BillingLine[] = []
  try {
    const { verdict, message } = await connector.verify(account)
    if (verdict === 'none') throw Fault.refused('access_denied', message ?? 'The cloud rejected the credentials.')
    const refusals = new BillRefusals()
    for await (const lines of connector.bill(account, from, newest, refusals)) sample.push(...lines)
    checkRefusals(refusals)
  } catch (error) {
    throw exportFault('reachable', Fault.from(error).message, error)
  }
  return sample
}

function readable(line: BillingLine, cloudAccountId: string, now: Date): void {
  try {
    costLine(decode({ ...line, cloudAccountId }), now)
  } catch (error) {
    const { message, detail } = Fault.from(error)
    const [problem] = (detail['problems'] ?? []) as Problem[]
    const where = problem ? ` ${problem.path} ${problem.message}.` : ''
    throw exportFault('schema', `A line of the export is invalid. ${message}${where}`, error)
  }
}

/** Whether recent lines arrive in another way: from its own producers, or in the bill of its payer. */
async function isFed(reads: Reads, { orgId, id }: CloudAccount, from: string): Promise<boolean> {
  const found = await reads.facts(
    `SELECT 1 AS found FROM cost_row
     WHERE x_OrgId = {org:String} AND x_CloudAccountId = {account:String} AND x_Day >= {from:Date32} AND x_Deleted = 0
     LIMIT 1
     UNION ALL
     SELECT 1 AS found FROM cost_daily
     WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND day >= {from:Date32}
     LIMIT 1`,
    { org: orgId, account: id, from },
  )
  return found.length > 0
}

function exportFault(name: CheckName, why: string, cause?: unknown): Fault {
  const kind = cause !== undefined && Fault.from(cause).retryable ? 'transient' : 'refused'
  return new Fault(kind, 'billing_check_failed', `${name}: ${why}`, { check: name }, cause)
}
