import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { parse } from 'csv-parse/sync'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { stream } from '#analytics/store/query.ts'
import { sum } from '#engine/value/decimal.ts'
import { receipts } from '#http/report/cost/receipt.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { dice, figuresOf, fillWorld, kinds, type Figure } from '#test/harness/figures.ts'
import { amount, deepIt, isDeep, sample } from '#test/harness/tier.ts'
import { payloadServices } from '#test/http/report/world.ts'
import { caller, problem, served } from '#test/http/serving.ts'

const january = 'from=2026-01-01&to=2026-01-31'

describe('receipts', () => {
  let ch: ClickHouseClient
  let org = ''
  let breaks = false
  let scope: Caller['reportScope'] = caller().reportScope
  const services = () =>
    payloadServices(ch, org, {
      stream: async function* (q: never, params: object) {
        yield* stream(ch, q, { ...params, org } as never)
        if (breaks) throw new Error('the store went away')
      },
    })
  const site = served(receipts, {
    caller: async () => ({ ...caller('viewer'), orgId: org, reportScope: scope }),
    services,
  })
  /** The organizations of the tests that only read. Their bills are worked out together. */
  const [shown, broken, narrowed] = ['shown', 'broken', 'narrowed'].map((name) => `org-${name}-${randomUUID()}`) as [
    string,
    string,
    string,
  ]
  before(async () => {
    ch = await testClickHouse()
    const seen = { org_id: shown, cloud_account_id: 'acct-1', first_seen_at: 0, observed_at: 0, x_Version: '1' }
    await ch.insert({
      table: 'resource_state',
      values: [{ ...seen, resource_uid: 'r1', type: 'aws-ec2' }],
      format: 'JSONEachRow',
    })
    const others = { x_CostCenter: '4711', x_Dept: 'ü"' }
    const hours = {
      ResourceId: 'r1',
      RegionId: 'eu',
      ChargeDescription: 'hours',
      InvoiceId: 'inv-1',
      x_OtherColumns: others,
    }
    await bill(
      fact(shown, 'b', '0.00000000000001', hours),
      fact(shown, 'a', '1.5', { ConsumedQuantity: '0.12345678901234', ConsumedUnit: 'GB', x_Day: '2026-01-16' }),
      fact(shown, 'c', '100', { x_Day: '2026-02-01' }),
      fact(shown, 'd', '7', { x_Source: 'estimate', ResourceId: 'r1' }),
      fact(broken, '1', '1'),
      fact(narrowed, '1', '1', { ResourceId: 'r1' }),
      fact(narrowed, '2', '2', { x_CloudAccountId: 'acct-2' }),
      fact(narrowed, '3', '4', { ResourceId: 'r3' }),
    )
  })
  beforeEach(() => {
    org = `org-${randomUUID()}`
    scope = caller().reportScope
  })

  const asked = async (query: string): Promise<any> => {
    const response = await site.get(`/reports/receipt?${query}`)
    const body = (await response.json()) as any
    expect(response.status, JSON.stringify(body)).to.equal(200)
    return body.data
  }
  const bill = async (...facts: ReturnType<typeof fact>[]) => {
    await ch.insert({ table: 'cost_fact', values: facts, format: 'JSONEachRow' })
    const days = facts.map((f) => ({
      orgId: f.x_OrgId,
      cloudAccountId: String(f.x_CloudAccountId),
      day: String(f.x_Day),
    }))
    await recomputeCostDays(ch, days, '1')
  }
  const line = (id: string, cost: string, more: object = {}) => fact(org, id, cost, { ...more })

  it('shows the lines behind a figure by day, account and line, with exact costs, a page at a time', async () => {
    org = shown
    const common = {
      cloudAccountId: 'acct-1',
      billingAccountId: 'acct-1',
      subAccountId: '',
      subAccountName: '',
      provider: 'aws',
      serviceName: 'compute',
      serviceProvider: 'AWS',
      purchaseType: 'on_demand',
      chargeCategory: 'Usage',
      source: 'actual',
      exportedAt: '2026-02-01T00:00:00.000Z',
    }
    const first = {
      ...common,
      lineId: 'b',
      date: '2026-01-15',
      region: 'eu',
      resourceUid: 'r1',
      resourceType: 'aws-ec2',
      description: 'hours',
      quantity: null,
      unit: '',
      invoiceId: 'inv-1',
      exportId: '',
      costUSD: '0.00000000000001',
      otherColumns: { x_CostCenter: '4711', x_Dept: 'ü"' },
      tags: [],
    }
    const second = {
      ...common,
      lineId: 'a',
      date: '2026-01-16',
      region: '',
      resourceUid: '',
      resourceType: '',
      description: '',
      quantity: '0.12345678901234',
      unit: 'GB',
      invoiceId: '',
      exportId: '',
      costUSD: '1.5',
      tags: [],
    }
    const whole = { total: 2, page: 1, totalUSD: '1.50000000000001' }
    const [one, two] = await Promise.all(['', '&page=2'].map((page) => asked(`${january}&limit=1${page}`)))
    // Each receipt takes ClickHouse a second.
    if (isDeep) {
      expect(await asked(january)).to.deep.equal({ items: [first, second], ...whole, limit: 100, hasMore: false })
      const typed = await asked(`${january}&filter[resource_type]=aws-ec2&limit=5000`)
      expect([typed.totalUSD, typed.limit]).to.deep.equal(['0.00000000000001', 1000])
    }
    expect(one).to.deep.equal({ items: [first], ...whole, limit: 1, hasMore: true })
    expect(two).to.deep.include({ items: [second], hasMore: false })

    const response = await site.get(`/reports/receipt?${january}&format=csv`)
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).to.equal('attachment; filename="receipt.csv"')
    const records = parse(await response.text(), { columns: true, record_delimiter: '\r\n' }) as Record<
      string,
      string
    >[]
    expect(
      records.map(({ line_id, date, quantity, cost_usd, other_columns }) => [
        line_id,
        date,
        quantity,
        cost_usd,
        other_columns,
      ]),
    ).to.deep.equal([
      ['b', '2026-01-15', '', '0.00000000000001', '{"x_CostCenter":"4711","x_Dept":"ü\\""}'],
      ['a', '2026-01-16', '0.12345678901234', '1.5', ''],
    ])
  })

  async function resolves({ kind, exact, receipt }: Figure): Promise<number> {
    const { items, total, totalUSD } = await asked(`${receipt.toString()}&limit=1000`)
    const told = `${org}, ${kind}: ${receipt.toString()}`
    expect([sum(items.map((item: any) => item.costUSD)), totalUSD], told).to.deep.equal([exact, exact])
    expect(items.length, told).to.equal(total)
    return total
  }

  /** In `npm test` those that each narrow a receipt by other parameters; kubernetes.test.ts has one of a team. */
  const resolvedKinds = isDeep ? kinds : (['leaf', 'pair', 'group', 'untagged'] as const)

  it('resolves every kind of figure to lines that sum to it exactly', async () => {
    const resolved = new Map<string, number>()
    const figuresEach = amount(1, 4, 4)
    for (const seed of sample([1, 2], 1)) {
      org = `org-${randomUUID()}`
      await fillWorld(ch, org, seed)
      const d = dice(seed)
      const figures: Figure[] = []
      for (const kind of resolvedKinds) figures.push(...(await figuresOf(ch, org, kind, d, figuresEach)))
      const counts = await Promise.all(figures.map(resolves))
      for (const [at, { kind }] of figures.entries())
        resolved.set(kind, (resolved.get(kind) ?? 0) + Number(counts[at]! > 0))
    }
    expect(
      resolvedKinds.filter((kind) => !resolved.get(kind)),
      JSON.stringify([...resolved]),
    ).to.deep.equal([])
    expect([...resolved.values()].reduce((all, count) => all + count, 0)).to.be.at.least(amount(4, 40, 40))
  })

  deepIt(
    'takes the month of a summary, and what only cuts the figures of a report; of a month and a range none is right',
    async () => {
      await bill(
        line('december', '5', { x_Day: '2025-12-31' }),
        line('january', '7', { x_Day: '2026-01-02' }),
        line('today', '11', { x_Day: '2026-01-20' }),
      )
      const total = async (query: string) => (await asked(query)).totalUSD
      expect([await total('period=2025-12'), await total('period=2026-01'), await total('')]).to.deep.equal([
        '5',
        '18',
        '23',
      ])
      const cut = 'group_by=provider,region&granularity=weekly&sort_by=date&sort_order=asc&unit=pairs&top=5'
      expect(await total(`from=2026-01-20&to=2026-01-20&${cut}`)).to.equal('11')
      const both = await problem(await site.get('/reports/receipt?period=2026-01&from=2026-01-20'))
      expect(both['errors'][0]).to.include({ name: 'period', code: 'range' })
    },
  )

  it('breaks the connection rather than end a file that is not whole', async () => {
    org = broken
    breaks = true
    const failure = await site
      .get(`/reports/receipt?${january}&format=csv`)
      .then((response) => response.text())
      .catch((error: unknown) => error)
    breaks = false
    expect(failure).to.be.an.instanceof(TypeError)
  })

  it('holds only what the caller’s role may see [REP-43]', async () => {
    org = narrowed
    const at = '2026-01-01 00:00:00.000'
    await ch.insert({
      table: 'team_state',
      values: [{ org_id: org, team_id: 't1', name: 'Core', x_Version: '1' }],
      format: 'JSONEachRow',
    })
    await ch.insert({
      table: 'team_assignment',
      values: [{ org_id: org, resource_uid: 'r1', team_id: 't1', assigned_at: at, x_Version: '1' }],
      format: 'JSONEachRow',
    })
    const seen = async () => (await asked(january)).items.map((item: any) => item.lineId)
    scope = { all: false, cloudAccountIDs: ['acct-2'], teamIDs: ['t1'] }
    expect(await seen()).to.deep.equal(['1', '2'])
    if (!isDeep) return
    scope = caller().reportScope
    expect(await seen()).to.deep.equal(['1', '3', '2'])
    scope = { all: false, cloudAccountIDs: ['acct-2'], teamIDs: [] }
    expect(await seen()).to.deep.equal(['2'])
    scope = { all: false, cloudAccountIDs: [], teamIDs: ['t1'] }
    expect(await seen()).to.deep.equal(['1'])
    scope = { all: false, cloudAccountIDs: [], teamIDs: [] }
    expect(await asked(january)).to.deep.include({ items: [], total: 0, totalUSD: '0' })
  })

  it('refuses dimensions that are none', async () => {
    const refused = async (query: string) => {
      const response = await site.get(`/reports/receipt?${january}&${query}`)
      const { errors, code } = await problem(response)
      return [response.status, errors?.map((e: any) => `${e.name}: ${e.code}`).join() ?? code]
    }
    expect(await refused('filter[colour]=red')).to.deep.equal([400, 'filter[colour]: unknown_parameter'])
    expect(await refused('untagged=perhaps')).to.deep.equal([400, 'untagged: type'])
    expect(await refused('format=xml')).to.deep.equal([400, 'format: enum'])
  })
})
