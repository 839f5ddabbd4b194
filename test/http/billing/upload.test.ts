import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { sweepReplaced } from '#config/upkeep/sweep-bills.ts'
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
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { csv } from '#test/streams/billing/reading.ts'

const [sunday, monday, tuesday] = ['06', '07', '08'].map((day) => `2024-10-${day}T03:00:00.000Z`) as [
  string,
  string,
  string,
]
const forgotten =
  'The account has no record of this upload. It was disconnected, or its bills were removed, before the result was known.'
const at = (exported_at: string) => ({ query: { exported_at } })

describe('a bill that is uploaded', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const shows = () => billed(org)
  const reach = (usd: string, lines: number) => reachBilled(org, usd, lines)
  const refusal = ({ status, body }: Answer) => [status, body.code, body.detail]
  const one = async (id: string) => (await org.get(`/billing/uploads/${id}`)).body.data

  it('says what it is of and what it would replace, and shows nothing before it is applied', async () => {
    const answer = await upload(org, { 'september.csv': daily('40', '30', '20', '10.5') }, at(monday))
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
      files: [{ name: 'september.csv', bytes: daily('40', '30', '20', '10.5').length, rows: 4, format: 'focus' }],
      rows: 4,
      accepted: 4,
      refusedRows: 0,
      roundedRows: 0,
      refused: [],
      warnings: [],
      currencies: [{ currency: 'USD', billed: '100.5' }],
      periods: [
        {
          ...period,
          standing: null,
          replaces: false,
          lessThanHalf: false,
          someDays: false,
          daysLost: [],
          repeats: null,
          zerosAdded: [],
          before: null,
          after: null,
        },
      ],
      confirm: [],
      appliedAt: null,
    })
    expect(file.rows).to.equal(4)
    expect(await shows()).to.deep.equal(['0', 0])
    const end = await applied(org, id)
    expect([end['state'], end['periods'][0].after]).to.deep.equal(['replaced', figures])
    expect((await org.send('DELETE', `/billing/uploads/${id}`)).body.code).to.equal('upload_applied')
    // What is said to have replaced is what reports show.
    const { body } = await org.get('/reports/summary?period=2024-09')
    expect(body.data.totalCostUSD).to.equal(100.5)
  })

  it('replaces the bill of before by one of less than half where that is confirmed, and never by an older one', async () => {
    await applied(org, taken(await upload(org, daily('40', '30', '20', '10'), at(monday)))['id'])
    const old = taken(await upload(org, daily('1', '2', '3'), at(sunday)))
    expect(old['periods'][0]).to.deep.include({
      lines: 3,
      billedUSD: '6',
      standing: { lines: 4, billedUSD: '100', exportedAt: monday, whole: true },
      replaces: false,
      lessThanHalf: false,
    })
    expect((await applied(org, old['id']))['state']).to.equal('over')
    const less = taken(await upload(org, daily('49.99'), at(tuesday)))
    expect(less['periods'][0]).to.deep.include({ replaces: true, lessThanHalf: true })
    expect(less['periods'][0].standing, 'as before the older one').to.deep.include({ lines: 4, billedUSD: '100' })
    expect(less['confirm']).to.deep.equal(['less_than_half', 'days_lost'])
    const refused = await org.send('POST', `/billing/uploads/${less['id']}/apply`, { confirm: false })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'bill_less_than_half'])
    expect((await applied(org, less['id'], { confirm: true }))['state']).to.equal('replaced')
    await reach('49.99', 1)
  })

  deepIt(
    'replaces its own days alone where that is said, and is refused where days would be lost and nobody said how',
    async () => {
      await applied(org, taken(await upload(org, daily('40', '30', '20', '10'), at(monday)))['id'])
      const part = taken(await upload(org, daily('41', '31', '21'), at(tuesday)))
      expect(part['periods'][0]).to.deep.include({ lessThanHalf: false, someDays: false, daysLost: ['2024-09-22'] })
      expect(part['confirm']).to.deep.equal(['days_lost'])
      const refused = await org.send('POST', `/billing/uploads/${part['id']}/apply`, {})
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'bill_days_lost'])
      const end = await applied(org, part['id'], { days: 'own' })
      expect([end['state'], end['periods'][0].before, end['periods'][0].after]).to.deep.equal([
        'replaced',
        { lines: 3, billedUSD: '90' },
        { lines: 3, billedUSD: '93' },
      ])
      await reach('103', 4)
      const whole = taken(await upload(org, daily('42', '32', '22'), at('2024-10-09T03:00:00.000Z')))
      await applied(org, whole['id'], { days: 'whole' })
      await reach('96', 3)
    },
  )

  deepIt('counts a bill that another account has only where that is confirmed [G-116]', async () => {
    const of = (cost: string, sub: string) => focusRow(`i-${sub}`, cost, '2024-09-19', { SubAccountId: sub })
    const bill = csv(of('40', '11111111111'), of('30', '222222222222'), of('5', '333333333333'))
    await applied(org, taken(await upload(org, bill, at(monday)))['id'])
    await reach('75', 3)
    const other = csv(of('40', '011111111111'), of('30', '222222222222'), of('9', '444444444444'))
    const again = taken(await upload(org, other, { account: 'b', ...at(monday) }))
    expect(again['periods'][0]).to.deep.include({
      repeats: { cloudAccountID: 'a', accounts: 2, of: 3 },
      zerosAdded: [],
    })
    expect(again['confirm']).to.deep.equal(['other_account'])
    const refused = await org.send('POST', `/billing/uploads/${again['id']}/apply`, {})
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'bill_of_other_account'])
    expect((await applied(org, again['id'], { confirm: true }))['state']).to.equal('replaced')
    await reach('154', 6)
    const half = csv(of('40', '011111111111'), of('9', '555555555555'))
    expect(taken(await upload(org, half, { account: 'c', ...at(monday) }))['periods'][0].repeats).to.equal(null)
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
    const good = daily('40', '30')
    const broken = `${good}"2024`
    const cut = new Uint8Array(gzipSync(daily(...Array.from({ length: 60 }, (_, n) => `${n % 9}`))).subarray(0, -20))
    const cases: [Parameters<typeof upload>[1], number, string, RegExp][] = [
      [{ 'a.csv': good, 'b.csv': '' }, 422, 'file_empty', /^b\.csv: The file has no header and no rows\./],
      [{ 'a.csv': good, 'b.pdf': '%PDF-1.7' }, 422, 'file_format', /^b\.pdf: The file is a PDF document/],
      [{ 'a.csv': good, 'b.csv': 'x,y\n1,2\n' }, 422, 'format_unknown', /^b\.csv: The columns, separated by commas/],
      [{ 'a.csv': broken }, 422, 'csv_invalid', /^a\.csv: The CSV is invalid: Quote Not Closed.* line 4/],
      [{ 'a.csv.gz': cut }, 422, 'gzip_invalid', /^a\.csv\.gz: The gzip data is corrupt or truncated/],
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
    const given = (query: Record<string, string>) => upload(org, daily('1'), { query })
    expect(refusal(await given({ rate: 'CAD' }))[1]).to.equal('validation_failed')
    expect(refusal(await given({ rate: 'CAD=0' }))).to.deep.equal([
      400,
      'validation_failed',
      'query rate: must have the form CAD=0.73, got CAD=0',
    ])
    expect(refusal(await given({ exported_at: '2999-01-01T00:00:00Z' }))).to.deep.equal([
      400,
      'validation_failed',
      'query exported_at: must be at most one day in the future',
    ])
    expect(refusal(await given({ format: 'excel' }))[0]).to.equal(400)
    expect((await org.get('/billing/uploads')).body.data.total).to.equal(0)
  })

  deepIt('is discarded for good, and its lines are swept', async () => {
    const { id } = taken(await upload(org, daily('40', '30'), at(monday)))
    expect((await org.send('DELETE', `/billing/uploads/${id}`)).status).to.equal(204)
    expect((await org.send('DELETE', `/billing/uploads/${id}`)).status).to.equal(204)
    expect((await one(id)).state).to.equal('discarded')
    const { status, body } = await org.send('POST', `/billing/uploads/${id}/apply`, { confirm: true })
    expect([status, body.code]).to.deep.equal([409, 'upload_discarded'])
    expect(await shows()).to.deep.equal(['0', 0])
    const stored = async () =>
      Number((await org.facts(`SELECT count() AS n FROM bill_line WHERE x_OrgId = {org:String}`))[0].n)
    const kept = taken(await upload(org, daily('1'), at(tuesday)))
    expect(await stored()).to.equal(3)
    await sweepReplaced(org.connections)
    expect(await stored()).to.equal(1)
    expect((await one(kept['id'])).state).to.equal('ready')
  })

  it('is applied once, however often and by however many', async () => {
    const { id } = taken(await upload(org, daily('40', '30'), at(monday)))
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

  it('is broken where applying it was dead-lettered, or its account knows nothing of it, and says why', async () => {
    const { id } = taken(await upload(org, daily('40', '30'), at(monday)))
    const set = (what: string) =>
      org.connections.store.rows(`update bill_upload set ${what}, message = null where id = $1`, [id])
    await set(`exported_at = '2999-01-01T00:00:00Z'`)
    const lost = await applied(org, id)
    expect([lost['state'], lost['message']]).to.deep.equal([
      'broken',
      'Applying it was dead-lettered: exportedAt must not be more than a day in the future: 2999-01-01T00:00:00.000Z',
    ])
    expect((await org.send('DELETE', `/billing/uploads/${id}`)).body.code).to.equal('upload_applied')
    await set(`state = 'applying', lanes = '[]', confirmed = true`)
    const unknown = await ended(org, id)
    expect([unknown['state'], unknown['message']]).to.deep.equal(['broken', forgotten])
  })

  deepIt('is said to have replaced once reports show it, though lines of its days keep coming', async () => {
    const { id } = taken(await upload(org, daily('40'), at(monday)))
    await applied(org, id)
    const rows = (query: string, params: unknown[]) => org.connections.store.rows(query, params)
    // The mark of a day that is marked again before each run ends: no engine has its lane.
    const mark = () => rows(`insert into mark values ('cost-day', $1, 'a|2024-09-19', 999, 1)`, [org.orgId])
    await billed(org)
    await mark()
    await rows(`update bill_upload set state = 'applying', generation = null where id = $1`, [id])
    for (let times = 0; times < 2; times++) expect((await one(id)).state).to.equal('applying')
    const [{ since }] = (await rows('select generation as since from bill_upload where id = $1', [id])) as [
      { since: string },
    ]
    await rows('delete from mark where org_id = $1', [org.orgId])
    const line = { lineId: 'x', cloudAccountId: 'a', provider: 'aws', usageDate: '2024-09-19', costUSD: 1 }
    await org.publish(billingLine, [{ ...line, exportedAt: monday }])
    const sql = `SELECT max(generation) AS newest FROM cost_day WHERE org_id = {org:String} AND day = '2024-09-19'`
    await until('the day to be added up', async () => BigInt((await org.facts(sql))[0].newest) > BigInt(since))
    await billed(org)
    await mark()
    expect((await one(id)).state).to.equal('replaced')
  })

  it('of more bytes than the operator allows is refused before it is sent', async () => {
    const under = openUpload(org, { bytes: 5 * 1024 ** 3 + 1 })
    await under.write('BilledCost')
    const { status, body } = await under.answer
    under.hangUp()
    expect([status, body.code]).to.deep.equal([413, 'body_too_large'])
    expect((await org.get('/billing/uploads')).body.data.total).to.equal(0)
  })

  it('is ready once all its lines have been read, and broken where some were set aside', async () => {
    const { id } = taken(await upload(org, daily('40', '30'), at(monday)))
    const set = (what: string) =>
      org.connections.store.rows(`update bill_upload set ${what}, state = 'storing' where id = $1`, [id])
    await set(`periods = jsonb_set(periods, '{0,billed}', 'null')`)
    const ready = await one(id)
    expect([ready.state, ready.periods[0].billedUSD]).to.deep.equal(['ready', '70'])
    await set(`periods = jsonb_set(periods, '{0,lines}', '3')`)
    const broken = await one(id)
    expect([broken.state, broken.message]).to.deep.equal([
      'broken',
      'Some lines were dead-lettered. See the dead letters for the reasons.',
    ])
  })

  it('is forgotten after 30 days, once none of its lines is stored any more', async () => {
    const { id } = taken(await upload(org, daily('40'), at(monday)))
    await org.connections.store.rows(
      `update bill_upload set expires_at = expires_at - interval '32 days' where id = $1`,
      [id],
    )
    expect((await org.get(`/billing/uploads/${id}`)).status).to.equal(404)
    const rows = () => org.connections.store.rows('select id from bill_upload where id = $1', [id])
    await sweepReplaced(org.connections)
    expect(await rows()).to.have.length(1)
    await sweepReplaced(org.connections)
    expect(await rows()).to.have.length(0)
    const [stored] = await org.facts(`SELECT count() AS n FROM bill_line WHERE x_OrgId = {org:String}`)
    expect(Number(stored.n)).to.equal(0)
  })

  it('may be of accounts that the caller sees, and of no others; it is nobody else’s', async () => {
    const rights = { permissions: ['service.view', 'space.update', 'space.delete'] }
    const reportScope = { all: false, cloudAccountIDs: ['a'], teamIDs: [] }
    const role = await org.send('POST', '/roles', { name: 'Of one account', ...rights, reportScope })
    const { accessToken: token } = await colleague(
      { accessToken: org.token, orgId: org.orgId } as Founder,
      role.body.data.id,
    )
    const refused = await upload(org, daily('1'), { token, account: 'b' })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'report_scope'])
    const own = taken(await upload(org, daily('1'), { token }))
    const foreign = taken(await upload(org, daily('2'), { account: 'b' }))
    const other = await tenant()
    const { body } = await ask('GET', '/billing/uploads', { token })
    expect(body.data.items.map(({ id }: any) => id)).to.deep.equal([own['id']])
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/apply'],
    ] as const) {
      for (const by of [token, other.token]) {
        const { status, body } = await ask(method, `/billing/uploads/${foreign['id']}${path}`, { token: by })
        expect([status, body.code], `${method} ${path}`).to.deep.equal([404, 'not_found'])
      }
    }
    expect((await other.get('/billing/uploads')).body.data.total).to.equal(0)
    expect((await one(foreign['id'])).state).to.equal('ready')
    const viewer = await org.tokenFor('viewer')
    const unwritten = await upload(org, daily('1'), { token: viewer })
    expect([unwritten.status, unwritten.body.code]).to.deep.equal([403, 'forbidden'])
    const withTeam = { reportScope: { ...reportScope, teamIDs: ['team'] } }
    expect((await org.send('PATCH', `/roles/${role.body.data.id}`, withTeam)).status).to.equal(200)
    // Tags of its lines could move shared costs of others to the team.
    const tagged = [
      await upload(org, daily('1'), { token }),
      await ask('POST', `/billing/uploads/${own['id']}/apply`, { token }),
    ]
    for (const { status, body } of tagged) expect([status, body.code]).to.deep.equal([403, 'report_scope'])
    await org.send('PATCH', `/roles/${role.body.data.id}`, { reportScope })
    expect((await ask('POST', `/billing/uploads/${own['id']}/apply`, { token })).status).to.equal(202)
  })
})
