import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

describe('exchange rates', () => {
  let owner: Founder
  before(async () => {
    owner = await founder()
  })
  const send = ({ accessToken: token }: Founder, method: string, path: string, body?: unknown) =>
    ask(method, path, { token, ...(body !== undefined && { body }) })
  const put = (path: string, usdPerUnit: unknown, who = owner) =>
    send(who, 'PUT', `/exchange-rates/${path}`, { usdPerUnit })
  const listed = async (query = '', who = owner) =>
    (await send(who, 'GET', `/exchange-rates${query}`)).body.data.items.map(
      (one: any) => `${one.currency} ${one.day} ${one.usdPerUnit}`,
    )

  it('are set for a day, replaced, listed newest first, and deleted', async () => {
    const made = await put('eur/2026-01-01', '1.0800')
    expect([made.status, made.body.data.currency, made.body.data.usdPerUnit, made.body.data.authorID]).to.deep.equal([
      200,
      'EUR',
      '1.08',
      owner.userId,
    ])
    await put('EUR/2026-01-01', '1.09')
    await put('EUR/2026-02-01', '1.1')
    await put('JPY/2026-01-15', '0.0065')
    expect(await listed()).to.deep.equal(['EUR 2026-02-01 1.1', 'JPY 2026-01-15 0.0065', 'EUR 2026-01-01 1.09'])
    expect(await listed('?currency=eur')).to.deep.equal(['EUR 2026-02-01 1.1', 'EUR 2026-01-01 1.09'])
    expect((await send(owner, 'DELETE', '/exchange-rates/EUR/2026-02-01')).status).to.equal(204)
    expect((await send(owner, 'DELETE', '/exchange-rates/EUR/2026-02-01')).status).to.equal(404)
    expect((await send(owner, 'DELETE', '/exchange-rates/EUR/tomorrow')).status).to.equal(400)
    expect(await listed('?currency=EUR')).to.deep.equal(['EUR 2026-01-01 1.09'])
    expect(await listed('', await founder())).to.deep.equal([])
  })

  it('are above 0, of a currency and a day that exist, and set by those who may update', async () => {
    for (const rate of ['0', '-1', '1e3', '1.0000000000001', 'x', 1.08])
      expect((await put('EUR/2026-01-01', rate)).status, String(rate)).to.equal(400)
    for (const path of ['USD/2026-01-01', 'XQX/2026-01-01', 'EUR/2026-02-30'])
      expect((await put(path, '1')).status, path).to.equal(400)
    const viewer = await colleague(owner, 'viewer')
    expect((await put('EUR/2026-01-01', '1', viewer)).status).to.equal(403)
  })
})

describe('reports in another currency', () => {
  let org: Tenant
  const days = 'from=2026-01-01&to=2026-01-31'
  const read = (query: string) => org.get<any>(`/reports/costs/series?${days}&group_by=service_name&${query}`)

  before(async () => {
    org = await tenant()
    const line = (lineId: string, serviceName: string, costUSD: string) => ({
      lineId,
      cloudAccountId: 'acct-1',
      costUSD,
      usageDate: '2026-01-10',
      provider: 'aws' as const,
      serviceName,
      resourceUid: '',
      exportedAt: '2026-01-11T12:00:00Z',
    })
    await org.publish(billingLine, [line('1', 'compute', '10.8'), line('2', 'storage', '1')])
    await until('the costs are there', async () => (await read('')).body.data.total.costUSD === 11.8)
  })

  it('are refused without a rate, and for what is no currency', async () => {
    const missing = await read('currency=EUR')
    expect([missing.status, missing.body.code]).to.deep.equal([422, 'no_exchange_rate'])
    const unknown = await read('currency=XQX')
    expect([unknown.status, unknown.body.errors[0].code]).to.deep.equal([400, 'currency'])
    const file = await read('currency=EUR&format=csv')
    expect([file.status, file.body.errors[0].code]).to.deep.equal([400, 'format'])
  })

  it('are converted by the newest rate that is not after their last day, which they name', async () => {
    for (const [day, usdPerUnit] of [
      ['2025-12-01', '2'],
      ['2026-01-31', '1.08'],
      ['2026-02-01', '4'],
    ])
      await org.send('PUT', `/exchange-rates/EUR/${day}`, { usdPerUnit })
    const { data, meta } = (await read('currency=EUR&money=text&granularity=monthly')).body
    expect([meta.currency, meta.usdPerUnit, meta.rateDay]).to.deep.equal(['EUR', '1.08', '2026-01-31'])
    // 1 / 1.08 is 0.925925925...; the total is 11.8 / 1.08, 10.925925925...
    expect(data.series.map((one: any) => [one.label, one.costUSD, one.values])).to.deep.equal([
      ['compute', '10', ['10']],
      ['storage', '0.92592593', ['0.92592593']],
    ])
    expect(data.total.costUSD).to.equal('10.92592593')
    expect((await read('currency=eur')).body.data.total.costUSD).to.equal(10.92592593)
    const before = await org.get<any>(`/reports/costs/series?from=2026-01-01&to=2026-01-30&currency=EUR`)
    expect([before.body.data.total.costUSD, before.body.meta.rateDay]).to.deep.equal([5.9, '2025-12-01'])
    const dollars = (await read('currency=USD')).body
    expect([dollars.data.total.costUSD, dollars.meta.currency, dollars.meta.rateDay]).to.deep.equal([
      11.8,
      'USD',
      undefined,
    ])
  })
})
