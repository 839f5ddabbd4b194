import { expect } from 'chai'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'
import { tenant, testProduct } from '#test/harness/product.ts'

const path = '/notifications/email-preferences'

describe('what people want by mail', () => {
  let ana: Founder
  before(async () => void (ana = await founder()))
  const get = (who: Founder, key = 'budget.warning') => ask('GET', `${path}/${key}`, { token: who.accessToken })
  const put = (who: Founder, enabled: boolean, key = 'budget.warning') =>
    ask('PUT', `${path}/${key}`, { token: who.accessToken, body: { enabled } })
  const unset = { eventKey: 'budget.warning', enabled: true, updatedAt: null }

  it('is everything until they say no, each for themselves and for one event type [NOTIF-15] [NOTIF-16] [NOTIF-27]', async () => {
    const ben = await colleague(ana, 'viewer')
    expect((await get(ana)).body.data).to.deep.equal(unset)
    const off = (await put(ana, false)).body.data
    expect(off).to.deep.equal({ ...unset, enabled: false, updatedAt: off.updatedAt })
    expect(Date.parse(off.updatedAt)).to.be.within(performance.timeOrigin, Date.now() + 1000)
    expect((await get(ana)).body.data).to.deep.equal(off)
    expect((await get(ben)).body.data).to.deep.equal(unset)
    expect((await get(ana, 'budget.exceeded')).body.data).to.include({ enabled: true, updatedAt: null })
    const on = (await put(ana, true)).body.data
    expect((await get(ana)).body.data).to.deep.equal({ ...on, enabled: true })
    expect((await put(ben, false)).body.data.enabled).to.equal(false)
  })

  it('is of event types alone, and of people alone [NOTIF-16]', async () => {
    for (const key of ['budget', 'test', 'toString'])
      for (const { status, body } of [await get(ana, key), await put(ana, false, key)])
        expect([status, body.code], key).to.deep.equal([404, 'not_found'])
    const org = await tenant()
    const machine = await org.get(`${path}/budget.warning`)
    expect([machine.status, machine.body.code]).to.deep.equal([403, 'person_required'])
  })

  it('is forgotten with the member', async () => {
    const cem = await colleague(ana, 'viewer')
    await put(cem, false)
    const kept = async () => {
      const { pool } = (await testProduct()).connections.store
      const sql = 'select event_key from email_preference where org_id = $1 and user_id = $2'
      return (await pool.query(sql, [ana.orgId, cem.userId])).rows
    }
    expect(await kept()).to.deep.equal([{ event_key: 'budget.warning' }])
    await ask('DELETE', `/members/${cem.userId}`, { token: ana.accessToken })
    expect(await kept()).to.deep.equal([])
  })
})
