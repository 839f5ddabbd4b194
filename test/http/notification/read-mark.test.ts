import { expect } from 'chai'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'
import { tenant, testProduct } from '#test/harness/product.ts'

const path = '/notifications/read-mark'

describe('what people have read', () => {
  const get = async ({ accessToken: token }: Founder) => (await ask('GET', path, { token })).body.data.readUntil
  const put = async ({ accessToken: token }: Founder, readUntil: string) =>
    (await ask('PUT', path, { token, body: { readUntil } })).body.data.readUntil

  it('is kept for each person, and never goes back', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'viewer')
    const [first, second] = ['2026-01-15T10:00:00.000Z', '2026-01-16T10:00:00.000Z']
    expect(await get(ana)).to.equal(null)
    expect(await put(ana, second)).to.equal(second)
    expect(await put(ana, first)).to.equal(second)
    expect([await get(ana), await get(ben)]).to.deep.equal([second, null])
  })

  it('is forgotten with the member', async () => {
    const ana = await founder()
    const ben = await colleague(ana, 'viewer')
    await put(ben, '2026-01-15T10:00:00.000Z')
    await ask('DELETE', `/members/${ben.userId}`, { token: ana.accessToken })
    const { pool } = (await testProduct()).connections.store
    const { rows } = await pool.query('select 1 from notification_read where user_id = $1', [ben.userId])
    expect(rows).to.deep.equal([])
  })

  it('is of people alone', async () => {
    const machine = await (await tenant()).send('PUT', path, { readUntil: '2026-01-15T10:00:00.000Z' })
    expect([machine.status, machine.body.code]).to.deep.equal([403, 'person_required'])
  })
})

describe('the first steps of an organization', () => {
  it('are hidden for all of it by whoever may change things, and for no other', async () => {
    const ana = await founder()
    const [ben, eve] = [await colleague(ana, 'viewer'), await founder()]
    const hides = async ({ accessToken: token }: Founder) =>
      (await ask('GET', '/auth/me', { token })).body.data.hidesFirstSteps
    const put = async ({ accessToken: token }: Founder, isHidden: boolean) =>
      (await ask('PUT', `/organisations/${ana.orgId}/first-steps`, { token, body: { isHidden } })).status
    expect([await put(ben, true), await put(eve, true), await hides(ana)]).to.deep.equal([403, 404, false])
    expect([await put(ana, true), await hides(ana), await hides(ben), await hides(eve)]).to.deep.equal([
      200,
      true,
      true,
      false,
    ])
    expect([await put(ana, false), await hides(ben)]).to.deep.equal([200, false])
  })
})
