import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { parse } from 'csv-parse/sync'
import { recomputeCostDays } from '#analytics/rollup/cost-rollup.ts'
import { stream } from '#analytics/store/query.ts'
import { sum } from '#engine/decimal.ts'
import { receipts } from '#http/report/receipt.ts'
import type { Caller } from '#http/identity/caller.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { dice, figuresOf, fillWorld, kinds, type Figure } from '#test/harness/figures.ts'
import { amount, sample, deepIt } from '#test/harness/tier.ts'
import { reportServices } from '#test/http/report/world.ts'
import { caller, problem, served } from '#test/http/serving.ts'

const january = 'from=2026-01-01&to=2026-01-31'

describe('receipts', () => {
  let ch: ClickHouseClient
  let org = ''
  let breaks = false
  let scope: Caller['reportScope'] = caller().reportScope
  const services = () =>
    reportServices(ch, org, {
      stream: async function* (q: never, params: object) {
        yield* stream(ch, q, { ...params, org } as never)
        if (breaks) throw new Error('the store went away')
      },
    })
  const site = served(receipts, {
    caller: async () => ({ ...caller('viewer'), orgId: org, reportScope: scope }),
    services,
  })
  before(async () => void (ch = await testClickHouse()))
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
    const days = facts.map((f) => ({ orgId: org, cloudAccountId: String(f.x_CloudAccountId), day: String(f.x_Day) }))
    await recomputeCostDays(ch, days, '1')
  }
  const line = (id: string, cost: string, more: object = {}) => fact(org, id, cost, { ...more })

  it('shows the lines behind a figure by day, account and line, with exact costs, a page at a time', async () => {
    await bill(
      line('b', '0.00000000000001', {
        ResourceId: 'r1',
        RegionId: 'eu',
        ChargeDescription: 'hours',
        InvoiceId: 'inv-1',
      }),
      line('a', '1.5', { ConsumedQuantity: '0.12345678901234', ConsumedUnit: 'GB', x_Day: '2026-01-16' }),
      line('c', '100', { x_Day: '2026-02-01' }),
      line('d', '7', { x_Source: 'estimate', ResourceId: 'r1' }),
    )
    await ch.insert({
      table: 'resource_state',
      values: [
        {
          org_id: org,
          cloud_account_id: 'acct-1',
          resource_uid: 'r1',
          type: 'aws-ec2',
          first_seen_at: 0,
          observed_at: 0,
          x_Version: '1',
        },
      ],
      format: 'JSONEachRow',
    })
    await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], '2')
    const common = {
      cloudAccountId: 'acct-1',
      provider: 'aws',
      serviceName: 'compute',
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
    }
    const whole = { total: 2, page: 1, totalUSD: '1.50000000000001' }
    expect(await asked(january)).to.deep.equal({ items: [first, second], ...whole, limit: 100, hasMore: false })
    expect(await asked(`${january}&limit=1`)).to.deep.equal({ items: [first], ...whole, limit: 1, hasMore: true })
    expect(await asked(`${january}&limit=1&page=2`)).to.deep.include({ items: [second], hasMore: false })
    expect((await asked(`${january}&filter[resource_type]=aws-ec2`)).totalUSD).to.equal('0.00000000000001')
    expect((await asked(`${january}&limit=5000`)).limit).to.equal(1000)

    const response = await site.get(`/reports/receipt?${january}&format=csv`)
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).to.equal('attachment; filename="receipt.csv"')
    const records = parse(await response.text(), { columns: true, record_delimiter: '\r\n' }) as Record<
      string,
      string
    >[]
    expect(records.map(({ line_id, date, quantity, cost_usd }) => [line_id, date, quantity, cost_usd])).to.deep.equal([
      ['b', '2026-01-15', '', '0.00000000000001'],
      ['a', '2026-01-16', '0.12345678901234', '1.5'],
    ])
  })

  async function resolves({ kind, exact, receipt }: Figure): Promise<number> {
    const { items, total, totalUSD } = await asked(`${receipt.toString()}&limit=1000`)
    const told = `${org}, ${kind}: ${receipt.toString()}`
    expect([sum(items.map((item: any) => item.costUSD)), totalUSD], told).to.deep.equal([exact, exact])
    expect(items.length, told).to.equal(total)
    return total
  }

  it('resolves every kind of figure to lines that sum to it exactly', async () => {
    const resolved = new Map<string, number>()
    const figuresEach = amount(2, 4, 4)
    for (const seed of sample([1, 2], 1)) {
      org = `org-${randomUUID()}`
      await fillWorld(ch, org, seed)
      const d = dice(seed)
      for (const kind of kinds) {
        const figures = await figuresOf(ch, org, kind, d, figuresEach)
        const counts = await Promise.all(figures.map(resolves))
        resolved.set(kind, (resolved.get(kind) ?? 0) + counts.filter((count) => count > 0).length)
      }
    }
    expect(
      [...resolved.values()].every((count) => count > 0),
      JSON.stringify([...resolved]),
    ).to.equal(true)
    expect([...resolved.values()].reduce((all, count) => all + count, 0)).to.be.at.least(amount(10, 40, 40))
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
      const cut =
        'dims=provider,region&granularity=weekly&group_by=resource&sort_by=date&sort_order=asc&unit=pairs&top=5'
      expect(await total(`from=2026-01-20&to=2026-01-20&${cut}`)).to.equal('11')
      const both = await problem(await site.get('/reports/receipt?period=2026-01&from=2026-01-20'))
      expect(both['errors'][0]).to.include({ name: 'period', code: 'range' })
    },
  )

  it('breaks the connection rather than end a file that is not whole', async () => {
    await bill(line('1', '1'))
    breaks = true
    const failure = await site
      .get(`/reports/receipt?${january}&format=csv`)
      .then((response) => response.text())
      .catch((error: unknown) => error)
    breaks = false
    expect(failure).to.be.an.instanceof(TypeError)
  })

  it('holds only what the caller’s role may see [REP-43]', async () => {
    await bill(line('1', '1', { ResourceId: 'r1' }), line('2', '2', { x_CloudAccountId: 'acct-2' }))
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
    expect(await seen()).to.deep.equal(['1', '2'])
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
