import { expect } from 'chai'
import { deliverWork } from '#actors/notification/delivery/deliver.ts'
import type { DeliverInput } from '#actors/notification/delivery/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { budgetExceeded } from '#test/harness/notice.ts'

const input: DeliverInput = {
  channelId: 'mail:u-1',
  deliveryId: 'd-1',
  tries: 1,
  createdAt: '2026-01-16T04:30:06.000Z',
  event: budgetExceeded,
}
const call = { key: 'deliver/o1/mail:u-1/d-1/1', orgId: 'o1', attempt: 1, signal: new AbortController().signal }

/** A person of the organization, and a stream that takes what is reported once it is back. */
function world(answers: (() => void)[] = []) {
  const mails: string[] = []
  const reported: unknown[] = []
  const made = { isAway: true, mails, reported, work: undefined as unknown as ReturnType<typeof deliverWork> }
  made.work = deliverWork({
    em: () => {
      throw new Error('no channel is asked for')
    },
    open: () => '',
    reads: {
      rows: async () => [{ org_id: 'o1', user_id: 'u-1', email: 'ana@example.com' }],
    } as never,
    clock: { now: () => 0, sleep: async () => {} } as never,
    now: () => new Date(0),
    channels: {
      email: {
        send: async (_, id) => {
          mails.push(id)
          answers.shift()?.()
        },
      },
    },
    webhooks: { allowPrivate: false },
    publicUrl: () => '',
    linkSecrets: () => [Buffer.alloc(32, 1)],
    pace: { perSecond: 1, orgPerSecond: 10 },
    tried: () => {},
    report: { info: () => {}, warn: () => {}, error: () => {} },
    publisher: {
      report: async ({ id, data }: { id: string; data: { outcome: string } }) => {
        if (made.isAway) throw new Error('the stream is away')
        reported.push([id, data.outcome])
      },
    } as never,
  })
  return made
}

const faultOf = (done: Promise<void>): Promise<Fault | undefined> =>
  done.then(
    () => undefined,
    (error: unknown) => Fault.from(error),
  )

describe('a try to tell', () => {
  it('is not made again for a report that the stream did not take: what came of it is reported later', async () => {
    const one = world()
    for (const attempt of [1, 2, 3])
      expect((await faultOf(one.work.run(input, { ...call, attempt })))?.retryable).to.equal(true)
    expect(await faultOf(one.work.failed(input, call, Fault.transient('unavailable', 'Away.')))).to.not.equal(undefined)
    one.isAway = false
    await one.work.run(input, { ...call, attempt: 4 })
    expect([one.mails, one.reported]).to.deep.equal([['d-1'], [[call.key, 'delivered']]])
    await one.work.run(input, call)
    expect(one.mails, 'another time it is').to.deep.equal(['d-1', 'd-1'])
  })

  it('that was accepted does not end as one that was not when it is given up', async () => {
    const one = world()
    await faultOf(one.work.run(input, call))
    one.isAway = false
    await one.work.failed(input, call, Fault.transient('unavailable', 'Away.'))
    expect([one.mails, one.reported]).to.deep.equal([['d-1'], [[call.key, 'delivered']]])
  })
})
