import { expect } from 'chai'
import { anomaliesSql, costsSql, deliveriesSql, securitySql } from '../../http/console/web/sql.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { deliver, type Item } from '#test/harness/delivery.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const january = { from: '2026-01-01', to: '2026-01-31' }

describe('reports as SQL for analysts', () => {
  it('says the days, the filters, the cost and the groups of the report', () => {
    const query = {
      ...january,
      cost: 'list',
      compare: 'previous',
      'filter[region]': ['a', "b'\\"],
      'filter[resource_type]': ['(none)'],
    }
    expect(costsSql(query, ['service_name'], 'weekly')).to.equal(
      [
        'SELECT toMonday(day) AS period, service_name, sum(list_cost) AS usd',
        'FROM cost_service_daily',
        String.raw`WHERE day >= '2026-01-01' AND day <= '2026-01-31' AND region IN ('a', 'b\'\\') AND resource_type = ''`,
        'GROUP BY period, service_name',
        'ORDER BY period, service_name',
      ].join('\n'),
    )
  })

  it('asks the view of resources where one is named', () => {
    expect(costsSql({ ...january, 'filter[resource_uid]': ['i-1'] }, ['region'])).to.match(/\nFROM cost_daily\n/)
    expect(costsSql(january, ['resource_uid'])).to.match(/\nFROM cost_daily\n/)
  })

  it('is not there for what the views do not have', () => {
    for (const more of [
      { tag: ['team:data'] },
      { 'filter[team_id]': ['t'] },
      { 'filter[invoice_id]': ['1'] },
      { asOf: '2026-01-20T00:00:00Z' },
    ])
      expect(costsSql({ ...january, ...more }, ['region']), JSON.stringify(more)).to.equal(undefined)
    for (const dim of ['tag:team', 'team_id', 'invoice_id']) expect(costsSql(january, [dim]), dim).to.equal(undefined)
  })
})

describe('reports as SQL, asked', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    const items: Item[] = [
      ['2026-01-05', "i-'1", '10.25', { serviceName: "it's \\ EC2" }],
      ['2026-01-06', 'i-2', '5', { serviceName: "it's \\ EC2" }],
      ['2026-01-14', 'b-1', '0.00000001', { serviceName: 'S3' }],
    ]
    await deliver(org, { id: 'e1', at: '2026-02-01T00:00:00Z', items })
  })

  let token: string
  before(async () => void (token = await org.tokenFor('owner', 'analyst')))
  const ask = async (sql: string | undefined) => {
    const response = await askAt(org.analystsUrl, {
      body: sql!,
      params: { default_format: 'TabSeparated' },
      headers: basic(token),
    })
    const text = await response.text()
    expect(response.status, text).to.equal(200)
    return text.trim().split('\n')
  }

  it('answers what was written down, and what was told', async () => {
    await org.send('POST', '/roles', { name: "o'hara" })
    const today = new Date(org.connections.clock.now()).toISOString().slice(0, 10)
    const asked = (type: string) => ask(securitySql({ from: today, to: today, type: [type] }))
    await until('the view has it', async () => (await asked('role_created')).join('').includes('role_created'))
    expect(await asked('role_created')).to.have.length(1)
    expect(await asked('role_deleted')).to.deep.equal([''])
    expect(
      await ask(deliveriesSql({ status: ['failed'], event_type: ['test'], channel_id: ["o'hara"] })),
    ).to.deep.equal([''])
  })

  it('answers the figures of the report', async () => {
    const report = await org.get(
      `/reports/costs/series?from=2026-01-01&to=2026-01-31&dims=service_name&granularity=weekly`,
    )
    expect(report.body.data.total.costUSD).to.equal(15.25000001)
    await until('the views have it', async () => (await ask(costsSql(january, ['service_name']))).length === 2)
    expect(await ask(costsSql(january, ['service_name'], 'weekly'))).to.deep.equal([
      String.raw`2026-01-05	it\'s \\ EC2	15.25`,
      '2026-01-12	S3	0.00000001',
    ])
    expect(
      await ask(costsSql({ ...january, 'filter[service_name]': ["it's \\ EC2"] }, ['resource_uid'])),
    ).to.deep.equal([String.raw`i-\'1	10.25`, 'i-2	5'])
  })
})

describe('anomalies as analysts ask for them', () => {
  it('are narrowed as the list is, with what is typed as text', () => {
    const query = {
      from: '2026-01-01',
      to: '2026-01-31',
      severity: ['critical', 'emergency'],
      review: ['none'],
      team_id: ["o'hara"],
      min_usd: ['50'],
      include_suppressed: false,
      sort_by: 'excess',
    }
    expect(anomaliesSql(query).split('\n').slice(1)).to.deep.equal([
      'FROM anomalies',
      "WHERE date >= '2026-01-01' AND date <= '2026-01-31' AND severity IN ('critical', 'emergency') AND " +
        "if(review_state = '', 'none', review_state) IN ('none') AND team_id IN ('o\\'hara') AND excess_usd >= 50 AND suppressed = 0",
      'ORDER BY excess_usd DESC',
    ])
    expect(anomaliesSql({ id: 'a1' }).split('\n').slice(1)).to.deep.equal([
      'FROM anomalies',
      "WHERE id IN ('a1')",
      'ORDER BY excess_usd DESC',
    ])
  })
})
