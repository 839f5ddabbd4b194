import { readdir } from 'node:fs/promises'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { ExportFile } from '#actors/export/entity.ts'
import { sweep } from '#actors/export/folder.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { advance, ask, colleague, resetClock, type Founder } from '#test/harness/people.ts'
import { answerOf, tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { deepIt } from '#test/harness/tier.ts'
import { exact, formulas, january, line, november, three } from '#test/http/export/bills.ts'

describe('exports', () => {
  /** Has the bills above. */
  let billed: Tenant
  let org: Tenant
  before(async () => {
    billed = await tenant()
    await billed.publish(billingLine, [...three, exact, ...formulas])
  })
  beforeEach(() => void (org = billed))
  afterEach(resetClock)

  const make = (body: object): Promise<Answer> => org.send('POST', '/reports/export', { ...january, ...body })
  /** Fetched as anybody may, without a token. */
  const fetched = async (url: string): Promise<Answer> => answerOf(await fetch(url))
  const file = async (body: object): Promise<any> => {
    const made = await make(body)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const { status, body: content } = await fetched(made.body.data.downloadURL)
    expect(status).to.equal(200)
    return content
  }
  const csv = (body: object): Promise<string> => file({ format: 'csv', ...body })
  const rows = (body: object): Promise<any[]> => file({ format: 'json', ...body })
  const refused = async (body: object) => {
    const { status, body: problem } = await make(body)
    return [status, ...(problem.errors ?? []).map((e: any) => `${e.name}: ${e.code}`)]
  }

  it('S-15: a file with the dimensions and the sums of the report, fetched by its link without a token until it ends [REP-21] [EXP-01] [EXP-02]', async () => {
    const asked = Date.now()
    const made = await make({ report: 'costs', format: 'csv', dimensions: ['provider'] })
    expect(made.status).to.equal(201)
    expect(Object.keys(made.body.data)).to.deep.equal(['downloadURL', 'expiresAt'])
    const { downloadURL: url, expiresAt } = made.body.data as { downloadURL: string; expiresAt: string }
    expect(Date.parse(expiresAt)).to.be.within(asked + 898_000, Date.now() + 900_000)
    expect(url).to.match(
      new RegExp(`^${org.url}/exports/[0-9a-f-]{36}\\?expires=${Date.parse(expiresAt) / 1000}&signature=[\\w-]{43}$`),
    )

    const response = await fetch(url)
    const text = await response.text()
    expect(text).to.equal('provider,cost_usd,savings_usd\r\naws,100.1234567890123,0\r\ngcp,25,0\r\n')
    expect(response.status).to.equal(200)
    const named = ['content-type', 'content-disposition', 'content-length', 'cache-control']
    expect(named.map((name) => response.headers.get(name))).to.deep.equal([
      'text/csv; charset=utf-8',
      'attachment; filename="costs_2026-01-01_2026-01-31.csv"',
      String(text.length),
      'private, no-store',
    ])

    const other = url.at(-1) === 'A' ? 'E' : 'A'
    const changed = await fetched(url.slice(0, -1) + other)
    expect([changed.status, changed.body.code]).to.deep.equal([403, 'signature_invalid'])
    const longer = await fetched(url.replace(/expires=\d+/, `expires=${Date.parse(expiresAt) / 1000 + 1}`))
    expect([longer.status, longer.body.code]).to.deep.equal([403, 'signature_invalid'])

    await advance((Date.parse(expiresAt) - Date.now()) / 1000 - 30)
    expect((await fetched(url)).status).to.equal(200)
    await advance(31)
    const late = await fetched(url)
    expect([late.status, late.body.code]).to.deep.equal([403, 'link_expired'])
  })

  it('has equal rows in both formats, and no other format [REP-22]', async () => {
    const asked = { report: 'costs', dimensions: ['region', 'date', 'provider'] }
    const expected = [
      { region: '(none)', date: '2026-01-01', provider: 'aws', cost_usd: 0.1234567890123, savings_usd: 0 },
      { region: 'europe-west1', date: '2026-01-31', provider: 'gcp', cost_usd: 25, savings_usd: 0 },
      { region: 'us-east-1', date: '2026-01-01', provider: 'aws', cost_usd: 60, savings_usd: 0 },
      { region: 'us-west-2', date: '2026-01-02', provider: 'aws', cost_usd: 40, savings_usd: 0 },
    ]
    expect(await rows(asked)).to.deep.equal(expected)
    const [header, ...records] = (await csv(asked)).trimEnd().split('\r\n')
    expect(header).to.equal('region,date,provider,cost_usd,savings_usd')
    expect(records).to.deep.equal(expected.map((row) => Object.values(row).join(',')))
    expect(await refused({ ...asked, format: 'xml' })).to.deep.equal([400, '/format: enum'])
  })

  deepIt('groups by charge category, invoice and tags as reports do [REP-21]', async () => {
    org = await tenant()
    const tagged = { Tags: { team: 'data', env: 'prod' } }
    await org.publish(billingLine, [
      line('1', 45.5, { resourceUid: 'r1', InvoiceId: 'inv-1', ...tagged }),
      line('2', 14.5, { resourceUid: 'r1', InvoiceId: 'inv-2', ...tagged }),
      line('3', 5, { ChargeCategory: 'Tax', serviceName: 'tax', InvoiceId: 'inv-1' }),
    ])
    const sheet = async (report: string, ...dimensions: string[]) =>
      (await csv({ report, dimensions })).trimEnd().split('\r\n')
    expect(await sheet('costs', 'tag:team', 'invoice_id', 'charge_category', 'tag:env')).to.deep.equal([
      'tag:team,invoice_id,charge_category,tag:env,cost_usd,savings_usd',
      '(none),inv-1,Tax,(none),5,0',
      'data,inv-1,Usage,prod,45.5,0',
      'data,inv-2,Usage,prod,14.5,0',
    ])
    expect(await sheet('trends', 'month', 'tag:team')).to.deep.equal([
      'month,tag:team,cost_usd,savings_usd',
      '2026-01,(none),5,0',
      '2026-01,data,60,0',
    ])
    expect(await sheet('resources', 'resource_uid', 'invoice_id')).to.deep.equal([
      'resource_uid,invoice_id,cost_usd,savings_usd',
      '(none),inv-1,5,0',
      'r1,inv-1,45.5,0',
      'r1,inv-2,14.5,0',
    ])
    const seven = Array.from({ length: 7 }, (_, i) => `tag:k${i}`)
    expect(await refused({ report: 'costs', format: 'csv', dimensions: seven })).to.deep.equal([
      400,
      '/dimensions: maxItems',
    ])
    expect(await refused({ report: 'costs', format: 'csv', dimensions: ['tag:'] })).to.deep.equal([
      400,
      '/dimensions/0: enum',
    ])
  })

  it('takes the reports, dimensions and ranges there are, and names what is not one [REP-22] [EXP-02]', async () => {
    const asked = { report: 'costs', format: 'csv' }
    expect(await refused({ ...asked, report: 'weather' })).to.deep.equal([400, '/report: enum'])
    expect(await refused({ ...asked, dimensions: ['provider', 'colour'] })).to.deep.equal([400, '/dimensions/1: enum'])
    expect(await refused({ ...asked, report: 'teams', dimensions: ['region'] })).to.deep.equal([
      400,
      '/dimensions/0: enum',
    ])
    expect(await refused({ ...asked, report: 'focus', dimensions: ['region'] })).to.deep.equal([
      400,
      '/dimensions/0: enum',
    ])
    expect(await refused({ ...asked, dimensions: ['date', 'date'] })).to.deep.equal([400, '/dimensions: uniqueItems'])
    expect(await refused({ ...asked, from: '2026-02-01' })).to.deep.equal([400, '/from: range'])
    expect(await refused({ ...asked, report: 'unit-economics' })).to.deep.equal([400, '/metric: required'])
    expect(await refused({ ...asked, report: 'focus', version: '1.9' })).to.deep.equal([400, '/version: enum'])
  })

  it('names the dimensions that a report of its own columns has [REP-21]', async () => {
    const known: Record<string, string> = {
      teams: 'team_id, team_name',
      tags: 'tag_key, tag_value, tag_source',
      anomalies: 'date, anomaly_type, anomaly_key, severity, method',
      recommendations:
        'recommendation_id, rule_id, category, severity, status, provider, cloud_account_id, resource_uid',
      savings: 'source, rule_id, category, team_id, resource_group_id, cloud_account_id, resource_uid',
      commitments: 'commitment_id, commitment_type, provider, cloud_account_id',
      budgets: 'budget_id, team_name, resource_group_id, status',
      receipt:
        'line_id, date, cloud_account_id, provider, service_name, region, resource_uid, resource_type, purchase_type, charge_category',
    }
    for (const [report, names] of Object.entries(known)) {
      const { status, body } = await make({ report, format: 'csv', dimensions: ['cost_usd'] })
      expect([status, ...body.errors.map((e: any) => e.message)]).to.deep.equal([
        400,
        `cost_usd is not a dimension of ${report}. Its dimensions are ${names}.`,
      ])
    }
  })

  it('keeps cells from being taken for formulas, but leaves numbers as they are [EXP-02]', async () => {
    const asked = { report: 'costs', dimensions: ['service_name'], ...november }
    expect(await csv(asked)).to.equal(
      [
        'service_name,cost_usd,savings_usd',
        `'+1+1,1,0`,
        `'-2+3,1,0`,
        '-7,1,0',
        `"'=HYPERLINK(""http://x"",""y"")",-5,0`,
        `'@sum,1,0`,
        '"a ""b"", c\nd",1,0',
        '',
      ].join('\r\n'),
    )
    expect((await rows(asked)).map((row) => row.service_name)).to.deep.equal([
      '+1+1',
      '-2+3',
      '-7',
      '=HYPERLINK("http://x","y")',
      '@sum',
      'a "b", c\nd',
    ])
  })

  it('has the rows of each report, which are exact, and its totals, which are rounded [REP-21] G-07', async () => {
    const team = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id as string
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['r1', 'r3'] })
    const metric = { name: 'Orders', key: 'orders', unit: 'order', ingestion: 'push', aggregation: 'sum' }
    const { id } = (await org.send('POST', '/unit-metrics', metric)).body.data
    await org.send('POST', `/unit-metric-values/${id}`, { values: [{ timestamp: '2026-01-01', value: 120 }] })
    await org.send('POST', '/budgets', { teamName: 'Core', monthlyBudgetUSD: 100 })

    expect(await csv({ report: 'summary' })).to.equal('cost_usd,savings_usd\r\n125.12,0\r\n')
    expect(await csv({ report: 'trends', to: '2026-01-03' })).to.equal(
      'date,cost_usd,savings_usd\r\n2026-01-01,60.1234567890123,0\r\n2026-01-02,40,0\r\n2026-01-03,0,0\r\n',
    )
    expect(await csv({ report: 'trends', dimensions: ['month'], to: '2026-02-01' })).to.equal(
      'month,cost_usd,savings_usd\r\n2026-01,125.1234567890123,0\r\n2026-02,99,0\r\n',
    )
    expect(await csv({ report: 'resources', provider: ['aws'], to: '2026-01-01' })).to.equal(
      'cloud_account_id,resource_uid,cost_usd,savings_usd\r\nacct-1,r1,60,0\r\nacct-1,r5,0.1234567890123,0\r\n',
    )
    expect(
      await csv({ report: 'teams', to: '2026-01-02', dimensions: ['team_name'], region: ['us-east-1', 'us-west-2'] }),
    ).to.equal(
      `team_name,team_id,cost_usd,resource_count,percent_of_total\r\nCore,${team},60,1,60\r\nUnassigned,,40,1,40\r\n`,
    )
    expect(await csv({ report: 'tags' })).to.equal(
      'tag_key,tag_value,tag_source,cost_usd,savings_usd,resource_count,prev_cost_usd\r\nenv,prod,cloud,0.1234567890123,0,1,0\r\n',
    )
    expect(await rows({ report: 'unit-economics', metric: 'orders', to: '2026-01-02' })).to.deep.equal([
      { date: '2026-01-01', cost_usd: 60.1234567890123, units: 120, cost_per_unit_usd: 60.1234567890123 / 120 },
      { date: '2026-01-02', cost_usd: 40, units: 0, cost_per_unit_usd: null },
    ])
    const [budget] = await rows({ report: 'budgets' })
    expect(budget).to.include({ team_name: 'Core', status: 'green', monthly_budget_usd: 100, current_spend_usd: 0 })
    expect(await rows({ report: 'anomalies' })).to.deep.equal([])
    expect(await rows({ report: 'recommendations' })).to.deep.equal([])
    expect((await csv({ report: 'recommendations' })).split('\r\n')).to.have.length(2)
    expect((await rows({ report: 'receipt' })).map((row) => [row.line_id, row.cost_usd])).to.deep.equal([
      ['1', 60],
      ['5', 0.1234567890123],
      ['2', 40],
      ['3', 25],
    ])
  })

  it('has the recommendations as they stand, the largest savings first, and those of the accounts alone that are asked for [REP-21]', async () => {
    const own = await tenant()
    const [small, large] = await recommended(
      own,
      { savings_usd: 1.1, title: '=cmd' },
      { savings_usd: 20, cloud_account_id: 'acct-2', resource_uid: 'i-2', status: 'applied' },
    )
    const exported = async (body: object) => {
      const { downloadURL } = (await own.send('POST', '/reports/export', { report: 'recommendations', ...body })).body
        .data
      return (await fetch(downloadURL)).text()
    }
    const [first, second] = JSON.parse(await exported({ format: 'json', dimensions: ['status'] })) as Record<
      string,
      unknown
    >[]
    expect(Object.entries(first!)).to.deep.equal(
      Object.entries({
        status: 'applied',
        recommendation_id: large,
        rule_id: 'RC-1001',
        category: 'idle',
        severity: 'medium',
        provider: 'aws',
        cloud_account_id: 'acct-2',
        resource_uid: 'i-2',
        title: 'Stop EC2 instance web.',
        monthly_savings_usd: 20,
        created_at: '2026-01-10T10:00:00.000Z',
        resource_name: 'web',
        resource_type: 'aws-ec2',
        region: 'us-east-1',
        action_type: 'stop',
        current_cost_usd: 100,
        gross_savings_usd: 50,
        confidence: 1,
        priority: 10,
        updated_at: '2026-01-10T10:00:00.000Z',
      }),
    )
    expect(second).to.include({ recommendation_id: small, status: 'open', monthly_savings_usd: 1.1 })
    const lines = (await exported({ format: 'csv', cloud_account_id: ['acct-1'] })).split('\r\n')
    expect(lines).to.have.length(3)
    expect(lines[1]).to.match(new RegExp(`^${small},RC-1001,idle,medium,open,aws,acct-1,i-1,'=cmd,1.1,`))
  })

  it('has the anomalies of the range, the newest first, in rounded figures [REP-21] G-07', async () => {
    org = await tenant()
    const common = {
      org_id: org.orgId,
      anomaly_key: 'acct-1',
      cloud_account_id: 'acct-1',
      anomaly_type: 'cloud_account',
      x_Version: '1',
    }
    const odd = (date: string, id: string, root_cause: string) => ({
      ...common,
      date,
      id,
      root_cause,
      severity: 'critical',
      method: 'percent',
      actual_usd: 30.49500001,
      expected_usd: 9.9950000001,
      deviation_percent: 205.1025,
      notified: 1,
      created_at: `${date} 05:00:00.000`,
    })
    const values = [
      odd('2026-01-10', 'a-1', '=cmd'),
      odd('2026-01-11', 'a-2', 'Usage spike'),
      odd('2026-02-11', 'a-3', ''),
    ]
    await org.put('anomaly_state', values)
    const found = await rows({ report: 'anomalies', dimensions: ['severity'] })
    expect(found.map(({ id }) => id)).to.deep.equal(['a-2', 'a-1'])
    expect(Object.entries(found[1])).to.deep.equal(
      Object.entries({
        severity: 'critical',
        date: '2026-01-10',
        anomaly_type: 'cloud_account',
        anomaly_key: 'acct-1',
        method: 'percent',
        actual_cost_usd: 30.5,
        expected_cost_usd: 10,
        deviation_percent: 205.1,
        root_cause: '=cmd',
        suppressed: false,
        notified: true,
        notified_at: null,
        created_at: '2026-01-10T05:00:00.000Z',
        id: 'a-1',
      }),
    )
    expect(await csv({ report: 'anomalies', to: '2026-01-10' })).to.include(
      `,30.5,10,205.1,'=cmd,false,true,,2026-01-10T05:00:00.000Z,a-1\r\n`,
    )
  })

  deepIt('holds what the caller’s role may see, and nothing else [REP-43]', async () => {
    const owner = { accessToken: org.token, orgId: org.orgId } as Founder
    const role = {
      name: 'A',
      permissions: ['space.view', 'service.view'],
      reportScope: { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] },
    }
    const made = await ask('POST', '/roles', { token: org.token, body: role })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const ben = await colleague(owner, made.body.data.id)
    const seen = async (report: string, more: object = {}) => {
      const body = { report, format: 'json', ...january, ...more }
      const answer = await ask('POST', '/reports/export', { token: ben.accessToken, body })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
      return (await fetched(answer.body.data.downloadURL)).body
    }
    expect(await seen('costs', { dimensions: ['cloud_account_id'] })).to.deep.equal([
      { cloud_account_id: 'acct-1', cost_usd: 100.1234567890123, savings_usd: 0 },
    ])
    const own = [
      ['1', 60],
      ['2', 40],
      ['5', 0.1234567890123],
    ]
    expect((await seen('focus')).map((row: any) => [row.x_LineId, row.BilledCost])).to.have.deep.members(own)
    expect((await seen('receipt')).map((row: any) => row.line_id)).to.have.members(['1', '2', '5'])
  })

  it('answers 404 for a file that is gone, and removes files and records of more than a day', async () => {
    const { orgId, product, connections } = org
    const { folder } = product.get(tokens.exports)
    const idOf = (url: string) => /exports\/([^?]+)/.exec(url)![1]!
    const old = (await make({ report: 'costs', format: 'csv' })).body.data.downloadURL as string
    await advance(24 * 3600)
    const url = (await make({ report: 'costs', format: 'csv' })).body.data.downloadURL as string
    const job = await ask('POST', '/internal/jobs/retention/run', { body: { orgId } })
    expect(job.status, JSON.stringify(job.body)).to.equal(202)
    const left = await connections.orm.em.fork().find(ExportFile, { orgId })
    expect(left.map(({ id }) => id)).to.deep.equal([idOf(url)])
    const names = await readdir(folder)
    expect([names.includes(idOf(old)), names.includes(idOf(url))]).to.deep.equal([false, true])

    expect(await sweep(folder, new Date(connections.clock.now() + 86_400_000))).to.be.at.least(1)
    const gone = await fetched(url)
    expect([gone.status, gone.body.code]).to.deep.equal([404, 'not_found'])
    expect((await fetched(`${org.url}/exports/none?expires=1&signature=x`)).body.code).to.equal('signature_invalid')
    expect((await fetched(`${org.url}/exports/${idOf(url)}`)).status).to.equal(400)
  })

  it('refuses a file of too many rows, and leaves nothing of it', async () => {
    const exports = org.product.get(tokens.exports) as { folder: string; rowsMax: number }
    const { rowsMax } = exports
    exports.rowsMax = 2
    try {
      const before = await readdir(exports.folder).catch(() => [])
      const { status, body } = await make({ report: 'costs', format: 'json', dimensions: ['region'] })
      expect([status, body.code]).to.deep.equal([422, 'report_too_large'])
      expect(await readdir(exports.folder)).to.deep.equal(before)
      expect((await rows({ report: 'costs', dimensions: ['provider'] })).length).to.equal(2)
    } finally {
      exports.rowsMax = rowsMax
    }
  })
})
