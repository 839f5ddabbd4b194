import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect } from 'chai'
import type { Readable } from 'node:stream'
import { t } from '#engine/value/schema.ts'
import { paging } from '#http/edge/parameter/paging.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'
import { route } from '#http/edge/route.ts'
import { withFormats } from '#http/file/format.ts'
import { reports } from '#http/report/index.ts'
import { tableOf } from '#http/file/table.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { exact, line, three } from '#test/http/export/bills.ts'

const january = 'from=2026-01-01&to=2026-01-31'

describe('reports as files', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    // More resources than one page of a report has.
    const many = Array.from({ length: 120 }, (_, n) =>
      line(`m-${n}`, '0.25', { resourceUid: `m-${String(n).padStart(3, '0')}`, usageDate: '2026-01-03' }),
    )
    await org.publish(billingLine, [...three, exact, ...many])
  })
  const response = (path: string): Promise<Response> =>
    fetch(`${org.url}${path}`, { headers: { Authorization: `Bearer ${org.token}` } })
  const csv = async (path: string): Promise<string[]> => (await (await response(path)).text()).trimEnd().split('\r\n')
  const parquet = async (path: string) => {
    const file = await (await response(path)).arrayBuffer()
    return { rows: await parquetReadObjects({ file, compressors }), schema: parquetMetadata(file).schema }
  }

  it('have a row for each series and period, with the figures of the JSON', async () => {
    const asked = `/reports/costs/series?dims=provider&granularity=monthly&${january}`
    const answer = await response(`${asked}&format=csv`)
    expect([answer.headers.get('content-type'), answer.headers.get('content-disposition')]).to.deep.equal([
      'text/csv; charset=utf-8',
      'attachment; filename="reports_costs_series.csv"',
    ])
    expect(await answer.text()).to.equal(
      'provider,label,period,costUSD\r\naws,aws,2026-01,130.1234567890123\r\ngcp,gcp,2026-01,25\r\n',
    )
    const { rows, schema } = await parquet(`${asked}&format=parquet`)
    expect(rows).to.deep.equal([
      { provider: 'aws', label: 'aws', period: '2026-01', costUSD: 130.1234567890123 },
      { provider: 'gcp', label: 'gcp', period: '2026-01', costUSD: 25 },
    ])
    expect(schema.map(({ name, type }) => `${name} ${type ?? ''}`)).to.deep.equal([
      'root ',
      'provider BYTE_ARRAY',
      'label BYTE_ARRAY',
      'period BYTE_ARRAY',
      'costUSD DOUBLE',
    ])
  })

  it('have one row for each path of the cost flow', async () => {
    expect(await csv(`/reports/costs/breakdown?dims=provider,region&${january}&format=csv`)).to.have.members([
      'provider,region,label,costUSD',
      'aws,us-east-1,us-east-1,60',
      'aws,us-west-2,us-west-2,40',
      'aws,(none),(none),30.1234567890123',
      'gcp,europe-west1,europe-west1,25',
    ])
  })

  it('have all rows, whatever the page that is asked for', async () => {
    const list = `/reports/costs/resources?group_by=resource&${january}`
    const [header = '', ...rows] = await csv(`${list}&page=2&limit=5&format=csv`)
    const at = header.split(',').indexOf('key')
    expect(rows).to.have.length(124)
    expect(new Set(rows.map((row) => row.split(',')[at])).size).to.equal(124)
    const days = await csv(`/reports/costs/resources?${january}&format=csv`)
    expect([days[0]?.split(',')[0], days.length]).to.deep.equal(['date', 125])
    const tags = await csv(`/reports/tags?${january}&limit=1&format=csv`)
    expect(tags).to.have.length(2)
  })

  it('are asked for in pages until the last, whether a report says that there are more or how many there are', async () => {
    const rows = Array.from({ length: 12_001 }, (_, n) => ({ n }))
    for (const isSaid of [true, false]) {
      const pages: unknown[] = []
      const paged = withFormats(
        route({
          method: 'GET',
          path: '/reports/rows',
          summary: 'Get rows',
          permission: 'service.view',
          query: t.Object(paging(20, 100)),
          reply: t.Object({ items: t.Array(t.Object({ n: t.Integer() })) }),
          handle: async ({ query: { page, limit } }) => {
            pages.push([page, limit])
            const items = rows.slice((page - 1) * limit, page * limit)
            const end = isSaid ? { hasMore: page * limit < rows.length } : { total: rows.length }
            return { items, ...end }
          },
        }),
      )
      const services = { now: () => new Date(), exports: { rowsMax: 20_000 } }
      const asked = { query: { page: 7, limit: 3, format: 'csv' } }
      const { payload } = (await paged.handle(asked as never, services as never)) as { payload: Readable }
      const text = (await payload.toArray()).join('')
      expect([text.split('\r\n').length, pages]).to.deep.equal([
        12_003,
        [
          [1, 5000],
          [2, 5000],
          [3, 5000],
        ],
      ])
    }
  })

  it('are refused as the report is, with no file', async () => {
    const answer = await response(`/reports/costs/series?dims=colour&format=csv`)
    expect([answer.status, ((await answer.json()) as { code: string }).code]).to.deep.equal([400, 'validation_failed'])
    const wrong = await response(`/reports/trends?format=xlsx`)
    expect([wrong.status, (await wrong.json()).errors.map((one: any) => `${one.name}: ${one.code}`)]).to.deep.equal([
      400,
      ['format: enum'],
    ])
  })

  it('have columns for every report, each once', () => {
    const without = reports
      .filter(({ alsoMedia }) => alsoMedia)
      .filter(({ path, reply }) => {
        const names = tableOf(path, reply as Keywords, { dims: ['provider'] }, []).columns.map(({ name }) => name)
        return names.length === 0 || new Set(names).size < names.length
      })
    expect(without.map(({ path }) => path)).to.deep.equal([])
    expect(reports.filter(({ alsoMedia }) => !alsoMedia).map(({ path }) => path)).to.deep.equal(['/reports/receipt'])
  })

  it('have nested objects as columns by path, dates as times and lists as JSON', () => {
    const reply = {
      properties: {
        items: {
          items: {
            properties: {
              at: { type: 'string', format: 'date-time' },
              cost: {
                anyOf: [{ type: 'null' }, { properties: { usd: { type: 'number' }, isFinal: { type: 'boolean' } } }],
              },
              tags: { type: 'array' },
            },
          },
        },
      },
    } as Keywords
    expect(
      tableOf('/reports/none', reply, {}, { items: [] }).columns.map(({ name, kind }) => `${name} ${kind}`),
    ).to.deep.equal(['at time', 'cost.usd float', 'cost.isFinal flag', 'tags json'])
  })
})

describe('exports as Parquet', () => {
  it('have the exact amounts of the CSV as decimals, and times of bills', async () => {
    const org = await tenant()
    await org.publish(billingLine, [...three, exact])
    const made = await org.send('POST', '/reports/export', {
      report: 'focus',
      format: 'parquet',
      from: '2026-01-01',
      to: '2026-01-31',
    })
    const answer = await fetch(made.body.data.downloadURL)
    expect(answer.headers.get('content-type')).to.equal('application/vnd.apache.parquet')
    const file = await answer.arrayBuffer()
    const rows = await parquetReadObjects({
      file,
      compressors,
      columns: ['BilledCost', 'ChargePeriodStart', 'ResourceId'],
    })
    expect(rows.toSorted((a, b) => (a['ResourceId'] < b['ResourceId'] ? -1 : 1))).to.deep.equal([
      { BilledCost: 60, ChargePeriodStart: new Date('2026-01-01T00:00:00Z'), ResourceId: 'r1' },
      { BilledCost: 40, ChargePeriodStart: new Date('2026-01-02T00:00:00Z'), ResourceId: 'r2' },
      { BilledCost: 25, ChargePeriodStart: new Date('2026-01-31T00:00:00Z'), ResourceId: 'r3' },
      { BilledCost: 0.1234567890123, ChargePeriodStart: new Date('2026-01-01T00:00:00Z'), ResourceId: 'r5' },
    ])
    const cost = parquetMetadata(file).schema.find(({ name }) => name === 'BilledCost')
    expect([cost?.converted_type, cost?.precision, cost?.scale]).to.deep.equal(['DECIMAL', 38, 16])
  })
})
