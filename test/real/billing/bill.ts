/** Puts bills through the product, and asks its facts what came of them. */
import { random } from '#test/harness/load.ts'
import { billingExportEnded, billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { AcceptedLine } from '#streams/billing/row/reading.ts'
import type { Tenant } from '#test/harness/product.ts'
import type { BillingFile, Check } from '#test/real/billing/files.ts'
import type { Groups } from '#test/real/billing/groups.ts'

export const account = 'acct-real'

export interface Bill {
  accepted: AcceptedLine[]
  lines: BillingLine[]
  /** How many rows were refused, by reason. */
  refused: Record<string, number>
}

/** The lines of a file, as `tidemark ingest billing` reads them. */
export async function readBill({
  paths,
  rates,
  provider,
}: Pick<BillingFile, 'paths' | 'rates' | 'provider'>): Promise<Bill> {
  const bill: Bill = { accepted: [], lines: [], refused: {} }
  const ids = new LineIds()
  const exportedAt = new Date('2026-01-01')
  for (const path of paths) {
    const options = {
      format: 'auto' as const,
      accountId: account,
      rates,
      exportedAt,
      ids,
      ...(provider && { provider }),
    }
    for await (const reading of (await openBillingFile(path, options)).rows) {
      if ('refused' in reading) bill.refused[reading.refused.code] = (bill.refused[reading.refused.code] ?? 0) + 1
      else bill.accepted.push(reading)
    }
  }
  bill.lines = bill.accepted.map(({ line }) => line)
  return bill
}

/** The same in another order: the same one for the same seed. */
export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const next = random(seed)
  const out = [...list]
  for (let at = out.length - 1; at > 0; at--) {
    const other = Math.floor(next() * (at + 1))
    ;[out[at], out[other]] = [out[other]!, out[at]!]
  }
  return out
}

export const ingest = (org: Tenant, lines: readonly BillingLine[]): Promise<void> => org.publish(billingLine, lines)

/**
 * Delivers the lines as an export of all their billing periods, behind one another and then its end. `changed` says them as a
 * provider does that switched on a tag, changed a description and gave its lines new ids.
 */
export async function deliver(org: Tenant, bill: Bill, id: string, at: string, isChanged: boolean): Promise<void> {
  const periods = new Map<string, number>()
  const lines = bill.accepted.map(({ line, cost }, n): BillingLine => {
    const start = cost['BillingPeriodStart']
    const period = (typeof start === 'string' ? start : cost.x_Day).slice(0, 7)
    periods.set(period, (periods.get(period) ?? 0) + 1)
    const stamped = { ...line, exportId: id, exportedAt: at, billingPeriod: period }
    return isChanged
      ? { ...stamped, lineId: `new-${n}`, ChargeDescription: `now ${n}`, Tags: { switched: 'on' } }
      : stamped
  })
  await org.publish(billingLine, isChanged ? shuffled(lines, 7) : lines)
  const told = [...periods].map(([period, count]) => ({ period, lines: count }))
  await org.publish(billingExportEnded, [{ cloudAccountId: account, exportId: id, exportedAt: at, periods: told }])
}

/** How many of the lines are finer than the store's 14 decimals, in the cost that counts. */
export const finer = (lines: readonly BillingLine[], cost: Check['cost']): number =>
  lines.filter((line) => isFiner(`${line[cost] ?? line.BilledCost}`)).length

/** `1.5e-10` has 11 decimals. */
function isFiner(amount: string): boolean {
  const [, fraction = '', exponent = '0'] = /^[+-]?\d*(?:\.(\d*?)0*)?(?:[eE]([+-]?\d+))?$/.exec(amount) ?? []
  return fraction.length - Number(exponent) > 14
}

type Row = { name: string; rows: string; sum: string }
type CostsRow = { name: string; rows: string; sums: readonly string[] }

const groupsOf = (rows: readonly Row[]): Groups =>
  Object.fromEntries(rows.map(({ name, rows: count, sum }) => [name, { rows: Number(count), sum }]))

/** The costs that checks sum. */
const costs = ['BilledCost', 'EffectiveCost', 'ListCost'] as const satisfies readonly Check['cost'][]
export type GroupsOfCosts = Readonly<Record<Check['cost'], Groups>>

const byCost = (rows: readonly CostsRow[]): GroupsOfCosts =>
  Object.fromEntries(
    costs.map((cost, at) => [cost, groupsOf(rows.map(({ sums, ...row }) => ({ ...row, sum: sums[at]! })))]),
  ) as GroupsOfCosts

const linesSql = `
  SELECT trim(concat(
      substring(ifNull(toString({first:Identifier}), ''), 1, {firstLength:UInt16}), ' ',
      substring(ifNull(toString({second:Identifier}), ''), 1, {secondLength:UInt16}))) AS name,
    count() AS rows, [toString(sum(BilledCost)), toString(sum(EffectiveCost)), toString(sum(ListCost))] AS sums
  FROM cost_lines WHERE x_OrgId = {org:String} GROUP BY name`

/** Rows and sums of the lines that count, by what checks group by. */
export async function linesBy(org: Tenant, by: Check['by']): Promise<GroupsOfCosts> {
  const [first, firstLength] = by[0]!
  const [second, secondLength] = by[1] ?? [first, 0]
  return byCost(await org.facts<CostsRow>(linesSql, { first, firstLength, second, secondLength }))
}

const keysSql = `
  SELECT arrayJoin(mapKeys(Tags)) AS name, count() AS rows, toString(sum(BilledCost)) AS sum
  FROM cost_lines WHERE x_OrgId = {org:String} GROUP BY name`

const pairsSql = `
  SELECT concat(pair.1, '=', pair.2) AS name, count() AS rows, toString(sum(BilledCost)) AS sum
  FROM (SELECT arrayJoin(CAST(Tags AS Array(Tuple(String, String)))) AS pair, BilledCost FROM cost_lines WHERE x_OrgId = {org:String})
  GROUP BY name`

export const tagKeys = async (org: Tenant): Promise<Groups> => groupsOf(await org.facts<Row>(keysSql))
export const tagPairs = async (org: Tenant): Promise<Groups> => groupsOf(await org.facts<Row>(pairsSql))

const rollupSql = `
  SELECT substring(toString({column:Identifier}), 1, {length:UInt16}) AS name, sum(lines) AS rows,
    [toString(sum(billed_cost)), toString(sum(effective_cost)), toString(sum(list_cost))] AS sums
  FROM {view:Identifier} WHERE org_id = {org:String} GROUP BY name`

const rolled: Readonly<Record<string, string>> = {
  x_Day: 'day',
  x_Provider: 'provider',
  ServiceName: 'service_name',
  RegionId: 'region',
  ChargeCategory: 'charge_category',
}

export const views = ['cost_daily', 'cost_service_daily'] as const

/** The same from a rolled-up view; undefined where the view has no such column. */
export async function rollupBy(
  org: Tenant,
  view: (typeof views)[number],
  by: Check['by'],
): Promise<GroupsOfCosts | undefined> {
  const [column, length] = by[0]!
  if (by.length > 1 || !(column in rolled)) return undefined
  return byCost(await org.facts<CostsRow>(rollupSql, { view, column: rolled[column], length }))
}
