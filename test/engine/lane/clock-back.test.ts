/** A clock that was set back: lanes stay ahead of the broker, and nothing of ours becomes a dead letter. */
import { MetadataStorage } from '@mikro-orm/core'
import { expect } from 'chai'
import { header } from '#engine/actor/subject.ts'
import { registry } from '#engine/actor/registry.ts'
import type { LogMessage } from '#engine/actor/ports.ts'
import { BatchDraft } from '#engine/lane/commit/draft.ts'
import { readMessage, type Message } from '#engine/lane/message/message.ts'
import { Quota } from '#engine/lane/quota.ts'
import { added, asked, taken, toySubjects } from '#test/harness/toy.ts'

const dayMs = 86_400_000
const now = Date.parse('2026-03-10T12:00:00Z')
const known = registry([], toySubjects, new MetadataStorage())

/** A message that the broker received at `at` and whose sender says `time`. */
function read(subject: { name: string; kind: string }, { at, time }: { at: number; time: number }, deadline?: number) {
  const data = { place: 'p', key: 'k', n: 1 }
  const envelope = {
    id: 'm',
    type: subject.name,
    schemaVersion: 1,
    orgId: 'o',
    time: new Date(time).toISOString(),
    data,
  }
  const log: LogMessage = {
    seq: 1,
    subject: `${subject.kind}.o.p`,
    headers: deadline === undefined ? {} : { [header.deadline]: new Date(deadline).toISOString() },
    body: Buffer.from(JSON.stringify(envelope)),
    at,
  }
  return readMessage(known, log)[0]!
}

describe('after a clock was set back', () => {
  it('what lanes send each other is taken, however far ahead; a producer’s message from the future is not', () => {
    const ahead = { at: now - 3 * dayMs, time: now }
    expect(read(taken, ahead)).to.include({ time: now }).and.not.have.property('fault')
    expect(read(added, ahead)).to.have.nested.property('fault.code', 'time_invalid')
  })

  it('a command whose caller still waits is executed, though the lane is ahead of its deadline', () => {
    const lease = { lane: 1, epoch: 1, cursor: 0, clock: now, ends: 0, suspectUntil: 0, apart: { seq: 0, done: 0 } }
    const draft = new BatchDraft(lease, { cursor: 0, clock: now, apart: { seq: 0, done: 0 } })
    const at = now - 3 * dayMs
    const waited = read(asked, { at, time: at }, at + 10_000) as Message
    const late = read(asked, { at, time: at }, at - 1) as Message
    draft.see(waited.log)
    expect(draft.time(waited), 'the lane’s clock does not go back').to.equal(now)
    expect([draft.expired(waited), draft.expired(late)]).to.deep.equal([false, true])
  })

  it('the minutes of a quota go on counting from there', () => {
    const quota = new Quota({ messages: 2, bytes: 0 })
    const isTaken = (minute: number) =>
      quota.exceeded({
        seq: 1,
        subject: 'billing.o.x',
        headers: {},
        body: Buffer.alloc(1),
        at: now + minute * 60_000,
      }) === undefined
    expect([0, 0, 0].map(isTaken)).to.deep.equal([true, true, false])
    expect([-60, -60, -60, -59, -59, -58].map(isTaken)).to.deep.equal([true, true, false, true, true, true])
  })
})
