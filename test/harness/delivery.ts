/** Bills as providers deliver them: whole exports of an account's billing periods. */
import { billingExportEnded, billingLine, type BillingLine } from '#streams/billing/messages.ts'
import type { Tenant } from '#test/harness/product.ts'

/** `[day, name, cost]` with whatever else its line says. */
export type Item = readonly [day: string, name: string, cost: number | string, more?: Partial<BillingLine>]

export interface Delivery {
  id: string
  at: string
  items: readonly Item[]
  account?: string
  /** Lines told by billing period; those sent unless said otherwise. */
  told?: Record<string, number>
  part?: { index: number; of: number }
  confirmed?: boolean
}

export const lineOf = (
  { id, at, account = 'acct-1' }: Pick<Delivery, 'id' | 'at' | 'account'>,
  [day, name, cost, more]: Item,
): BillingLine => ({
  lineId: `${day}/${name}`,
  cloudAccountId: account,
  provider: 'aws',
  resourceUid: name,
  serviceName: 'compute',
  resourceType: 'aws-ec2',
  region: 'us-east-1',
  usageDate: day,
  costUSD: String(cost),
  exportId: id,
  exportedAt: at,
  ...more,
})

export const linesOf = (delivery: Delivery): BillingLine[] => delivery.items.map((item) => lineOf(delivery, item))

/** What the items themselves are: different lines by the month of their day, or the period they name. */
function counted({ items }: Delivery): Record<string, number> {
  const ids = new Set(items.map(([day, name, , more]) => `${more?.billingPeriod ?? day.slice(0, 7)} ${day}/${name}`))
  const periods = Map.groupBy(ids, (text) => text.slice(0, 7))
  return Object.fromEntries([...periods].map(([period, own]) => [period, own.length]))
}

export const endOf = (delivery: Delivery) => {
  const { id, at, account = 'acct-1', told = counted(delivery), part, confirmed } = delivery
  return {
    cloudAccountId: account,
    exportId: id,
    exportedAt: at,
    periods: Object.entries(told).map(([period, lines]) => ({ period, lines })),
    ...(part && { part }),
    ...(confirmed !== undefined && { confirmed }),
  }
}

export const sendLines = (org: Tenant, delivery: Delivery): Promise<void> => org.publish(billingLine, linesOf(delivery))
export const sendEnd = (org: Tenant, delivery: Delivery): Promise<void> =>
  org.publish(billingExportEnded, [endOf(delivery)])

/** All of an export: its lines, then its end; resolves when reports show what came of it. */
export async function deliver(org: Tenant, delivery: Delivery): Promise<void> {
  await sendLines(org, delivery)
  await sendEnd(org, delivery)
}

/** Publishes lines of no export, which are shown at once: half the work of an export. */
export const sendLoneLines = (org: Tenant, items: readonly Item[]): Promise<void> =>
  org.publish(
    billingLine,
    linesOf({ id: 'none', at: '', items }).map(({ exportId: _id, exportedAt: _at, ...line }) => line),
  )

/** Sums of reports by day, those that are not 0. */
export async function dayCosts(org: Tenant, from: string, to: string, query = ''): Promise<Record<string, number>> {
  const { body } = await org.get(`/reports/trends?from=${from}&to=${to}${query}`)
  const items = body.data.items as { date: string; costUSD: number }[]
  return Object.fromEntries(items.filter(({ costUSD }) => costUSD !== 0).map(({ date, costUSD }) => [date, costUSD]))
}

/** What the account keeps of its bills. */
export async function billsOf(org: Tenant, account = 'acct-1'): Promise<any> {
  const { rows } = await org.connections.store.pool.query(
    'select bills from cloud_account where org_id = $1 and id = $2',
    [org.orgId, account],
  )
  return rows[0]?.bills
}
