import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { sweepReplaced } from '#config/sweep.ts'
import { applied, ended, focusRow, upload } from '#test/harness/bill-upload.ts'
import { tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'
import { csv } from '#test/streams/billing/reading.ts'

const [monday, tuesday, wednesday] = [
  '2024-10-07T03:00:00.000Z',
  '2024-10-08T03:00:00.000Z',
  '2024-10-09T03:00:00.000Z',
]
const at = (exported_at: string) => ({ query: { exported_at } })

describe('a bill that is uploaded', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const four = (...costs: string[]) => csv(...costs.map((cost, n) => focusRow(`i-${n}`, cost, `2024-09-${19 + n}`)))
  /** What reports are made of. */
  const shows = async () => {
    const sql = `SELECT toString(sum(BilledCost)) AS usd, count() AS lines FROM cost_lines WHERE x_OrgId = {org:String}`
    const [found] = await org.facts<{ usd: string; lines: number }>(sql)
    return [found!.usd, Number(found!.lines)]
  }
  const reach = (usd: string, lines: number) =>
    until(`${lines} lines of ${usd}`, async () => {
      const now = await shows()
      return now[0] === usd && now[1] === lines
    })
  const taken = ({ status, body }: Answer): Record<string, any> => {
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.data
  }
  const refusal = ({ status, body }: Answer) => [status, body.code, body.detail]
  const one = async (id: string) => (await org.get(`/billing/uploads/${id}`)).body.data

  it('says what it is of and what it would replace, and shows nothing before it is applied', async () => {
    const answer = await upload(org, { 'september.csv': four('40', '30', '20', '10.5') }, at(monday))
    const { id, createdAt, expiresAt, ...rest } = taken(answer)
    expect(answer.headers.get('location')).to.equal(`/billing/uploads/${id}`)
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).to.equal(30 * 86_400_000)
    const figures = { lines: 4, billedUSD: '100.5' }
    const period = { period: '2024-09', from: '2024-09-19', to: '2024-09-22', ...figures }
    const [file] = rest['files']
    expect(rest).to.deep.equal({
      cloudAccountID: 'a',
      exportedAt: monday,
      state: 'ready',
      message: null,
      files: [{ name: 'september.csv', bytes: four('40', '30', '20', '10.5').length, rows: 4, format: 'focus' }],
      rows: 4,
      accepted: 4,
      refusedRows: 0,
      refused: [],
      currencies: [{ currency: 'USD', billed: '100.5' }],
      periods: [{ ...period, standing: null, replaces: false, lessThanHalf: false, before: null, after: null }],
      confirm: [],
      appliedAt: null,
    })
    expect(file.rows).to.equal(4)
    expect(await shows()).to.deep.equal(['0', 0])
    const end = await applied(org, id)
    expect([end['state'], end['periods'][0].after]).to.deep.equal(['replaced', figures])
    await reach('100.5', 4)
    const { body } = await org.get('/reports/summary?period=2024-09')
    expect(body.data.totalCostUSD).to.equal(100.5)
  })

  it('is applied with rows refused where nothing stands; where a whole bill does, once somebody confirms it', async () => {
    const rows = [focusRow('i-1', '60'), focusRow('i-2', 'much'), focusRow('i-3', '40', '2024-09-20')]
    const first = taken(await upload(org, { 'a.csv': csv(...rows) }, at(monday)))
    expect(first).to.deep.include({ rows: 3, accepted: 2, refusedRows: 1, confirm: [] })
    expect(first['refused'].map(({ reason: _reason, ...more }: any) => more)).to.deep.equal([
      { code: 'amount_invalid', count: 1, rows: [{ file: 'a.csv', line: 3 }] },
    ])
    expect((await applied(org, first['id']))['state']).to.equal('replaced')
    const second = taken(await upload(org, { 'a.csv': csv(...rows, focusRow('i-4', '1.25')) }, at(tuesday)))
    const standing = { lines: 2, billedUSD: '100', exportedAt: monday, whole: true }
    expect(second['confirm']).to.deep.equal(['rows_refused'])
    expect(second['periods'][0]).to.deep.include({ lines: 3, billedUSD: '101.25', standing, replaces: true })
    const refused = await org.send('POST', `/billing/uploads/${second['id']}/apply`, {})
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'bill_rows_refused'])
    expect((await one(second['id'])).state).to.equal('ready')
    const end = await applied(org, second['id'], { confirm: true })
    expect(end['periods'][0]).to.deep.include({
      standing,
      before: { lines: 2, billedUSD: '100' },
      after: { lines: 3, billedUSD: '101.25' },
    })
    await reach('101.25', 3)
  })

  it('of less than half is refused unless it is confirmed', async () => {
    await applied(org, taken(await upload(org, four('40', '30', '20', '10'), at(monday)))['id'])
    const less = taken(await upload(org, four('49.99'), at(tuesday)))
    expect(less['periods'][0]).to.deep.include({ replaces: true, lessThanHalf: true })
    expect(less['confirm']).to.deep.equal(['less_than_half'])
    const refused = await org.send('POST', `/billing/uploads/${less['id']}/apply`, { confirm: false })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'bill_less_than_half'])
    expect((await applied(org, less['id'], { confirm: true }))['state']).to.equal('replaced')
    await reach('49.99', 1)
  })

  it('that was held because another came between is taken once it is confirmed', async () => {
    const small = taken(await upload(org, four('10'), at(tuesday)))
    const large = taken(await upload(org, four('40', '30', '20', '10'), at(monday)))
    const both = await Promise.all([large, small].map(({ id }) => org.send('POST', `/billing/uploads/${id}/apply`, {})))
    expect(both.map(({ status }) => status)).to.deep.equal([202, 202])
    expect((await ended(org, large['id']))['state']).to.equal('replaced')
    const held = await ended(org, small['id'])
    expect([held['state'], held['confirm'], held['periods'][0].before]).to.deep.equal([
      'held',
      [],
      { lines: 4, billedUSD: '100' },
    ])
    expect((await org.send('POST', `/billing/uploads/${small['id']}/apply`, {})).body.code).to.equal(
      'bill_less_than_half',
    )
    expect((await applied(org, small['id'], { confirm: true }))['state']).to.equal('replaced')
    await reach('10', 1)
  })

  it('that is older than what stands is over: nothing changes', async () => {
    await applied(org, taken(await upload(org, four('40', '30'), at(tuesday)))['id'])
    const old = taken(await upload(org, four('1', '2', '3'), at(monday)))
    expect(old['periods'][0]).to.deep.include({
      lines: 3,
      billedUSD: '6',
      standing: { lines: 2, billedUSD: '70', exportedAt: tuesday, whole: true },
      replaces: false,
      lessThanHalf: false,
    })
    expect((await applied(org, old['id']))['state']).to.equal('over')
    expect(await shows()).to.deep.equal(['70', 2])
  })

  it('may be of several files, plain and gzipped, with columns named otherwise, in several currencies', async () => {
    const usd = csv(focusRow('i-1', '40'), focusRow('i-2', '30.000000001', '2024-10-01'))
    const cad = gzipSync(csv(focusRow('i-3', '100', '2024-09-30', { BillingCurrency: 'CAD' })))
    const renamed = usd
      .replace('BilledCost', 'billed_cost')
      .replace('ChargePeriodStart', 'charge period start')
      .replaceAll('i-', 'j-')
    const query = { exported_at: monday, rate: ['CAD=0.73', 'EUR=1.1'] }
    const files = { 'a.csv': usd, 'b.csv.gz': new Uint8Array(cad), 'c.csv': renamed }
    const found = taken(await upload(org, files, { query }))
    expect(found['files'].map(({ name, rows, bytes }: any) => [name, rows, bytes])).to.deep.equal([
      ['a.csv', 2, usd.length],
      ['b.csv.gz', 1, cad.length],
      ['c.csv', 2, renamed.length],
    ])
    expect(found['currencies']).to.deep.equal([
      { currency: 'USD', billed: '140.000000002' },
      { currency: 'CAD', billed: '100' },
    ])
    expect(found['periods'].map((p: any) => [p.period, p.from, p.to, p.lines, p.billedUSD])).to.deep.equal([
      ['2024-09', '2024-09-19', '2024-09-30', 3, '153'],
      ['2024-10', '2024-10-01', '2024-10-01', 2, '60.000000002'],
    ])
    await applied(org, found['id'])
    await reach('213.000000002', 5)
  })

  it('counts a line once that two of its files say, as the later one says it', async () => {
    const of = (cost: string) =>
      csv({
        'lineItem/UnblendedCost': cost,
        'lineItem/UsageStartDate': '2024-09-19T00:00:00Z',
        'lineItem/LineItemType': 'Usage',
        'lineItem/CurrencyCode': 'USD',
        'lineItem/UsageAccountId': '1',
        'identity/LineItemId': 'x',
        'identity/TimeInterval': '2024-09-19T00:00:00Z/2024-09-19T01:00:00Z',
        'product/ProductName': 'S3',
      })
    const found = taken(await upload(org, { 'a.csv': of('40'), 'b.csv': of('25') }, at(monday)))
    expect([found['rows'], found['periods'][0].lines, found['periods'][0].billedUSD]).to.deep.equal([2, 1, '25'])
  })

  it('has no bill where no row is accepted, and none is applied', async () => {
    const found = taken(await upload(org, csv(focusRow('i-1', 'much')), at(monday)))
    expect([found['state'], found['accepted'], found['periods']]).to.deep.equal(['ready', 0, []])
    const { status, body } = await org.send('POST', `/billing/uploads/${found['id']}/apply`, {})
    expect([status, body.code]).to.deep.equal([409, 'upload_empty'])
  })

  it('that cannot be read says which file and where, and leaves nothing that counts', async () => {
    const good = four('40', '30')
    const broken = `${good}"2024`
    const cut = new Uint8Array(gzipSync(four(...Array.from({ length: 60 }, (_, n) => `${n % 9}`))).subarray(0, -20))
    const cases: [Parameters<typeof upload>[1], number, string, RegExp][] = [
      [{ 'a.csv': good, 'b.csv': '' }, 422, 'file_empty', /^b\.csv: The file has no header and no rows\./],
      [{ 'a.csv': good, 'b.pdf': '%PDF-1.7' }, 422, 'file_format', /^b\.pdf: The file is a PDF document/],
      [{ 'a.csv': good, 'b.csv': 'x,y\n1,2\n' }, 422, 'format_unknown', /^b\.csv: The columns, between commas/],
      [{ 'a.csv': broken }, 422, 'csv_invalid', /^a\.csv: The CSV is broken: .*It broke behind row 2 of it/],
      [{ 'a.csv.gz': cut }, 422, 'gzip_invalid', /^a\.csv\.gz: The gzip data is broken or cut/],
      [{}, 400, 'validation_failed', /file/],
    ]
    for (const [files, status, code, detail] of cases) {
      const answer = await upload(org, files, at(monday))
      expect([answer.status, answer.body.code], answer.body.detail).to.deep.equal([status, code])
      expect(answer.body.detail).to.match(detail)
    }
    const { items, total } = (await org.get('/billing/uploads')).body.data
    expect([total, items.map(({ state }: any) => state)]).to.deep.equal([6, cases.map(() => 'broken')])
    expect(items[0].message).to.match(/file/)
    const { status, body } = await org.send('POST', `/billing/uploads/${items[0].id}/apply`, { confirm: true })
    expect([status, body.code]).to.deep.equal([409, 'upload_broken'])
    expect(await shows()).to.deep.equal(['0', 0])
  })

  it('refuses what is asked wrongly', async () => {
    const ask = (query: Record<string, string>) => upload(org, four('1'), { query })
    expect(refusal(await ask({ rate: 'CAD' }))[1]).to.equal('validation_failed')
    expect(refusal(await ask({ rate: 'CAD=0' }))).to.deep.equal([
      400,
      'validation_failed',
      'query rate: must look like CAD=0.73, not CAD=0',
    ])
    expect(refusal(await ask({ exported_at: '2999-01-01T00:00:00Z' }))).to.deep.equal([
      400,
      'validation_failed',
      'query exported_at: is more than a day from now',
    ])
    expect(refusal(await ask({ format: 'excel' }))[0]).to.equal(400)
    expect((await org.get('/billing/uploads')).body.data.total).to.equal(0)
  })

  it('is discarded for good, and its lines are swept', async () => {
    const { id } = taken(await upload(org, four('40', '30'), at(monday)))
    expect((await org.send('DELETE', `/billing/uploads/${id}`)).status).to.equal(204)
    expect((await org.send('DELETE', `/billing/uploads/${id}`)).status).to.equal(204)
    expect((await one(id)).state).to.equal('discarded')
    const { status, body } = await org.send('POST', `/billing/uploads/${id}/apply`, { confirm: true })
    expect([status, body.code]).to.deep.equal([409, 'upload_discarded'])
    expect(await shows()).to.deep.equal(['0', 0])
    const stored = async () =>
      Number((await org.facts(`SELECT count() AS n FROM bill_line WHERE x_OrgId = {org:String}`))[0].n)
    const kept = taken(await upload(org, four('1'), at(tuesday)))
    expect(await stored()).to.equal(3)
    await sweepReplaced(org.connections)
    expect(await stored()).to.equal(1)
    await applied(org, kept['id'])
    await reach('1', 1)
    expect((await org.send('DELETE', `/billing/uploads/${kept['id']}`)).body.code).to.equal('upload_applied')
  })

  it('is applied once, however often and by however many', async () => {
    const { id } = taken(await upload(org, four('40', '30'), at(monday)))
    const all = await Promise.all(
      Array.from({ length: 4 }, () => org.send('POST', `/billing/uploads/${id}/apply`, { confirm: true })),
    )
    expect(all.map(({ status }) => status)).to.deep.equal([202, 202, 202, 202])
    expect(new Set(all.map(({ body }) => body.data.appliedAt)).size).to.equal(1)
    expect((await ended(org, id))['state']).to.equal('replaced')
    expect((await org.send('POST', `/billing/uploads/${id}/apply`, {})).body.data.state).to.equal('replaced')
    const rows = await org.connections.store.rows<{ told: unknown[] }>(
      `select bills -> 'told' as told from cloud_account where org_id = $1`,
      [org.orgId],
    )
    expect(rows.map(({ told }) => told.length)).to.deep.equal([1])
  })

  it('is nobody else’s, and of accounts one may see', async () => {
    const { id } = taken(await upload(org, four('40'), at(monday)))
    const other = await tenant()
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/apply'],
    ] as const) {
      const { status, body } = await other.send(method, `/billing/uploads/${id}${path}`)
      expect([status, body.code], `${method} ${path}`).to.deep.equal([404, 'not_found'])
    }
    expect((await other.get('/billing/uploads')).body.data.total).to.equal(0)
    const viewer = await org.tokenFor('viewer')
    const refused = await upload(org, four('1'), { token: viewer })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'forbidden'])
    expect((await one(id)).state).to.equal('ready')
  })
})
