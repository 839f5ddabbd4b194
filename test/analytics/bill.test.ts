import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { isAsShown, isOfTheSame, type ShownBill, type ShownBills } from '#analytics/billing/bill.ts'
import { sweepBills } from '#analytics/rollup/bill-sweep.ts'
import { recomputeCostDays } from '#analytics/rollup/cost-rollup.ts'
import { emptyDatabase, fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { migrate } from '#analytics/store/migrate.ts'

const days = ['2026-01-14', '2026-01-15', '2026-01-16']

describe('exports of bills in the facts', () => {
  let ch: ClickHouseClient
  let org: string
  let generation = 0
  before(async () => void (ch = await testClickHouse()))
  beforeEach(() => void (org = `org-${randomUUID()}`))

  const one = (id: string, day: string, cost: string, more: object = {}) => fact(org, id, cost, { x_Day: day, ...more })
  const alone = (values: object[], x_Lone = 1) =>
    ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values: values.map((v) => ({ ...v, x_Lone })) })
  const exported = (x_ExportId: string, values: object[], x_BillingPeriod = '2026-01') =>
    ch.insert({
      table: 'bill_line',
      format: 'JSONEachRow',
      values: values.map((v) => ({ ...v, x_ExportId, x_BillingPeriod })),
    })
  const bill = (exportId: string, period = '2026-01', from = days[0]!, to = days[2]!): ShownBill => ({
    exportId,
    period,
    from,
    to,
    isComplete: true,
  })
  const showing = (...bills: ShownBill[]): ShownBills => ({ [`${org}|acct-1`]: bills })
  const workOut = (shown: ShownBills, now = new Date()) =>
    recomputeCostDays(
      ch,
      days.map((day) => ({ orgId: org, cloudAccountId: 'acct-1', day })),
      String(++generation),
      { now, shown },
    )
  const rows = async (sql: string): Promise<string[]> => {
    const result = await ch.query({ query: sql, query_params: { org }, format: 'JSONCompactEachRow' })
    return (await result.json<unknown[]>()).map((row) => row.join(' '))
  }
  const costs = (view: string) =>
    rows(
      `SELECT toString(day), service_name, toString(sum(billed_cost)), toString(sum(list_cost)) FROM ${view}
       WHERE org_id = {org:String} GROUP BY day, service_name ORDER BY day, service_name`,
    )
  const sums = async () => {
    expect(await costs('usage_daily'), 'what was used').to.deep.equal(await costs('cost_daily'))
    return rows(
      'SELECT toString(day), toString(sum(billed_cost)), sum(lines) FROM cost_daily WHERE org_id = {org:String} GROUP BY day ORDER BY day',
    )
  }
  const lines = () =>
    rows(
      'SELECT toString(x_Day), toString(sum(BilledCost)), count() FROM cost_lines WHERE x_OrgId = {org:String} GROUP BY x_Day ORDER BY x_Day',
    )

  it('count while their export is shown, beside lines that came alone; sums and lines turn over together', async () => {
    await alone([one('solo', '2026-01-15', '1')])
    await exported('e1', [one('a', '2026-01-14', '10'), one('b', '2026-01-15', '20')])
    await exported('e2', [one('c', '2026-01-15', '200'), one('d', '2026-01-16', '400')])
    await workOut({})
    expect([await sums(), await lines()]).to.deep.equal([['2026-01-15 1 1'], ['2026-01-15 1 1']])
    await workOut(showing(bill('e1')))
    const first = ['2026-01-14 10 1', '2026-01-15 21 2']
    expect([await sums(), await lines()]).to.deep.equal([first, first])
    await workOut(showing(bill('e2')))
    const second = ['2026-01-15 201 2', '2026-01-16 400 1']
    expect([await sums(), await lines()]).to.deep.equal([second, second])
  })

  it('take the place of the lines of their period from before exports were known, and of no others', async () => {
    const february = { BillingPeriodStart: '2026-02-01 00:00:00' }
    await alone([one('old', '2026-01-15', '7'), one('late', '2026-01-16', '3', february)], 0)
    await workOut({})
    expect(await sums()).to.deep.equal(['2026-01-15 7 1', '2026-01-16 3 1'])
    await exported('e1', [one('a', '2026-01-14', '10')])
    await workOut(showing(bill('e1')))
    const shown = ['2026-01-14 10 1', '2026-01-16 3 1']
    expect([await sums(), await lines()]).to.deep.equal([shown, shown])
  })

  it('of several periods count on one day together, and estimates give way to actual lines whichever came how', async () => {
    await exported('e1', [one('a', '2026-01-15', '10', { ResourceId: 'r', x_Source: 'estimate' })])
    await exported('f1', [one('a', '2026-01-15', '40', { ResourceId: 'q' })], '2026-02')
    await alone([one('x', '2026-01-15', '5', { ResourceId: 'r' })])
    await workOut(showing(bill('e1'), bill('f1', '2026-02')))
    expect([await sums(), await lines()]).to.deep.equal([['2026-01-15 45 2'], ['2026-01-15 45 2']])
    expect(
      await rows(`SELECT toString(day), arrayStringConcat(arrayMap(b -> concat(b.1, '/', b.2), bills), ' ')
        FROM cost_day FINAL WHERE org_id = {org:String} ORDER BY day`),
    ).to.deep.equal(days.map((day) => `${day} 2026-01/e1 2026-02/f1`))
  })

  it('say with each day which of them its sums are made of, now and before', async () => {
    const hour = 3_600_000
    const base = Date.now() - 5 * hour
    await exported('e1', [one('a', '2026-01-14', '10')])
    await exported('e2', [one('a', '2026-01-14', '20')])
    await exported('e3', [one('a', '2026-01-14', '30')])
    for (const [i, id] of ['e1', 'e2', 'e3'].entries()) await workOut(showing(bill(id)), new Date(base + i * hour))
    const standing = async (hours: number) => {
      const as_of = new Date(base + hours * hour + 1000).toISOString()
      const result = await ch.query({
        query: `SELECT x_ExportId AS id, toString(sum(BilledCost)) AS cost
          FROM cost_lines_at(org = {org:String}, from = '2026-01-14', to = '2026-01-16', as_of = {as_of:String}) GROUP BY id`,
        query_params: { org, as_of: hours < 0 ? '' : as_of },
        format: 'JSONEachRow',
      })
      return result.json()
    }
    expect([await standing(0), await standing(1), await standing(2), await standing(-1)]).to.deep.equal([
      [{ id: 'e1', cost: '10' }],
      [{ id: 'e2', cost: '20' }],
      [{ id: 'e3', cost: '30' }],
      [{ id: 'e3', cost: '30' }],
    ])
  })

  it('give the tags of the export that is shown, and none once it has none', async () => {
    const tagged = (env: string) => ({ ResourceId: 'r', Tags: env === '' ? {} : { env } })
    const tags = () => rows(`SELECT tag_key, tag_value FROM resource_tags(org = {org:String}) ORDER BY tag_key`)
    await exported('e1', [one('a', '2026-01-14', '10', tagged('old')), one('a', '2026-01-15', '10', tagged('old'))])
    await exported('e2', [one('a', '2026-01-14', '10', tagged('new')), one('b', '2026-01-15', '10', tagged('new'))])
    await exported('e3', [one('c', '2026-01-14', '10', tagged('')), one('c', '2026-01-15', '10', tagged(''))])
    const seen: string[][] = []
    for (const id of ['e1', 'e2', 'e3']) {
      await workOut(showing(bill(id)))
      seen.push(await tags())
    }
    expect(seen).to.deep.equal([['env old'], ['env new'], []])
  })

  it('are what a day shows where it names all that are complete, and none that is replaced', () => {
    const shown = showing(
      bill('e1', '2026-01', '2026-01-01', '2026-01-31'),
      bill('f1', '2026-02', '2026-02-01', '2026-02-28'),
    )
    const is = (day: string, ...published: [string, string][]) =>
      isAsShown(
        shown,
        { orgId: org, cloudAccountId: 'acct-1', day },
        published.map(([period, exportId]) => ({ period, exportId })),
      )
    expect(is('2026-01-15', ['2026-01', 'e1'])).to.equal(true)
    expect(is('2026-01-15', ['2026-01', 'e1'], ['2026-02', 'f1'])).to.equal(true)
    expect(is('2026-01-15', ['2026-01', 'e0'])).to.equal(false)
    expect(is('2026-01-15', ['2026-01', 'e1'], ['2026-02', 'f0'])).to.equal(false)
    expect(is('2026-01-15')).to.equal(false)
    expect(is('2026-03-15')).to.equal(true)
  })

  it('are those that a day would be worked out from where it names all that cover it, begun ones too', () => {
    const begun = { ...bill('f1', '2026-02', '2026-02-01', '2026-02-28'), isComplete: false }
    const shown = showing(bill('e1', '2026-01', '2026-01-01', '2026-02-03'), begun)
    const is = (day: string, ...published: [string, string][]) =>
      isOfTheSame(
        shown,
        { orgId: org, cloudAccountId: 'acct-1', day },
        published.map(([period, exportId]) => ({ period, exportId })),
      )
    expect(is('2026-02-02', ['2026-02', 'f1'], ['2026-01', 'e1'])).to.equal(true)
    expect(is('2026-02-02', ['2026-01', 'e1'])).to.equal(false)
    expect(is('2026-02-10')).to.equal(false)
    expect(is('2026-02-10', ['2026-02', 'f0'])).to.equal(false)
    expect(is('2026-02-10', ['2026-02', 'f1'])).to.equal(true)
    expect(is('2026-03-15')).to.equal(true)
  })
})

describe('the sweep of replaced exports', () => {
  const now = new Date('2026-03-01T00:00:00Z')
  const dead =
    (...ids: string[]) =>
    (bill: { exportId: string }) =>
      ids.includes(bill.exportId)

  it('takes dead ones away once a third of a period is dead or one is 35 days old, never one that a day is made of', async () => {
    const { ch, drop } = await emptyDatabase()
    await migrate(ch)
    const put = (id: string, count: number, at: string, period = '2026-02') =>
      ch.insert({
        table: 'bill_line',
        format: 'JSONEachRow',
        values: Array.from({ length: count }, (_, n) => ({
          ...fact('o1', `${n}`, 1, { x_Day: `${period}-10`, x_ExportedAt: at }),
          x_ExportId: id,
          x_BillingPeriod: period,
        })),
      })
    const left = async () => {
      const query = 'SELECT x_ExportId AS id, count() AS n FROM bill_line GROUP BY id ORDER BY id'
      const found = await (await ch.query({ query, format: 'JSONEachRow' })).json<{ id: string; n: number }>()
      return found.map(({ id, n }) => `${id} ${n}`)
    }
    await put('a', 10, '2026-02-20 00:00:00.000')
    await put('b', 21, '2026-02-27 00:00:00.000')
    expect(await sweepBills(ch, dead('a'), now)).to.deep.equal({ exports: 0, rows: 0 })
    await put('c', 10, '2026-02-28 00:00:00.000')
    await put('p', 1, '2026-01-25 00:00:00.000', '2026-01')
    await put('q', 50, '2026-02-25 00:00:00.000', '2026-01')
    await recomputeCostDays(ch, [{ orgId: 'o1', cloudAccountId: 'acct-1', day: '2026-02-10' }], '1', {
      now,
      shown: {
        'o1|acct-1': [{ period: '2026-02', exportId: 'a', from: '2026-02-01', to: '2026-02-28', isComplete: true }],
      },
    })
    expect(await sweepBills(ch, dead('a', 'b', 'p'), now)).to.deep.equal({ exports: 2, rows: 22 })
    expect(await left()).to.deep.equal(['a 10', 'c 10', 'q 50'])
    await drop()
  })
})
