// tier: deep
/** The twelve questions that a FinOps lead asks of the demo organization: at most two requests each, and no two answers that disagree. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect } from 'chai'
import { loadDemo } from '#config/demo/demo.ts'
import { Progress } from '#config/process/progress.ts'
import type { Running } from '#config/product/product.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { simulatedBills, tenant, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'

/** Two months before the present one begin within it. */
const billedDays = 100

describe('the questions of a FinOps lead, of the demo organization', () => {
  let org: Tenant
  let file: string
  /** Settled days that all of them are asked of. */
  let range: string
  let from: string
  let to: string
  /** What they cost, by the cost series. */
  let total: string

  before(async function () {
    this.timeout(600_000)
    org = await tenant()
    file = path.join(org.connections.settings.dataDir, 'demo.json')
    simulatedBills.areOn = true
    simulatedBills.since = dayOf(new Date(Date.now() - billedDays * dayMs))
    writeFileSync(file, JSON.stringify({ orgId: org.orgId, token: org.token, isLoaded: false }))
    const { connections, product, url, analystsUrl } = org
    const stores = await testStores()
    const running: Running = { stores, connections, product, url, analystsUrl, metricsUrl: '', stop: async () => {} }
    const load = async () => (await loadDemo(running, new Progress()))!
    await load()
    // Without the year before, and what people would be told of it.
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), isLoaded: true }))
    await (await load()).rest()
    const { meta } = (await org.get('/reports/summary')).body
    to = meta.settledThrough
    from = dayOf(new Date(Date.parse(to) - 29 * dayMs))
    range = `from=${from}&to=${to}`
    total = exact((await data(`/reports/costs/series?${range}&dims=provider&granularity=monthly`)).total.costUSD)
  })
  after(() => {
    Object.assign(simulatedBills, { areOn: false, since: '' })
    rmSync(file, { force: true })
  })

  const places = 9
  const units = (amount: number): bigint => toUnits(String(amount), places) ?? 0n
  const exact = (amount: number): string => plain(units(amount), places)
  /** Rounded once, when all are added up: a number holds eleven decimals of such amounts. */
  const sum = (items: readonly any[], field = 'costUSD'): string => {
    const all = items.reduce((so, item) => so + (toUnits(String(item[field]), 11) ?? 0n), 0n)
    return exact(Number(plain(all, 11)))
  }
  /** Of the exact amounts of a file. */
  const sumOfTexts = (rows: readonly Record<string, string>[]): string => {
    const all = rows.reduce((so, row) => so + (toUnits(row['cost_usd']!, 14) ?? 0n), 0n)
    return exact(Number(plain(all, 14)))
  }
  const cents = (amount: string): number => Math.round(Number(amount) * 100) / 100
  const data = async (address: string) => {
    const { status, body } = await org.get(address)
    expect(status, `${address}: ${JSON.stringify(body)}`).to.equal(200)
    return body.data
  }

  it('what did we spend, and where does the month end?', async () => {
    const { totalCostUSD } = await data(`/reports/summary?${range}`)
    expect(totalCostUSD).to.equal(cents(total))
    const { settledThrough, month } = await data('/reports/forecast')
    const so = await data(`/reports/summary?from=${settledThrough.slice(0, 8)}01&to=${settledThrough}`)
    if (month.period === settledThrough.slice(0, 7)) expect(month.settledUSD).to.equal(so.totalCostUSD)
    expect(month.expectedUSD).to.be.closeTo(month.settledUSD + month.restUSD, 0.011)
    expect(month.expectedUSD).to.be.within(month.lowUSD, month.highUSD)
  })

  it('what rose, and why?', async () => {
    const { meta, data: found } = (await org.get(`/reports/drivers?${range}`)).body
    const series = await data(`/reports/costs/series?${range}&dims=service_name&granularity=monthly&compare=previous`)
    expect(meta.compared.to).to.equal(dayOf(new Date(Date.parse(from) - dayMs)))
    expect(exact(found.total.deltaUSD)).to.equal(exact(series.total.deltaUSD))
    const services = found.dimensions.find(({ dimension }: any) => dimension === 'service_name')
    for (const one of services.rises) {
      const causes = [one.usageUSD, one.priceUSD, one.otherUSD].filter((usd) => typeof usd === 'number')
      if (causes.length > 0)
        expect(
          sum(
            causes.map((usd) => ({ usd })),
            'usd',
          ),
        ).to.equal(exact(one.deltaUSD))
    }
  })

  it('whose is it?', async () => {
    expect(sum(await data(`/reports/teams?${range}`))).to.equal(total)
  })

  it('what is untagged?', async () => {
    const { totalCostUsd, untaggedCostUsd } = await data(`/reports/tags?${range}&unit=pairs`)
    const { totalUSD } = (await org.get(`/reports/receipt?${range}&untagged=true&limit=1`)).body.data
    expect([totalCostUsd, untaggedCostUsd]).to.deep.equal([cents(total), cents(totalUSD)])
  })

  it('what could we save, and what did we prove to have saved?', async () => {
    const { totalOpen, totalSavings } = await data('/recommendations/summary')
    const open = await data('/recommendations?status=open&size=100')
    expect([totalOpen, totalSavings > 0, open.items.length > 0]).to.deep.equal([open.total ?? totalOpen, true, true])
    const { items, totals } = await data(`/reports/savings?${range}&group_by=source`)
    expect(cents(sum(items, 'verifiedUSD'))).to.equal(totals.verifiedUSD)
  })

  it('what does an order cost?', async () => {
    const orders = {
      name: 'Orders',
      key: 'orders',
      unit: 'order',
      ingestion: 'push',
      aggregation: 'sum',
      costScope: {},
    }
    const { id } = (await org.send('POST', '/unit-metrics', orders)).body.data
    const values = [from, to].map((timestamp) => ({ timestamp, value: 1000 }))
    await org.send('POST', `/unit-metric-values/${id}`, { values })
    const { items, totalCostUSD, totalUnits, costPerUnitUSD } = await data(
      `/reports/unit-economics?${range}&metric=orders`,
    )
    expect([cents(sum(items)), totalCostUSD, totalUnits]).to.deep.equal([cents(total), cents(total), 2000])
    expect(costPerUnitUSD).to.be.closeTo(totalCostUSD / 2000, 1e-5)
  })

  it('what do clusters cost, and what of it is waste?', async () => {
    const { items, totals } = await data(`/reports/kubernetes?${range}&group_by=cluster&limit=1000`)
    expect(sum(items)).to.equal(exact(Number(totals.costUSD)))
    expect(Number(totals.idleUSD)).to.be.within(0, Number(totals.costUSD))
  })

  it('do we use what we committed to?', async () => {
    const { items } = await data(`/reports/commitments?${range}`)
    expect(items.length).to.be.greaterThan(0)
  })

  it('which budgets will be exceeded?', async () => {
    const budgets = await data('/budgets')
    expect(budgets.length).to.be.greaterThan(0)
    for (const { monthlyBudgetUSD, forecast } of budgets)
      expect(forecast.expectedToExceedOn !== null).to.equal(forecast.forecastUSD >= monthlyBudgetUSD)
  })

  it('what was unusual, and what caused it?', async () => {
    const { items } = await data(`/reports/anomalies?${range}&fold=story&limit=100`)
    expect(items.filter(({ rootCause }: any) => !rootCause)).to.deep.equal([])
  })

  it('what does each service cost by tag and day, as CSV?', async () => {
    const { body } = await org.send('POST', '/reports/export', {
      report: 'costs',
      format: 'csv',
      from,
      to,
      dimensions: ['service_name', 'tag:env', 'date'],
    })
    const text = await (await fetch(body.data.downloadURL)).text()
    const rows = parse(text, { columns: true, bom: true }) as Record<string, string>[]
    expect(rows.length).to.be.greaterThan(100)
    expect(sumOfTexts(rows)).to.equal(total)
    const ofProd = rows.filter((row) => row['tag:env'] === 'prod')
    const values = await data(`/reports/tags/env?${range}`)
    expect(sumOfTexts(ofProd)).to.equal(exact(values.find(({ tagValue }: any) => tagValue === 'prod').costUSD))
  })
})
