import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { bill } from '#streams/cloud/gcp/bill/bill.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { checkRefusals } from '#streams/cloud/bill/fault.ts'
import { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { objectsInGcs } from '#streams/cloud/gcp/bill/prefix.ts'
import { account, fails, farGoogle, refusing, type Answer, type FarGoogle, type Question } from './far-google.ts'

const table = 'gcp_billing_export_resource_v1_0A1B2C_3D4E5F_678901'
const billed = (location: string): CloudAccount => ({ ...account, billingExport: { kind: 'bigquery', location } })
const whole = billed(`bigquery://shop-bills/export/${table}`)

/** A row as Google exports it. */
const row = (day: string, cost: number, more: object = {}) => ({
  billing_account_id: '0A1B2C-3D4E5F-678901',
  service: { id: '6F81-5844-456A', description: 'Compute Engine' },
  sku: { id: 'CP-1', description: 'N2 Instance Core running in Iowa' },
  usage_start_time: `${day}T05:00:00Z`,
  usage_end_time: `${day}T06:00:00Z`,
  project: { id: 'shop-prod', number: '123', name: 'Shop' },
  labels: [{ key: 'team', value: 'web' }],
  location: { location: 'us-central1', region: 'us-central1', zone: 'us-central1-a' },
  resource: { name: 'web-1', global_name: '//compute.googleapis.com/projects/123/zones/us-central1-a/instances/987' },
  cost,
  currency: 'USD',
  currency_conversion_rate: 1,
  usage: { amount: 3600, unit: 'seconds', amount_in_pricing_units: 1, pricing_unit: 'hour' },
  credits: [{ name: 'CUD', amount: -0.25, type: 'COMMITTED_USAGE_DISCOUNT' }],
  invoice: { month: '202601' },
  cost_type: 'regular',
  export_time: `${day}T12:00:00Z`,
  ...more,
})
const rows = (...all: object[]): object => ({
  jobComplete: true,
  jobReference: { projectId: 'shop-bills', jobId: 'job_1', location: 'EU' },
  schema: { fields: [{ name: 'line', type: 'STRING', mode: 'NULLABLE' }] },
  rows: all.map((one) => ({ f: [{ v: JSON.stringify(one) }] })),
})

describe('bills of Google Cloud', () => {
  let far: FarGoogle
  const linesOf = async (
    answer: (question: Question) => Answer,
    of: CloudAccount = whole,
    from = '2026-01-01',
    to = '2026-01-31',
  ) => {
    far = await farGoogle(answer)
    const lines: BillingLine[] = []
    const refusals = new BillRefusals()
    for await (const page of bill(far.options, of, { from, to, refusals })) lines.push(...page)
    checkRefusals(refusals)
    return lines
  }
  afterEach(() => far.close())

  it('are the lines of the detailed export: the net cost, under the name that the inventory has', async () => {
    const [line, ...others] = await linesOf(() => ({ body: rows(row('2026-01-05', 1.25)) }))
    expect(others).to.deep.equal([])
    expect(line).to.deep.include({
      cloudAccountId: 'acct-1',
      BilledCost: '1',
      ListCost: 1.25,
      ServiceName: 'Compute Engine',
      ResourceId: 'projects/shop-prod/zones/us-central1-a/instances/web-1',
      SubAccountId: 'shop-prod',
      Tags: { team: 'web' },
      purchaseType: 'reserved',
    })
  })

  it('are asked for by partition, month by month, for 10 GiB at most', async () => {
    await linesOf(() => ({ body: rows() }), whole, '2026-01-20', '2026-02-10')
    expect(far.asked).to.deep.equal([
      'POST /bigquery/v2/projects/shop-bills/queries',
      'POST /bigquery/v2/projects/shop-bills/queries',
    ])
    const [january, february] = far.questions.map(({ body }) => body)
    expect(january).to.include({
      maximumBytesBilled: String(10 * 1024 ** 3),
      useLegacySql: false,
      parameterMode: 'named',
    })
    expect(january.query)
      .to.include(`FROM \`shop-bills.export.${table}\``)
      .and.to.include('_PARTITIONTIME >= @written_from AND _PARTITIONTIME < @written_to')
    const valuesOf = ({
      queryParameters,
    }: {
      queryParameters: { name: string; parameterValue: { value: string } }[]
    }) => Object.fromEntries(queryParameters.map(({ name, parameterValue }) => [name, parameterValue.value]))
    expect(valuesOf(january)).to.deep.equal({
      written_from: '2025-12-31T00:00:00.000Z',
      written_to: '2026-03-18T00:00:00.000Z',
      invoice: '202601',
      since: '2026-01-20T00:00:00.000Z',
      until: '2026-02-11T00:00:00.000Z',
      first: '2026-01-01T00:00:00.000Z',
      with_earlier: 'false',
      with_later: 'true',
    })
    expect(valuesOf(february)).to.include({ invoice: '202602', with_earlier: 'true', with_later: 'false' })
    expect(january.requestId).to.not.equal(february.requestId)
  })

  it('come page by page, behind a question that is not done yet', async () => {
    const lines = await linesOf(({ method, query }) => {
      const job = { jobReference: { projectId: 'shop-bills', jobId: 'job_1', location: 'EU' } }
      if (method === 'POST') return { body: { ...job, jobComplete: false } }
      if (query.get('pageToken') === 'next') return { body: { ...job, ...rows(row('2026-01-07', 3)) } }
      return { body: { ...job, ...rows(row('2026-01-05', 1), row('2026-01-06', 2)), pageToken: 'next' } }
    })
    expect(lines.map(({ ListCost }) => ListCost)).to.deep.equal([1, 2, 3])
    expect(far.asked.slice(1)).to.deep.equal([
      'GET /bigquery/v2/projects/shop-bills/queries/job_1',
      'GET /bigquery/v2/projects/shop-bills/queries/job_1',
    ])
    expect(far.questions[2]?.query.get('location')).to.equal('EU')
  })

  it('have what a bill says of days before its month with its first day, and not else', async () => {
    const late = row('2025-12-30', 5, { cost_type: 'adjustment' })
    const all = () => ({ body: rows(late, row('2026-01-01', 1), row('2026-01-20', 2)) })
    expect((await linesOf(all)).map(({ ListCost }) => ListCost)).to.deep.equal([5, 1, 2])
    await far.close()
    expect((await linesOf(all, whole, '2026-01-10', '2026-01-31')).map(({ ListCost }) => ListCost)).to.deep.equal([2])
  })

  it('have with the last day of their month the hours that are of it in Pacific time, and not else', async () => {
    const evening = row('2026-02-01', 4)
    const all = () => ({ body: rows(row('2026-01-31', 1), evening) })
    expect((await linesOf(all)).map(({ ListCost }) => ListCost)).to.deep.equal([1, 4])
    await far.close()
    expect((await linesOf(all, whole, '2026-01-01', '2026-01-30')).map(({ ListCost }) => ListCost)).to.deep.equal([])
  })

  it('in another currency are told in US dollars by the rate that Google used', async () => {
    const euros = row('2026-01-05', 80, { currency: 'EUR', currency_conversion_rate: 0.8, credits: [] })
    const [line] = await linesOf(() => ({ body: rows(euros) }))
    expect([line?.BilledCost, line?.BillingCurrency, line?.perUsd]).to.deep.equal([80, 'EUR', 0.8])
  })

  it('are in the only export of a data set, which is looked for', async () => {
    const tables = (...ids: string[]) => ({ body: { tables: ids.map((tableId) => ({ tableReference: { tableId } })) } })
    const found = ({ path }: Question) =>
      path.endsWith('/tables') ? tables('gcp_billing_export_v1_x', table) : { body: rows(row('2026-01-05', 1)) }
    expect(await linesOf(found, billed('shop-bills.export'))).to.have.length(1)
    await far.close()
    expect(await fails(linesOf(() => tables('other'), billed('shop-bills.export')))).to.equal(
      'user_action bill_not_there',
    )
    await far.close()
    expect(await fails(linesOf(() => tables(table, `${table}x`), billed('shop-bills.export')))).to.equal(
      'user_action billing_export_invalid',
    )
  })

  it('are at no place that is not one of BigQuery', async () => {
    for (const location of [
      's3://bills/x',
      'shop-bills.export`; DROP TABLE x',
      'bigquery://shop-bills/export/other_table',
      'bigquery://a/../b',
    ]) {
      expect(await fails(linesOf(() => ({}), billed(location))), location).to.equal(
        'user_action billing_export_invalid',
      )
      expect(far.asked).to.deep.equal([])
      await far.close()
    }
    expect(await linesOf(() => ({}), account)).to.deep.equal([])
  })

  for (const [what, answer] of [
    ['is out for a moment', refusing(503, 'backendError')],
    ['loses an answer', { isLost: true }],
    ['sends a page of a proxy', { body: '<html></html>' }],
    ['names no job', { body: { jobComplete: false } }],
    ['sends rows of no schema', { body: { ...rows(row('2026-01-05', 1)), schema: undefined } }],
  ] as const)
    it(`are asked for again where BigQuery ${what}, by the same question, and are whole`, async () => {
      let times = 0
      const lines = await linesOf(() => (++times === 1 ? answer : { body: rows(row('2026-01-05', 1.25)) }))
      expect(lines.map(({ ListCost }) => ListCost)).to.deep.equal([1.25])
      const [first, second] = far.questions.map(({ body }) => body)
      expect(far.asked).to.deep.equal(Array(2).fill('POST /bigquery/v2/projects/shop-bills/queries'))
      expect(second).to.deep.equal(first)
    })

  for (const [what, answer, wanted] of [
    ['nothing', {}, 'system unknown_answer'],
    ['rows that are none', { body: { ...rows(), rows: [{ f: 7 }] } }, 'system unknown_answer'],
    ['no line in a row', { body: { ...rows(row('2026-01-05', 1)), rows: [{ f: [{ v: null }] }] } }, 'nothing'],
    [
      'a refusal',
      refusing(403, 'accessDenied', 'Access Denied: Table shop-bills:export'),
      'user_action permission_missing',
    ],
  ] as const)
    it(`that come as ${what} are ${wanted}`, async () => {
      expect(await fails(linesOf(() => answer))).to.equal(wanted)
    })

  it('of two accounts at once are each read with the token of its own', async () => {
    far = await farGoogle(({ token }) => ({ body: rows(row('2026-01-05', Number(token.slice(1)))) }))
    const read = async (id: string) => {
      const asked = { from: '2026-01-01', to: '2026-01-31', refusals: new BillRefusals() }
      return (await Array.fromAsync(bill(far.options, { ...whole, id }, asked))).flat()
    }
    const found = await Promise.all([read('acct-1'), read('acct-2')])
    const costs = far.questions.map(({ token }) => Number(token.slice(1)))
    expect(new Set(costs).size).to.equal(2)
    expect(found.map(([line]) => line?.ListCost)).to.have.members(costs)
    expect(found.map(([line]) => line?.cloudAccountId)).to.deep.equal(['acct-1', 'acct-2'])
  })

  it('are asked for at no address that the environment names', async () => {
    process.env['BIGQUERY_EMULATOR_HOST'] = 'http://evil.example'
    try {
      expect(await fails(linesOf(() => ({ body: rows() })))).to.match(/address_refused/)
      expect(far.asked).to.deep.equal([])
    } finally {
      delete process.env['BIGQUERY_EMULATOR_HOST']
    }
  })

  it('that would cost too much to read, or have a row that is none, are a fault of the export', async () => {
    const limit = refusing(500, 'bytesBilledLimitExceeded', 'Query exceeded limit for bytes billed: 10737418240.')
    expect(await fails(linesOf(() => limit))).to.equal('user_action bill_too_large')
    expect(far.asked).to.have.length(1)
    await far.close()
    expect(
      await fails(linesOf(() => ({ body: rows(row('2026-01-05', 1), { ...row('2026-01-06', 1), cost: 'much' }) }))),
    ).to.equal('user_action bill_unreadable')
  })

  it('leave out a cell that cannot be read, which is kept with the first places', async () => {
    const odd = row('2026-01-05', 1.25, { usage: { amount: 'many', unit: 'seconds' } })
    far = await farGoogle(() => ({ body: rows(row('2026-01-04', 1.25), odd) }))
    const refusals = new BillRefusals()
    await Array.fromAsync(bill(far.options, whole, { from: '2026-01-01', to: '2026-01-31', refusals }))
    const [warning, ...others] = refusals.warnings.list('2026-01')
    const first = [{ file: `shop-bills.export.${table}`, row: 2 }]
    expect(warning).to.deep.include({ period: '2026-01', code: 'cell_left_out', count: 1, first })
    expect([refusals.told, others]).to.deep.equal([undefined, []])
  })

  it('in Cloud Storage are listed below a prefix, page by page, and read in the version that was listed', async () => {
    far = await farGoogle(({ path, query }) => {
      if (path !== '/storage/v1/b/shop-bills/o') return { body: 'a,b\n1,2\n' }
      const [first, more] = [query.get('prefix') === 'oct/', query.get('pageToken') === 'more']
      const item = (name: string) => ({ name, updated: '2026-10-03T00:00:00Z', size: '8', generation: '77' })
      if (!first) return { status: 404, body: {} }
      return more
        ? { body: { items: [item('oct/b.csv')] } }
        : { body: { items: [item('oct/'), item('oct/a.csv')], nextPageToken: 'more' } }
    })
    const found = await objectsInGcs(far.options, account, 'gs://shop-bills/oct/')
    expect(found.map(({ key, at }) => [key, at.toISOString()])).to.deep.equal([
      ['oct/a.csv', '2026-10-03T00:00:00.000Z'],
      ['oct/b.csv', '2026-10-03T00:00:00.000Z'],
    ])
    expect(await text(await found[0]!.open())).to.equal('a,b\n1,2\n')
    const { path, query } = far.questions.at(-1)!
    expect([path, query.get('alt'), query.get('generation')]).to.deep.equal([
      '/storage/v1/b/shop-bills/o/oct/a.csv',
      'media',
      '77',
    ])
    expect(await fails(objectsInGcs(far.options, account, 'gs://A'))).to.match(/billing_export_invalid/)
  })
})
