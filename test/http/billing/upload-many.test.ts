// tier: deep
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import {
  applied,
  billed,
  daily,
  ended,
  focusRow,
  openUpload,
  reachBilled,
  taken,
  upload,
} from '#test/harness/bill-upload.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { csv } from '#test/streams/billing/reading.ts'

const [monday, tuesday] = ['2024-10-07T03:00:00.000Z', '2024-10-08T03:00:00.000Z']
const at = (exported_at: string) => ({ query: { exported_at } })

describe('a bill that is uploaded', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const shows = () => billed(org)
  const reach = (usd: string, lines: number) => reachBilled(org, usd, lines)
  const one = async (id: string) => (await org.get(`/billing/uploads/${id}`)).body.data

  /** More than is read before a file is known for what it is. */
  const many = Array.from({ length: 1500 }, (_, n) => focusRow(`i-${n}`, '1'))
  /** Runs `work` while no lane commits: whoever looks meanwhile sees nothing of what is sent. */
  const unread = async (work: () => Promise<void>) => {
    const client = await org.connections.store.pool.connect()
    try {
      await client.query('begin')
      await client.query('select from lane for update')
      await work()
    } finally {
      await client.query('rollback')
      client.release()
    }
  }

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

  it('that was held because another came between is taken once it is confirmed', async () => {
    const small = taken(await upload(org, daily('10'), at(tuesday)))
    const large = taken(await upload(org, daily('40', '30', '20', '10'), at(monday)))
    await unread(async () => {
      for (const { id } of [large, small]) {
        expect((await org.send('POST', `/billing/uploads/${id}/apply`, {})).status).to.equal(202)
        await until('its end is sent', async () => {
          const rows = await org.connections.store.rows('select key from effect where org_id = $1', [org.orgId])
          return rows.length === 0
        })
      }
    })
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
      { currency: 'CAD', billed: '100' },
      { currency: 'USD', billed: '140.000000002' },
    ])
    expect(found['periods'].map((p: any) => [p.period, p.from, p.to, p.lines, p.billedUSD])).to.deep.equal([
      ['2024-09', '2024-09-19', '2024-09-30', 3, '153'],
      ['2024-10', '2024-10-01', '2024-10-01', 2, '60.000000002'],
    ])
    await applied(org, found['id'])
    await reach('213.000000002', 5)
  })

  it('may be Parquet or an archive, and counts a file that comes twice once, which it says', async () => {
    const fixture = (name: string) =>
      new Uint8Array(readFileSync(new URL(`../../streams/billing/fixtures/${name}`, import.meta.url)))
    const one = csv(focusRow('i-1', '10'), focusRow('i-2', '11'))
    const windows = new Uint8Array(Buffer.from(csv(focusRow('M\u00fcller', '1')), 'latin1'))
    const files = {
      'a.csv': one,
      'a.csv.gz': new Uint8Array(gzipSync(one)),
      'bills.zip': fixture('bills.zip'),
      'focus.parquet': fixture('focus.zstd.parquet'),
      'windows.csv': windows,
    }
    const found = taken(await upload(org, files, { account: 'twice' }))
    expect(
      found['files'].map(({ name, rows, warnings = [] }: any) => [name, rows, ...warnings.map((w: any) => w.code)]),
    ).to.deep.equal([
      ['a.csv', 2],
      ['a.csv.gz', 0, 'file_duplicate'],
      ['bills.zip/README.txt', 0, 'file_skipped'],
      ['bills.zip/3.json', 1],
      ['bills.zip/4.parquet', 2],
      ['bills.zip/5.csv', 1],
      ['bills.zip/week/1.csv', 1],
      ['bills.zip/week/2.csv.gz', 1],
      ['focus.parquet', 0, 'file_duplicate'],
      ['windows.csv', 1, 'encoding_windows_1252'],
    ])
    expect(found['files'][1].warnings[0].message).to.equal('Skipped: identical to a.csv.')
    expect(found['currencies']).to.deep.equal([{ currency: 'USD', billed: '33.30000000000001' }])
    const cut = await upload(
      org,
      { 'cut.parquet': fixture('focus.zstd.parquet').subarray(0, 2000) },
      { account: 'twice' },
    )
    expect([cut.status, cut.body.code, cut.body.file]).to.deep.equal([422, 'parquet_invalid', 'cut.parquet'])
  })

  it('can be seen while it arrives, and discarded', async () => {
    const under = openUpload(org)
    await under.write(csv(...many, focusRow('i-1', 'much'), ...many))
    const first = async () => (await org.get('/billing/uploads')).body.data.items[0]
    await until('a row is refused', async () => (await first())?.refusedRows === 1)
    const { state, files, periods } = await first()
    expect([state, files[0].name, files[0].rows > many.length, periods[0].lines >= many.length]).to.deep.equal([
      'reading',
      'bill',
      true,
      true,
    ])
    const { id } = await first()
    expect((await org.send('POST', `/billing/uploads/${id}/apply`, {})).body.code).to.equal('upload_not_read')
    expect((await org.send('DELETE', `/billing/uploads/${id}`)).status).to.equal(204)
    under.end()
    const { status, body } = await under.answer
    expect([status, body.code, (await first()).state]).to.deep.equal([409, 'upload_discarded', 'discarded'])
  })

  it('whose client hangs up is broken, and so is one that nobody reads any more', async () => {
    const under = openUpload(org)
    await under.write(csv(...many))
    const first = async () => (await org.get('/billing/uploads')).body.data.items[0]
    await until('it has begun', async () => (await first())?.rows >= 1)
    under.hangUp()
    await until('it is broken', async () => (await first()).state === 'broken')
    expect((await first()).message).to.match(/incomplete/)
    const heard = (seconds: number) =>
      org.connections.store.rows(`update bill_upload set state = 'reading', heard_at = $2 where org_id = $1`, [
        org.orgId,
        new Date(org.connections.clock.now() - seconds * 1000),
      ])
    await heard(45)
    expect((await first()).state).to.equal('reading')
    await heard(61)
    expect((await first()).state).to.equal('broken')
    expect(await shows()).to.deep.equal(['0', 0])
  })

  it('is one of four that are read at once', async () => {
    const running = Array.from({ length: 4 }, () => openUpload(org))
    for (const one of running) await one.write(daily('1'))
    await until('four are read', async () => (await org.get('/billing/uploads')).body.data.total === 4)
    const { status, headers, body } = await upload(org, daily('1'))
    expect([status, body.code, headers.get('retry-after')]).to.deep.equal([429, 'too_many_uploads', '10'])
    for (const one of running) one.end()
    for (const one of running) expect((await one.answer).status).to.equal(201)
    expect((await upload(org, daily('1'))).status).to.equal(201)
  })
})
