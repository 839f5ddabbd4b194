import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { timeOf, valueOf } from '#streams/unit-metric.ts'
import { answerOf, tenant, type Answer, type Tenant, until } from '#test/harness/product.ts'
import { amount } from '#test/harness/tier.ts'

const orders = { name: 'Orders', key: 'orders', unit: 'order', ingestion: 'csv', aggregation: 'sum' }
/** Nobody listens there. */
const nowhere = 'https://127.0.0.1:9'
const pull = { url: `${nowhere}/orders`, timestampField: 'day', valueField: 'count', intervalMinutes: 60 }
const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

describe('unit metrics', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const define = async (more: object = {}): Promise<any> => {
    const { status, body } = await org.send('POST', '/unit-metrics', { ...orders, ...more })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.data
  }
  const upload = async (id: string, body: string | FormData, headers: Record<string, string> = {}): Promise<Answer> =>
    answerOf(
      await fetch(`${org.url}/unit-metric-values/${id}/csv`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${org.token}`, ...headers },
        body,
      }),
    )
  const csv = (id: string, text: string) => upload(id, text, { 'Content-Type': 'text/csv' })
  const file = (text: string, name = 'file') => {
    const form = new FormData()
    form.append('note', 'monthly')
    form.append(name, new Blob([text], { type: 'text/csv' }), 'values.csv')
    return form
  }
  const stored = () =>
    org.facts(
      `SELECT toString(ts) AS ts, value FROM unit_metric_values WHERE org_id = {org:String} ORDER BY ts`,
    ) as Promise<{ ts: string; value: number }[]>
  const errors = ({ status, body }: Answer) => [status, body.errors?.map((e: { name: string }) => e.name) ?? body.code]

  it('are defined with each kind of ingestion, and shown as they were defined [UNIT-06]', async () => {
    const pushed = await define({ key: 'pushed', ingestion: 'push', costScope: { tags: { env: 'prod' } } })
    const uploaded = await define()
    const headers = { Authorization: 'Bearer secret-1' }
    const pulled = await define({ key: 'pulled', name: 'Pulled', ingestion: 'pull', pull: { ...pull, headers } })
    const fixed = { orgID: org.orgId, unit: 'order', aggregation: 'sum', lastIngestedAt: null, pullFailure: null }
    const shown = { ...pull, method: 'GET', rowsPath: '' }
    const { id, createdAt, updatedAt, ...rest } = pushed
    expect(rest).to.deep.equal({
      ...fixed,
      name: 'Orders',
      key: 'pushed',
      ingestion: 'push',
      pull: null,
      costScope: { providers: [], teamIDs: [], tags: { env: 'prod' } },
    })
    expect([createdAt, updatedAt].every((at: string) => rfc3339.test(at) && at === createdAt)).to.equal(true)
    expect(uploaded).to.include({ key: 'orders', ingestion: 'csv', pull: null, costScope: null })
    expect(pulled.pull).to.deep.equal(shown)
    const list = (await org.get('/unit-metrics?limit=2')).body.data
    expect(list).to.deep.include({ total: 3, page: 1, limit: 2, hasMore: true })
    expect(list.items.map((m: { key: string }) => m.key).toSorted()).to.deep.equal(['orders', 'pushed'])
    expect((await org.get('/unit-metrics?search=PULL')).body.data.items[0].id).to.equal(pulled.id)
    expect((await org.get(`/unit-metrics/${id}`)).body.data).to.deep.equal(pushed)
    const { rows } = await org.connections.store.pool.query('select * from unit_metric where id = $1', [pulled.id])
    expect(JSON.stringify([rows, list, pulled])).not.to.include('secret-1')
  })

  it('have a key of their own [UNIT-06]', async () => {
    await define()
    const other = await define({ key: 'other' })
    expect((await org.send('POST', '/unit-metrics', orders)).status).to.equal(409)
    expect((await org.send('PUT', `/unit-metrics/${other.id}`, { key: 'orders' })).body.code).to.equal('already_exists')
    const stranger = await tenant()
    expect((await stranger.send('POST', '/unit-metrics', orders)).status).to.equal(201)
  })

  for (const [what, more, name] of [
    ['a key that is no slug', { key: 'My Orders' }, '/key'],
    ['a pull without where from', { ingestion: 'pull' }, '/pull'],
    ['a pull of what is pushed', { pull }, '/pull'],
    ['a pull every 14 minutes', { ingestion: 'pull', pull: { ...pull, intervalMinutes: 14 } }, '/pull/intervalMinutes'],
    ['a pull by ftp', { ingestion: 'pull', pull: { ...pull, url: 'ftp://example.com' } }, '/pull/url'],
    [
      'a password in the address',
      { ingestion: 'pull', pull: { ...pull, url: 'https://u:p@example.com' } },
      '/pull/url',
    ],
  ] as const)
    it(`are refused with ${what} [UNIT-06]`, async () => {
      const answer = await org.send('POST', '/unit-metrics', { ...orders, ...more })
      expect(answer.status).to.equal(400)
      expect(answer.body.errors.map((e: { name: string }) => e.name)).to.include(name)
    })

  it('refuse headers that are not theirs to set [UNIT-06]', async () => {
    for (const name of ['Host', 'content-length', 'Proxy-Authorization', 'a b']) {
      const headers = { [name]: 'x' }
      const body = { ...orders, ingestion: 'pull', pull: { ...pull, headers } }
      expect((await org.send('POST', '/unit-metrics', body)).status, name).to.equal(400)
    }
  })

  it('change in what is said, and lose the pull with its ingestion [UNIT-06]', async () => {
    const headers = { 'X-Key': 'k' }
    const { id, ...before } = await define({ ingestion: 'pull', pull: { ...pull, headers } })
    const put = async (body: object) => (await org.send('PUT', `/unit-metrics/${id}`, body)).body.data
    const hasHeaders = async () =>
      (await org.connections.store.pool.query('select pull_headers from unit_metric where id = $1', [id])).rows[0]
        .pull_headers !== null
    const { updatedAt, ...renamed } = await put({ name: 'Sales' })
    const untold = { updatedAt: before.updatedAt, pullFailure: null }
    expect({ ...renamed, ...untold }).to.deep.equal({ ...before, id, name: 'Sales' })
    expect(updatedAt >= before.updatedAt).to.equal(true)
    await put({ pull: { ...pull, url: `${nowhere}/v2` } })
    expect(await hasHeaders()).to.equal(true)
    await put({ pull: { ...pull, url: 'https://127.0.0.1:10/v2' } })
    expect(await hasHeaders()).to.equal(false)
    expect(await put({ ingestion: 'push' })).to.include({ ingestion: 'push', pull: null })
    const feed = 'select interval_minutes, next_pull_at from unit_metric_feed where metric_id = $1'
    const { rows } = await org.connections.store.pool.query(feed, [id])
    expect(rows).to.deep.equal([{ interval_minutes: null, next_pull_at: null }])
  })

  it('are nobody else’s, and gone once they are deleted [UNIT-06]', async () => {
    const { id } = await define()
    const stranger = await tenant()
    const asked = [
      ...(['GET', 'DELETE'] as const).map((method) => stranger.send(method, `/unit-metrics/${id}`)),
      stranger.send('PUT', `/unit-metrics/${id}`, { name: 'Mine' }),
      stranger.send('POST', `/unit-metric-values/${id}`, { values: [{ timestamp: '2026-01-01', value: 1 }] }),
      stranger.send('POST', `/unit-metric-values/${id}/test-pull`),
      stranger.send('DELETE', `/unit-metric-values/${id}`),
      org.get('/unit-metrics/none'),
    ]
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal(Array(7).fill(404))
    expect((await org.send('DELETE', `/unit-metrics/${id}`)).status).to.equal(204)
    expect((await org.get(`/unit-metrics/${id}`)).status).to.equal(404)
    expect((await csv(id, 'timestamp,value\n2026-01-01,1')).status).to.equal(404)
  })

  it('take what is pushed, the last of several for one time, and replace what is known [UNIT-01][UNIT-03]', async () => {
    const { id } = await define({ ingestion: 'push' })
    const push = async (...values: [string, number][]) => {
      const body = { values: values.map(([timestamp, value]) => ({ timestamp, value })) }
      return (await org.send('POST', `/unit-metric-values/${id}`, body)).body.data
    }
    const first = await push(['2026-01-01', 1], ['2026-01-02T10:30:00Z', 2.5], ['2026-01-03T00:00:00+02:00', -3])
    expect(first).to.deep.equal({ ingested: 3 })
    const second = await push(['2026-01-01T00:00:00Z', 7], ['2026-01-01', 8], ['2026-01-04', 4])
    expect(second).to.deep.equal({ ingested: 2 })
    expect(await stored()).to.deep.equal([
      { ts: '2026-01-01 00:00:00.000', value: 8 },
      { ts: '2026-01-02 10:30:00.000', value: 2.5 },
      { ts: '2026-01-02 22:00:00.000', value: -3 },
      { ts: '2026-01-04 00:00:00.000', value: 4 },
    ])
    expect((await org.get(`/unit-metrics/${id}`)).body.data.lastIngestedAt).to.match(rfc3339)
  })

  it('take 1 to 5000 values at once, all or none, and name those that are wrong [UNIT-01]', async () => {
    const { id } = await define()
    const push = (values: unknown[]) => org.send('POST', `/unit-metric-values/${id}`, { values })
    const at = (n: number) => ({ timestamp: new Date(1_767_225_600_000 + n * 60_000).toISOString(), value: n })
    const many = Array.from({ length: 5001 }, (_, n) => at(n))
    expect(errors(await push([]))).to.deep.equal([400, ['/values']])
    expect(errors(await push(many))).to.deep.equal([400, ['/values']])
    const wrong = [at(0), { timestamp: '2026-02-30', value: 1 }, { timestamp: 'today', value: 1 }]
    expect(errors(await push(wrong))).to.deep.equal([400, ['/values/1/timestamp', '/values/2/timestamp']])
    expect(await stored()).to.deep.equal([])
    expect((await push(many.slice(0, 5000))).body.data).to.deep.equal({ ingested: 5000 })
    expect(await stored()).to.have.lengthOf(5000)
  })

  it('take one CSV file, in a form or as the body [UNIT-02]', async () => {
    const { id } = await define()
    const rows = [1, 2, 3, 4, 5].map((n) => `2026-01-0${n},${n}`)
    const inForm = await upload(id, file(`\ufefftimestamp,value\r\n${rows.join('\r\n')}\r\n`))
    expect([inForm.status, inForm.body]).to.deep.equal([200, { data: { ingested: 5 } }])
    expect(await stored()).to.have.lengthOf(5)
    const again = await csv(id, 'Timestamp, VALUE\n"2026-01-05","6.5"\n\n2026-01-05,7e0\n')
    expect([again.status, again.body]).to.deep.equal([200, { data: { ingested: 1 } }])
    expect((await stored()).map(({ value }) => value)).to.deep.equal([1, 2, 3, 4, 7])
  })

  it('refuse any other number of files, and other names for it [UNIT-02]', async () => {
    const { id } = await define()
    const text = 'timestamp,value\n2026-01-01,1\n'
    const two = file(text)
    two.append('file', new Blob([text]), 'more.csv')
    const none = new FormData()
    none.append('file', 'no file')
    for (const form of [two, none, file(text, 'upload')])
      expect(errors(await upload(id, form))).to.deep.equal([400, ['/file']])
    expect(await stored()).to.deep.equal([])
  })

  it('refuse bodies that are no such file [UNIT-02]', async () => {
    const { id } = await define()
    const boundary = { 'Content-Type': 'multipart/form-data; boundary=b' }
    const cut =
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntimestamp,value\n2026-01-01,1'
    const answers = [
      await upload(id, '{}', { 'Content-Type': 'application/json' }),
      await upload(id, 'x', { 'Content-Type': 'text/csv', 'Content-Encoding': 'gzip' }),
      await upload(id, 'x', { 'Content-Type': 'multipart/form-data' }),
      await upload(id, cut, boundary),
      await csv(id, ''),
      await csv(id, 'timestamp,value\n'),
      await csv(id, 'timestamp;value\n2026-01-01;1'),
      await csv(id, 'value,timestamp\n1,2026-01-01'),
      await csv(id, 'x'.repeat(64 * 1024 * 1024 + 1)),
    ]
    expect(answers.map(({ status, body }) => `${status} ${body.code}`)).to.deep.equal([
      '415 unsupported_media_type',
      '415 unsupported_media_type',
      '400 malformed_request',
      '400 malformed_request',
      ...Array(4).fill('400 validation_failed'),
      '413 body_too_large',
    ])
    expect(await stored()).to.deep.equal([])
  })

  it('refuse a file for any wrong row, naming a hundred of them at most [UNIT-02]', async () => {
    const { id } = await define()
    const rows = ['2026-01-01,1', '2026-01-02,many', 'soon,3', '2026-01-04,4', '2026-01-05', '2026-01-06,6,6', '7,1e99']
    const answer = await csv(id, `timestamp,value\n${rows.join('\n')}\n`)
    expect(errors(answer)).to.deep.equal([400, ['/rows/3', '/rows/4', '/rows/6', '/rows/7', '/rows/8']])
    const named = errors(await csv(id, `timestamp,value\n${'no,1\n'.repeat(500)}`))[1] as string[]
    expect([named.length, named.at(-1)]).to.deep.equal([100, '/rows/101'])
    expect(errors(await csv(id, 'timestamp,value\n2026-01-01,1\n"2026-01-02"x,2\n'))).to.deep.equal([400, ['/rows/3']])
    expect(await stored()).to.deep.equal([])
  })

  it('accept a file of many rows, and refuse all of it for one wrong row at its end [UNIT-02][UNIT-03]', async () => {
    const { id } = await define()
    // Several messages of values either way: a message holds 5000.
    const count = amount(6000, 200_000, 200_000)
    const row = (n: number) => `${new Date(1_767_225_600_000 + n * 60_000).toISOString()},${n}\n`
    const text = `timestamp,value\n${Array.from({ length: count }, (_, n) => row(n)).join('')}`
    expect(errors(await upload(id, file(`${text}no,1\n`)))).to.deep.equal([400, [`/rows/${count + 2}`]])
    expect(await stored()).to.deep.equal([])
    const taken = await upload(id, file(text))
    expect([taken.status, taken.body]).to.deep.equal([200, { data: { ingested: count } }])
    const sums = `SELECT count() AS n, sum(value) AS total FROM unit_metric_values WHERE org_id = {org:String}`
    // All of it is promised then; on a busy machine some of it comes after the answer.
    await until('the last values', async () => (await org.facts(sums))[0].n === count)
    expect(await org.facts(sums)).to.deep.equal([{ n: count, total: (count * (count - 1)) / 2 }])
  })

  it('are dropped of all values, and take others afterwards [UNIT-05]', async () => {
    const { id } = await define()
    await csv(id, 'timestamp,value\n2026-01-01,1\n2026-01-02,2')
    expect((await org.send('DELETE', `/unit-metric-values/${id}`)).status).to.equal(204)
    expect((await org.get(`/unit-metrics/${id}`)).body.data.lastIngestedAt).to.equal(null)
    await csv(id, 'timestamp,value\n2026-01-02,5')
    const query = 'metric=orders&from=2026-01-01&to=2026-01-02'
    const { items } = (await org.get(`/reports/unit-economics?${query}`)).body.data
    expect(items.map((i: { units: number }) => i.units)).to.deep.equal([0, 5])
    expect((await org.get(`/unit-metrics/${id}`)).body.data.lastIngestedAt).to.match(rfc3339)
  })

  it('are for viewers to see only [UNIT-06]', async () => {
    const { id } = await define()
    const token = await org.tokenFor('viewer')
    const as = (method: string, path: string, body?: string) =>
      fetch(`${org.url}${path}`, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body && { body }),
      }).then(({ status }) => status)
    expect(await as('GET', `/unit-metrics/${id}`)).to.equal(200)
    const writes = [
      as('POST', '/unit-metrics', JSON.stringify(orders)),
      as('PUT', `/unit-metrics/${id}`, '{}'),
      as('DELETE', `/unit-metrics/${id}`),
      as('POST', `/unit-metric-values/${id}`, '{}'),
      as('POST', `/unit-metric-values/${id}/csv`, 'x'),
      as('POST', `/unit-metric-values/${id}/test-pull`, '{}'),
      as('DELETE', `/unit-metric-values/${randomUUID()}`),
    ]
    expect(await Promise.all(writes)).to.deep.equal(Array(7).fill(403))
  })
})

describe('times and values of unit metrics', () => {
  it('are read as ISO 8601 says, and not otherwise [UNIT-01]', () => {
    const day = Date.UTC(2026, 1, 28)
    const read = (texts: string[]) => texts.map((text) => (timeOf(text) ?? Number.NaN) - day)
    expect(read(['2026-02-28', '2026-02-28T00:00Z', '2026-02-28T01:00:00.1234+01:00'])).to.deep.equal([0, 0, 123])
    expect(read(['2026-02-27T22:30:00-0130', '2026-02-28 00:00:01'])).to.deep.equal([0, 1000])
    const wrong = [
      '',
      '2026-02-29',
      '2026-2-28',
      '28.02.2026',
      '1769990400',
      '2026-02-28T24:00',
      '2026-02-28T00:00+15:00',
    ]
    expect([...wrong, '1969-12-31', '2101-01-01', '2026-02-28Z'].map(timeOf)).to.deep.equal(Array(10).fill(undefined))
  })

  it('are finite decimals up to 1e18 [UNIT-01]', () => {
    expect(['1', '-2.5', '.5', '1e3', 7, '+1.'].map(valueOf)).to.deep.equal([1, -2.5, 0.5, 1000, 7, 1])
    const wrong = ['', ' ', 'NaN', 'Infinity', '0x10', '1,000', '1e19', 1e19, null, true, [1], Number.NaN]
    expect(wrong.map(valueOf)).to.deep.equal(Array(12).fill(undefined))
  })
})
