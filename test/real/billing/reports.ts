/** What the reports of the API say of one bill, held against what its publisher adds up. */
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import type { Tenant } from '#test/harness/product.ts'
import { finer, type Bill } from '#test/real/billing/bill.ts'
import type { Check } from '#test/real/billing/files.ts'
import { cents, type Groups } from '#test/real/billing/groups.ts'

const kinds = { BilledCost: 'billed', EffectiveCost: 'effective', ListCost: 'list' } as const
const dims: Readonly<Record<string, string>> = {
  x_Provider: 'provider',
  ServiceName: 'service_name',
  RegionId: 'region',
}

interface Asked {
  range: string
  groups: Groups
  /** Lines say more than the store's 14 decimals hold. */
  isFine: boolean
}

/** Periods and parts are exact, totals to the cent (decision G-07). */
export async function reportsEqual(org: Tenant, { accepted, lines }: Bill, checks: readonly Check[]): Promise<void> {
  const days = accepted.map(({ cost }) => cost.x_Day).toSorted()
  const range = `from=${days[0]}&to=${days.at(-1)}`
  await Promise.all(
    checks.map(async ({ by, cost, groups }) => {
      const [[column, length] = ['', 0]] = by
      if (by.length > 1) return
      const asked = { range: `${range}&cost=${kinds[cost]}`, groups, isFine: finer(lines, cost) > 0 }
      if (column === 'x_Day' && length === 10) await daily(org, asked)
      if (column === 'x_Day' && length === 7) await monthly(org, asked, kinds[cost])
      if (column === 'x_Provider') await providers(org, asked)
      if (column in dims) await flow(org, dims[column]!, asked)
    }),
  )
}

async function get<T>(org: Tenant, path: string): Promise<T> {
  const { status, body } = await org.get<{ data: T }>(path)
  expect(status, path).to.equal(200)
  return body.data
}

/** Amounts that are not 0, by name. */
const amounts = (entries: readonly (readonly [string, number])[]) =>
  Object.fromEntries(entries.filter(([, amount]) => amount !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)))

function alike(found: readonly (readonly [string, number])[], { groups, isFine }: Asked, what: string): void {
  const near = (amount: number) => (isFine ? Number(amount.toFixed(8)) : amount)
  const wanted = Object.entries(groups).map(([name, group]) => [name || '(none)', near(Number(group.sum))] as const)
  expect(amounts(found.map(([name, amount]) => [name, near(amount)])), what).to.deep.equal(amounts(wanted))
}

async function daily(org: Tenant, asked: Asked): Promise<void> {
  const { items } = await get<{ items: { date: string; costUSD: number }[] }>(org, `/reports/trends?${asked.range}`)
  alike(
    items.map(({ date, costUSD }) => [date, costUSD]),
    asked,
    'trends',
  )
}

async function monthly(org: Tenant, asked: Asked, kind: string): Promise<void> {
  const path = `/reports/cost-history?granularity=monthly&${asked.range}`
  const { items } = await get<{ items: { period: string; costUSD: number }[] }>(org, path)
  alike(
    items.map(({ period, costUSD }) => [period, costUSD]),
    asked,
    'cost history by month',
  )
  for (const [period, group] of Object.entries(asked.groups)) {
    const summary = await get<{ totalCostUSD: number }>(org, `/reports/summary?period=${period}&cost=${kind}`)
    expect(summary.totalCostUSD, `summary of ${period}`).to.equal(cents(group.sum))
  }
}

async function providers(org: Tenant, asked: Asked): Promise<void> {
  const found = await get<Record<string, { costUSD: number }>>(org, `/reports/providers/summary?${asked.range}`)
  alike(
    Object.entries(found).map(([name, { costUSD }]) => [name, costUSD]),
    asked,
    'summary of providers',
  )
}

async function flow(org: Tenant, dim: string, asked: Asked): Promise<void> {
  const path = `/reports/costs/breakdown?dims=${dim}&${asked.range}`
  const { nodes, totalUSD } = await get<{ nodes: { id: string; valueUSD: number }[]; totalUSD: number }>(org, path)
  alike(
    nodes.map(({ id, valueUSD }) => [id, valueUSD]),
    asked,
    `cost flow of ${dim}`,
  )
  expect(totalUSD, `total of the cost flow of ${dim}`).to.equal(
    cents(sum(Object.values(asked.groups).map((group) => group.sum))),
  )
}
