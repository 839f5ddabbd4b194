import { expect } from 'chai'
import { lagOf } from '#config/state/lane-lag.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const today = new Date().toISOString().slice(0, 10)
const found = (cloudAccountId: string) => ({ ...resourceDiscovered.examples[0]!, cloudAccountId })
const line = (cloudAccountId: string) => ({
  ...billingLine.examples[0]!,
  lineId: 'l-1',
  cloudAccountId,
  costUSD: 1,
  usageDate: today,
  exportedAt: `${today}T00:00:01Z`,
})

describe('how far the lanes are behind', () => {
  let org: Tenant
  let other: Tenant
  const sent = { from: 0, until: 0 }
  before(async () => {
    sent.from = Date.now()
    ;[org, other] = [await tenant(), await tenant()]
    await org.publish(resourceDiscovered, [found('acct-1'), found('acct-2')] as never)
    await org.publish(billingLine, [line('acct-1')] as never)
    sent.until = Date.now()
  })
  const lagSeen = async (token = org.token) => (await ask('GET', '/events/lag', { token })).body.data
  const accountsIn = ({ lanes }: any): string[] => lanes.flatMap((one: any) => one.cloudAccountIDs).toSorted()

  it('is nothing once all has taken effect, with the lanes that carry the accounts', async () => {
    // The service sends messages of its own at any time: what is held is one answer.
    let seen: any
    await until('nothing waits', async () => (seen = await lagSeen()).oldestSeconds === null)
    expect(accountsIn(seen)).to.deep.equal(['acct-1', 'acct-2'])
    const numbers = seen.lanes.map(({ lane }: any) => lane)
    expect(numbers).to.deep.equal([...new Set(numbers)].toSorted((a: any, b: any) => a - b))
    expect(new Set(seen.lanes.map(({ oldestSeconds }: any) => oldestSeconds))).to.deep.equal(new Set([null]))
  })

  it('is the age of the oldest message behind the cursor of its lane, and no other organization’s', async () => {
    const { connections } = org
    /** As if no lane had committed anything. */
    const store = {
      rows: async (sql: string, params: readonly unknown[]) =>
        (await connections.store.rows<{ lane: number }>(sql, params)).map(({ lane }) => ({ lane, cursor: '0' })),
    }
    const behind = (orgId: string, accounts: string[]) =>
      lagOf({ ...connections, store } as unknown as typeof connections, orgId, accounts)
    const asked = Date.now()
    const own = await behind(org.orgId, ['acct-1'])
    const answered = Date.now()
    const { oldestSeconds } = own.find(({ cloudAccountIDs }) => cloudAccountIDs.includes('acct-1'))!
    expect(oldestSeconds! * 1000).to.be.within(asked - sent.until, answered - sent.from)
    const theirs = await behind(other.orgId, [])
    expect(theirs.map(({ oldestSeconds }) => oldestSeconds)).to.deep.equal([null])
  })

  it('names a narrowed role its accounts alone, and is refused to who may not hear', async () => {
    const as = async (permissions: string[]) => {
      const role = { name: permissions.join(), permissions, reportScope: { all: false, cloudAccountIDs: ['acct-2'] } }
      const { body } = await org.send('POST', '/roles', role)
      return colleague({ accessToken: org.token, orgId: org.orgId } as Founder, body.data.id)
    }
    expect(accountsIn(await lagSeen((await as(['service.view'])).accessToken))).to.deep.equal(['acct-2'])
    const deaf = await as(['space.view'])
    const { status, body } = await ask('GET', '/events/lag', { token: deaf.accessToken })
    expect([status, body.code]).to.deep.equal([403, 'forbidden'])
  })
})
