import { expect } from 'chai'
import { t } from '#engine/value/schema.ts'
import { moneyIn, mapMoney } from '#http/edge/parameter/money.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import { reportWorld } from '#test/http/report/world.ts'

describe('where there is money', () => {
  const schema = t.Object({
    costUSD: t.Number(),
    savingsUsd: t.Union([t.Number(), t.Null()]),
    costUsd30d: t.String(),
    label: t.String(),
    percent: t.Number(),
    values: t.Array(t.Number({ money: true })),
    errorUSD: t.Object({ level: t.Number() }),
    rows: t.Record(t.String(), t.Object({ usd: t.Number(), count: t.Integer() })),
    either: t.Union([t.Object({ aUSD: t.Number() }), t.Array(t.Object({ bUSD: t.Number() }))]),
  })
  const shape = moneyIn(schema as Keywords)

  it('is found by names that end in USD, in lists, maps and alternatives too', () => {
    const value = {
      costUSD: 1,
      savingsUsd: null,
      costUsd30d: '2.5',
      label: '3',
      percent: 4,
      values: [5, 6],
      errorUSD: { level: 7 },
      rows: { x: { usd: 8, count: 9 } },
      either: [{ bUSD: 10 }],
    }
    expect(mapMoney(value, shape, (amount) => `$${String(amount)}`)).to.deep.equal({
      costUSD: '$1',
      savingsUsd: null,
      costUsd30d: '$2.5',
      label: '3',
      percent: 4,
      values: ['$5', '$6'],
      errorUSD: { level: '$7' },
      rows: { x: { usd: '$8', count: 9 } },
      either: [{ bUSD: '$10' }],
    })
  })

  it('is nowhere in a value without amounts', () => {
    expect(moneyIn(t.Object({ total: t.Integer(), share: t.Number() }) as Keywords)).to.equal(undefined)
  })
})

describe('money as text', () => {
  const world = reportWorld()
  const { data, meta, refused, planted, line } = world
  const days = 'from=2026-01-01&to=2026-01-03'
  const text = (path: string) => data(`${path}&money=text`)

  /** More digits than a double holds. */
  const bill = planted(() => [
    line('1', '12345678.12345678901234', { x_Day: '2026-01-01', ResourceId: 'r1' }),
    line('2', '0.00000000000001', { x_Day: '2026-01-02', ResourceId: 'r1', ServiceName: 'storage' }),
    line('3', '0.5', { x_Day: '2026-01-03', ResourceId: 'r1', ChargeCategory: 'Tax' }),
  ])
  const total = '12345678.62345678901235'

  it('has every digit of the bill in every report', async () => {
    bill()
    const series = await text(`/reports/costs/series?${days}`)
    expect(series.total).to.deep.include({
      costUSD: total,
      values: ['12345678.12345678901234', '0.00000000000001', '0.5'],
    })
    const { nodes, totalUSD } = await text(`/reports/costs/breakdown?${days}&group_by=provider`)
    // The total of the flow is rounded to the cent, as it is as a number.
    expect([nodes[0].valueUSD, totalUSD]).to.deep.equal([total, '12345678.62'])
    const drivers = await text(`/reports/drivers?${days}&compare=year&group_by=cloud_account_id`)
    expect([drivers.total.deltaUSD, drivers.dimensions[0].rises[0].costUSD]).to.deep.equal([total, total])
    const { items } = await text(`/reports/costs/resources?${days}&group_by=resource`)
    expect([items[0].costUSD, items[0].savingsUSD]).to.deep.equal([total, '0'])
    expect((await text(`/reports/cost-history?${days}&granularity=monthly`)).items[0].costUSD).to.equal(total)
    expect((await text(`/reports/providers/summary?${days}`)).aws.costUSD).to.equal(total)
    expect((await meta(`/reports/providers/summary?${days}&money=text`)).estimatedUSD).to.equal('0')
  })

  it('is a number unless it is asked for', async () => {
    bill()
    expect((await data(`/reports/costs/series?${days}&money=number`)).total.costUSD).to.equal(12345678.62345679)
    expect(await refused(`/reports/costs/series?${days}&money=words`)).to.deep.equal(['money: enum'])
  })

  it('is refused for a file, which has the numbers of JSON', async () => {
    bill()
    for (const format of ['csv', 'parquet'])
      expect(await refused(`/reports/costs/series?${days}&money=text&format=${format}`)).to.deep.equal(['money: enum'])
  })
})
