import { expect } from 'chai'
import { anomalyActor } from '#actors/anomaly/actor.ts'
import { recordKey } from '#actors/anomaly/record.ts'
import type { Actor } from '#engine/actor/actor.ts'
import { runMailbox } from '#engine/lane/message/mailbox.ts'
import type { Message } from '#engine/lane/message/message.ts'
import { anomalyCleared, anomalyFound, anomalyNotified, anomalyReviewed, type AnomalyReview } from '#streams/anomaly.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const found = (date: string, actualUsd: number, more: object = {}) => ({
  ...anomalyFound.examples[0]!,
  date,
  actualUsd,
  ...more,
})
const which = (date: string) => ({ type: 'org' as const, key: 'o1', date })
/** A day's run so late that nothing is on its way any more. */
const runOf = (date: string) => ({ at: Date.parse(`${date}T04:30:00Z`) + 86_400_000 })
const tellings = ({ raised }: Done): number => raised.length
const said = { userId: 'u1', at: '2026-01-16T09:00:00.000Z' }
const expected = (until: string): AnomalyReview => ({ ...said, state: 'expected', until, note: 'Sale' })

describe('what people say of an anomaly', () => {
  const series = () => {
    const actor = new MemoryActor(anomalyActor, { place: '-', key: 'org|o1' })
    const records = new Map<string, unknown>()
    /** As the engine does it: what was appended is there to be read for the next turn. */
    const take: typeof actor.take = (subject, data, more) => {
      const done = actor.take(subject, data, { ...more, needs: new Map(records) })
      for (const { row } of done.facts) {
        const { x_Version: _, anomaly_type: type, anomaly_key: key, ...rest } = row
        const known = { ...rest, anomaly_type: type, anomaly_key: key }
        records.set(recordKey('o1', { type, key, date: row.date }), known)
      }
      return done
    }
    const review = (date: string, of: AnomalyReview | null) => take(anomalyReviewed, { ...which(date), review: of })
    return { actor, take, review }
  }

  it('stands in its record, with who and when, until it is taken back', () => {
    const { actor, take, review } = series()
    const { x_Version: _, ...before } = take(anomalyFound, found('2026-01-15', 200)).facts[0]!.row
    const done = review('2026-01-15', expected('2026-01-31'))
    const { x_Version: __, ...after } = done.facts[0]!.row
    expect(after).to.deep.equal({
      ...before,
      review_state: 'expected',
      review_until: '2026-01-31',
      review_note: 'Sale',
      reviewed_by: 'u1',
      reviewed_at: said.at,
    })
    expect(done.replies).to.deep.equal([{ id: before.id }])
    const refound = take(anomalyFound, found('2026-01-15', 230)).facts[0]!.row
    expect([refound.review_state, refound.actual_usd]).to.deep.equal(['expected', 230])
    const { x_Version: ___, ...back } = review('2026-01-15', null).facts[0]!.row
    expect(back).to.deep.equal({ ...before, actual_usd: 230 })
    expect(actor.state.stored[0]).not.to.have.property('review')
  })

  it('is refused of a day without an anomaly, and of one that was withdrawn', () => {
    const { take, review } = series()
    expect(review('2026-01-15', null).refused).to.equal('not_found')
    take(anomalyFound, found('2026-01-15', 200, { origin: 'running' }))
    take(anomalyCleared, which('2026-01-15'))
    const refused = review('2026-01-15', expected('2026-01-31'))
    expect([refused.refused, refused.facts, refused.replies]).to.deep.equal(['not_found', [], []])
  })

  it('keeps people from being told of what is expected, to the last day of it; records are kept as ever', () => {
    const { take, review } = series()
    expect(tellings(take(anomalyFound, found('2026-01-15', 200), runOf('2026-01-15')))).to.equal(1)
    review('2026-01-15', expected('2026-01-25'))
    const days = ['2026-01-17', '2026-01-25', '2026-01-26']
    const runs = days.map((date, i) => take(anomalyFound, found(date, 300 * (i + 1)), runOf(date)))
    expect(runs.map(({ facts }) => facts[0]!.row.date)).to.deep.equal(days)
    expect(runs.map(tellings)).to.deep.equal([0, 0, 1])
  })

  it('that was acknowledged changes nothing of telling', () => {
    const { take, review } = series()
    take(anomalyFound, found('2026-01-15', 200), runOf('2026-01-15'))
    review('2026-01-15', { ...said, state: 'acknowledged' })
    expect(tellings(take(anomalyFound, found('2026-01-17', 300), runOf('2026-01-17')))).to.equal(1)
  })

  it('leaves untold what was expected when it was recorded, though it is taken back and the day found again', () => {
    const { take, review } = series()
    const running = { origin: 'running' }
    take(anomalyFound, found('2026-01-15', 200, { suppressed: true }), runOf('2026-01-15'))
    review('2026-01-15', expected('2026-01-25'))
    take(anomalyFound, found('2026-01-17', 300, running), runOf('2026-01-17'))
    review('2026-01-15', null)
    const old = [
      take(anomalyFound, found('2026-01-15', 200), runOf('2026-01-18')),
      take(anomalyFound, found('2026-01-17', 300), runOf('2026-01-18')),
    ]
    expect(old.map(tellings)).to.deep.equal([0, 0])
    expect(tellings(take(anomalyFound, found('2026-01-19', 600), runOf('2026-01-19')))).to.equal(1)
  })

  it('of one that did not last silences nothing, and holds again when the day is found again', () => {
    const { take, review } = series()
    take(anomalyFound, found('2026-01-15', 200, { origin: 'running' }), runOf('2026-01-15'))
    review('2026-01-15', expected('2026-01-31'))
    take(anomalyCleared, which('2026-01-15'))
    expect(tellings(take(anomalyFound, found('2026-01-18', 300), runOf('2026-01-18')))).to.equal(1)
    const again = take(anomalyFound, found('2026-01-15', 200), runOf('2026-01-19'))
    expect([tellings(again), again.facts[0]!.row.review_state]).to.deep.equal([0, 'expected'])
    expect(tellings(take(anomalyFound, found('2026-01-28', 900), runOf('2026-01-28')))).to.equal(0)
  })
})

describe('what is said of an anomaly in the batch that brings it', () => {
  const address = { orgId: 'o1', place: '-', key: 'org|o1' }
  const letter = (subject: typeof anomalyFound | typeof anomalyNotified | typeof anomalyReviewed, i: number) => {
    const data = {
      [anomalyFound.name]: found('2026-01-15', 250),
      [anomalyNotified.name]: { ...which('2026-01-15'), at: '2026-01-16T04:30:05.000Z' },
      [anomalyReviewed.name]: { ...which('2026-01-15'), review: { ...said, state: 'acknowledged' } },
    }[subject.name]
    const time = '2026-01-16T04:30:00.000Z'
    const message = {
      log: { seq: i + 1, subject: 'actor.o1.-', headers: {}, body: new Uint8Array(), at: Date.parse(time) },
      index: 0,
      envelope: { id: `m${i}`, type: subject.name, schemaVersion: 1, orgId: 'o1', time, data },
      time: Date.parse(time),
      subject,
      receivers: [],
      orgId: 'o1',
      place: '-',
    } as unknown as Message
    return { message, reaction: anomalyActor.reactions.get(subject.name) as never }
  }

  it('is of what was found last, not of what can be read of it yet', () => {
    const known = new MemoryActor(anomalyActor, address).take(anomalyFound, found('2026-01-15', 200))
    const needs = new Map([[recordKey('o1', which('2026-01-15')), known.facts[0]!.row]])
    const { facts } = runMailbox(
      anomalyActor as unknown as Actor,
      address,
      { orgId: 'o1', key: 'org|o1', stored: [] },
      [anomalyFound, anomalyNotified, anomalyReviewed].map(letter),
      { epoch: 1, now: ({ log }) => log.at, needs },
    )
    expect(facts.map(({ row }) => [row['actual_usd'], row['notified'], row['review_state']])).to.deep.equal([
      [250, 0, ''],
      [250, 1, ''],
      [250, 1, 'acknowledged'],
    ])
  })
})
