import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import { bill } from '#streams/cloud/azure/bill/bill.ts'
import { decoder } from '#engine/value/schema.ts'
import { costLine } from '#streams/billing/line/cost-line.ts'
import { BillingLine } from '#streams/billing/messages.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import {
  account,
  answerServer,
  armError,
  fails,
  subscription,
  type Answer,
  type AnswerServer,
  type Question,
} from './answer-server.ts'

const location = `/subscriptions/${subscription}`
const of: CloudAccount = { ...account, billingExport: { kind: 'cost-management', location } }
const path = `${location}/providers/Microsoft.CostManagement/query`

const decode = decoder(BillingLine)

type Grouping = { name: string }[]
const groupsIn = ({ body }: Question): string[] => (body.dataset.grouping as Grouping).map(({ name }) => name)

/** One cost of Cost Management; groups that are left out are empty. */
interface Cost {
  day: number
  cost: number
  usd?: number
  currency?: string
  groups: Readonly<Record<string, string>>
}

/** An answer with the columns that were asked for, in the order that Cost Management has. */
function answerOf(question: Question, costs: readonly Cost[], nextLink?: string): Answer {
  const groups = groupsIn(question)
  const columns = ['Cost', 'CostUSD', 'UsageDate', ...groups, 'Currency'].map((name) => ({ name, type: 'String' }))
  const rows = costs.map(({ day, cost, usd = cost, currency = 'USD', groups: given }) => [
    cost,
    usd,
    day,
    ...groups.map((name) => given[name] ?? ''),
    currency,
  ])
  return { body: { id: 'q', name: 'q', properties: { nextLink: nextLink ?? null, columns, rows } } }
}

const vm = `/subscriptions/${subscription}/resourceGroups/Shop/providers/Microsoft.Compute/virtualMachines/Web`
const machine = {
  ServiceName: 'Virtual Machines',
  ResourceGroupName: 'shop',
  ResourceId: vm,
  ResourceLocation: 'EU West',
  Meter: 'D2s v5',
  ChargeType: 'usage',
}
const reservation = '/providers/Microsoft.Capacity/reservationOrders/O/reservations/R'
const reserved = { PricingModel: 'Reservation', BenefitId: reservation, BenefitName: 'web' }

describe('bills of Azure that are queried', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const read = async (
    answers: Parameters<typeof answerServer>[0],
    { from = '2026-03-01', to = '2026-03-31', whose = of } = {},
  ): Promise<BillingLine[]> => {
    server = await answerServer(answers)
    const refusals = new BillRefusals()
    return (await Array.fromAsync(bill(server.options, whose, { from, to, refusals }))).flat()
  }

  it('have what was billed and what was used of a charge in one line, by day, service, group, resource and meter', async () => {
    const actual = [
      { day: 20260301, cost: 2.5, groups: { ...machine, PricingModel: 'OnDemand' } },
      { day: 20260301, cost: 0, groups: { ...machine, ...reserved } },
      { day: 20260302, cost: 60, groups: { ServiceName: 'Virtual Machines', ChargeType: 'purchase', ...reserved } },
    ]
    const amortized = [
      { day: 20260301, cost: 2.5, groups: { ...machine, PricingModel: 'OnDemand' } },
      { day: 20260301, cost: 1.25, groups: { ...machine, ...reserved } },
      {
        day: 20260301,
        cost: 0.75,
        groups: { ServiceName: 'Virtual Machines', ChargeType: 'unusedreservation', ...reserved },
      },
    ]
    const lines = await read((question) => answerOf(question, question.body.type === 'ActualCost' ? actual : amortized))
    const shown = lines.map((line) => [
      String(line.ChargePeriodStart).slice(0, 10),
      line.ChargeCategory,
      line.BilledCost,
      line.EffectiveCost,
      line.ListCost,
      line.CommitmentDiscountId ?? '',
      line.CommitmentDiscountStatus ?? '',
    ])
    const id = reservation.toLowerCase()
    expect(shown).to.deep.equal([
      ['2026-03-01', 'Usage', '2.5', '2.5', '2.5', '', ''],
      ['2026-03-01', 'Usage', '0', '1.25', '1.25', id, ''],
      ['2026-03-02', 'Purchase', '60', '0', '60', id, ''],
      ['2026-03-01', 'Usage', '0', '0.75', '0', id, 'Unused'],
    ])
    const [first] = lines
    expect(first).to.include({
      cloudAccountId: 'acct-1',
      provider: 'azure',
      source: 'estimate',
      ServiceName: 'Virtual Machines',
      ResourceId: vm.toLowerCase(),
      RegionId: 'westeurope',
      SkuMeter: 'D2s v5',
      SubAccountId: subscription,
      BillingCurrency: 'USD',
      ChargePeriodEnd: '2026-03-02T00:00:00Z',
    })
    expect(first!.x_OtherColumns).to.deep.equal({ x_ResourceGroupName: 'shop' })
    expect(first!.lineId).to.match(/^2026-03-01\/cost-management\/[0-9a-f]{32}$/)
    expect(new Set(lines.map(({ lineId }) => lineId)).size).to.equal(4)
  })

  it('are asked for by whole days of one month after the other, actual and amortized', async () => {
    await read((question) => answerOf(question, []), { from: '2026-02-10', to: '2026-03-05' })
    expect(server.asked.map(({ method, path: asked }) => `${method} ${asked}`)).to.deep.equal(
      Array.from({ length: 4 }, () => `POST ${path}`),
    )
    expect(server.asked.map(({ body }) => [body.type, body.timePeriod.from, body.timePeriod.to])).to.deep.equal([
      ['ActualCost', '2026-02-10T00:00:00Z', '2026-02-28T23:59:59Z'],
      ['AmortizedCost', '2026-02-10T00:00:00Z', '2026-02-28T23:59:59Z'],
      ['ActualCost', '2026-03-01T00:00:00Z', '2026-03-05T23:59:59Z'],
      ['AmortizedCost', '2026-03-01T00:00:00Z', '2026-03-05T23:59:59Z'],
    ])
    const { granularity, aggregation } = server.asked[0]!.body.dataset
    expect([granularity, aggregation]).to.deep.equal([
      'Daily',
      { cost: { name: 'Cost', function: 'Sum' }, costUSD: { name: 'CostUSD', function: 'Sum' } },
    ])
  })

  it('give the same lines when they are read again, with what has changed of them', async () => {
    const costs = (cost: number) => (question: Question) =>
      answerOf(question, [{ day: 20260301, cost, groups: machine }])
    const [before] = await read(costs(1))
    await server.close()
    const [after] = await read(costs(2))
    expect(after!.lineId).to.equal(before!.lineId)
    expect([before!.BilledCost, after!.BilledCost]).to.deep.equal(['1', '2'])
  })

  it('are estimates until five days after their month', async () => {
    server = await answerServer((question) => answerOf(question, [{ day: 20260301, cost: 1, groups: machine }]))
    const at = async (now: string) => {
      const options = { ...server.options, clock: { ...server.options.clock, now: () => Date.parse(now) } }
      const asked = { from: '2026-03-01', to: '2026-03-31', refusals: new BillRefusals() }
      return (await Array.fromAsync(bill(options, of, asked))).flat()[0]!.source
    }
    expect([await at('2026-04-05T23:59:59Z'), await at('2026-04-06T00:00:00Z')]).to.deep.equal(['estimate', 'actual'])
  })

  it('are in dollars by the rate of Azure, and exact to the last place', async () => {
    const costs = [
      { day: 20260301, cost: 0.1, usd: 0.11, currency: 'EUR', groups: machine },
      { day: 20260301, cost: 0.2, usd: 0.22, currency: 'EUR', groups: machine },
      { day: 20260302, cost: 1.5e-9, usd: 1.65e-9, currency: 'EUR', groups: machine },
    ]
    const lines = await read((question) => answerOf(question, costs))
    expect(
      lines.map(({ BillingCurrency, BilledCost, usdCosts }) => [BillingCurrency, BilledCost, usdCosts?.EffectiveCost]),
    ).to.deep.equal([
      ['EUR', '0.3', '0.33'],
      ['EUR', '0.0000000015', '0.00000000165'],
    ])
  })

  it('are read to the last page, each of them at the address of the first', async () => {
    const lines = await read((question, times) => {
      const page = Number(question.query['$skiptoken'] ?? 0)
      const link = `https://evil.example/x?api-version=1&$skiptoken=${page + 1}`
      const cost = { day: 20260301 + page, cost: 1, groups: machine }
      expect(times).to.be.lessThan(6)
      return answerOf(question, [cost], page < 2 ? link : undefined)
    })
    expect(sum(lines.map(({ BilledCost }) => String(BilledCost)))).to.equal('3')
    expect(server.asked.map(({ query }) => query['$skiptoken'])).to.deep.equal([
      undefined,
      '1',
      '2',
      undefined,
      '1',
      '2',
    ])
  })

  it('wait as long as the longest of the limits of Cost Management asks for', async () => {
    const header = 'x-ms-ratelimit-microsoft.costmanagement'
    const headers = {
      [`${header}-qpu-retry-after`]: '9',
      [`${header}-entity-retry-after`]: '31',
      [`${header}-clienttype-retry-after`]: '4',
      [`${header}-qpu-remaining`]: 'QueriesPerHour:0',
    }
    server = await answerServer((question, times) =>
      times === 0 ? armError(429, '429', 'Too many requests. Please retry.', headers) : answerOf(question, []),
    )
    const before = server.options.clock.now()
    await Array.fromAsync(
      bill(server.options, of, { from: '2026-03-01', to: '2026-03-02', refusals: new BillRefusals() }),
    )
    expect(server.options.clock.now() - before).to.be.within(31_000, 31_001)
    expect(server.asked.length).to.equal(3)
  })

  it('do without commitments where an agreement does not know them', async () => {
    const lines = await read((question) =>
      groupsIn(question).includes('BenefitId')
        ? armError(400, 'BadRequest', 'Invalid dataset grouping: BenefitId')
        : answerOf(question, [{ day: 20260301, cost: 1, groups: machine }]),
    )
    expect(lines.map(({ BilledCost, CommitmentDiscountId }) => [BilledCost, CommitmentDiscountId])).to.deep.equal([
      ['1', undefined],
    ])
    expect(groupsIn(server.asked.at(-1)!)).to.deep.equal(Object.keys(machine))
  })

  it('are lines of a bill like those of an export: of the resource, in dollars, by what covered them', async () => {
    const cost = { day: 20260301, currency: 'EUR', groups: { ...machine, ...reserved } }
    const lines = await read((question) =>
      answerOf(question, [
        question.body.type === 'ActualCost' ? { ...cost, cost: 0 } : { ...cost, cost: 0.5, usd: 0.55 },
      ]),
    )
    const stored = lines.map((line) => costLine(decode(line), new Date('2026-04-10T00:00:00Z')))
    expect(stored.map((one) => [one.x_Day, one.BilledCost, one.EffectiveCost, one.x_PurchaseType])).to.deep.equal([
      ['2026-03-01', '0', '0.55', 'reserved'],
    ])
    expect(stored[0]).to.include({ ResourceId: vm.toLowerCase(), x_Provider: 'azure', x_UsdRateSource: 'bill' })
  })

  it('have no lines without costs, or where Azure answers nothing', async () => {
    expect(await read((question) => answerOf(question, [{ day: 20260301, cost: 0, groups: machine }]))).to.deep.equal(
      [],
    )
    await server.close()
    expect(await read(() => ({ status: 204 }))).to.deep.equal([])
  })

  it('are of the subscription of the account, and refuse what they cannot read', async () => {
    const other = {
      ...of,
      billingExport: { kind: 'cost-management', location: '/subscriptions/00000000-2222-3333-4444-555555555555' },
    }
    expect(await fails(read(() => ({ body: {} }), { whose: other }))).to.equal('user_action billing_export_invalid')
    await server.close()
    const broken: ((question: Question) => Answer)[] = [
      () => ({ body: { properties: { rows: [] } } }),
      (question) => answerOf(question, [{ day: 3, cost: 1, groups: machine }]),
      (question) => answerOf(question, [], 'https://management.azure.com/x?$skiptoken=1'),
    ]
    for (const answer of broken) {
      expect(await fails(read(answer))).to.equal('system unknown_answer')
      await server.close()
    }
    expect(await fails(read(() => armError(403, 'AuthorizationFailed')))).to.equal('user_action permission_missing')
  })
})
