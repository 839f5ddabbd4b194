import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { change, tell, tellRow } from '#engine/run/tell.ts'
import { transaction } from '#http/store/keyed-transaction.ts'
import { asOrganization } from '#http/store/tenant.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { securityRecorded } from '#streams/security.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const event = (type: 'login' | 'logout') => ({
  eventId: randomUUID(),
  type,
  at: '2026-01-15T10:00:00.000Z',
  userId: '',
  principal: '',
  email: '',
  ip: '',
  userAgent: '',
  requestId: '',
  detail: {},
})

describe('what is told beside a change', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  const count = async (): Promise<number> =>
    Number((await org.facts(`SELECT count() AS n FROM security_events WHERE org_id = {org:String}`))[0].n)
  const em = () => org.connections.orm.em.fork()

  it('reaches its actor after the commit, once, though it is told and asked', async () => {
    const asker = org.product.get(tokens.asker)
    await asOrganization(org.orgId, () =>
      change({ em: em(), orgId: org.orgId, asker, now: () => new Date(), transaction }, (tx) =>
        tx.tell(securityRecorded, event('login')),
      ),
    )
    await until('it to arrive', async () => (await count()) === 1)
    const left = async () =>
      (await org.connections.store.pool.query('select from effect where org_id = $1', [org.orgId])).rowCount
    await until('the row to be gone', async () => (await left()) === 0)
    expect(await count()).to.equal(1)
  })

  it('is not told when the change does not happen', async () => {
    const given = event('logout')
    const told = em().transactional(async (tx) => {
      await tell(tx, tellRow(securityRecorded, org.orgId, given, { id: given.eventId, time: new Date() }))
      throw new Error('no')
    })
    expect(await told.catch((error: Error) => error.message)).to.equal('no')
    const { rowCount } = await org.connections.store.pool.query('select from effect where org_id = $1', [org.orgId])
    expect([rowCount, await count()]).to.deep.equal([0, 0])
  })

  it('arrives although nobody asks: the row alone is enough', async () => {
    const given = event('logout')
    await tell(em(), tellRow(securityRecorded, org.orgId, given, { id: given.eventId, time: new Date() }))
    await until('it to arrive', async () => (await count()) === 1)
  })
})
