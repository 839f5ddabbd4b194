import { expect } from 'chai'
import { Quota } from '#engine/lane/quota.ts'
import { Fault } from '#engine/value/fault.ts'
import type { LogMessage } from '#engine/actor/ports.ts'
import { added, toyWorld } from '#test/harness/toy.ts'

const message = (subject: string, at: number, bytes = 10): LogMessage => ({
  seq: 1,
  subject,
  headers: {},
  body: Buffer.alloc(bytes),
  at,
})

describe('the quota of an organization', () => {
  const taken = (quota: Quota, subject: string, at: number, bytes?: number) =>
    quota.exceeded(message(subject, at, bytes)) === undefined

  it('is counted by the minute of the broker, apart for each organization, and starts anew with the next minute', () => {
    const quota = new Quota({ messages: 2, bytes: 0 })
    expect([1, 2, 3].map(() => taken(quota, 'billing.a.x', 60_000))).to.deep.equal([true, true, false])
    expect(taken(quota, 'metric.a.y', 119_999)).to.equal(false)
    expect(taken(quota, 'billing.b.x', 119_999)).to.equal(true)
    expect(taken(quota, 'billing.a.x', 120_000)).to.equal(true)
  })

  it('is one of bytes as well, and says which it was', () => {
    const quota = new Quota({ messages: 0, bytes: 100 })
    const headed = { ...message('billing.a.x', 0, 90), headers: { abcd: '123456' } }
    expect(quota.exceeded(headed)).to.equal(undefined)
    const fault = quota.exceeded(message('billing.a.x', 0, 1))
    expect(fault).to.be.instanceOf(Fault)
    expect([fault!.code, fault!.message]).to.deep.equal([
      'quota_exceeded',
      'The producers of the organization sent more than 100 bytes in a minute. Replay the message later.',
    ])
  })

  it('is none for what actors tell each other, nor where there is no limit', () => {
    const tight = new Quota({ messages: 1, bytes: 1 })
    for (let i = 0; i < 5; i++) expect(taken(tight, 'actor.a.-', 0)).to.equal(true)
    const open = new Quota()
    for (let i = 0; i < 5; i++) expect(taken(open, 'billing.a.x', 0, 1e6)).to.equal(true)
  })

  it('sets aside what is beyond it, body and all, and takes the rest', async () => {
    const quota = { messages: 3, bytes: 0 }
    const limits = { countMax: 1000, bytesMax: 1e7, waitMs: 100, activationsMax: 100, idleMs: 60_000, keepMessages: 10 }
    const world = await toyWorld({ limits: { ...limits, quota } })
    try {
      // Two minutes at most: six messages may be taken, the others are set aside.
      for (let i = 0; i < 10; i++) await world.send(added, { place: 'p', key: 'k', n: 1 })
      const letters = async () =>
        (await world.store.pool.query('select code, body from dead_letter where org_id = $1', [world.org])).rows
      await world.until('the letters', async () => (await letters()).length >= 4)
      const rows = await letters()
      expect(rows.length).to.be.oneOf([4, 5, 6, 7])
      for (const { code, body } of rows)
        expect([code, JSON.parse(body).type]).to.deep.equal(['quota_exceeded', added.name])
    } finally {
      await world.close()
    }
  })
})
