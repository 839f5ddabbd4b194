import { expect } from 'chai'
import { recommendationActor } from '#actors/recommendation/actor.ts'
import {
  findingEnded,
  findingRaised,
  recommendationDecided,
  recommendationViewed,
  recommendationWoken,
  type Finding,
} from '#streams/recommendation.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const found: Finding = { ...findingRaised.examples[0]!.finding, savingsUsd: 100, grossSavingsUsd: 120 }
const ids = { cloudAccountId: 'acct-1', recommendationId: 'rec-1' }
const dayMs = 86_400_000

/** One recommendation, with what is said to it in short. */
class Rec {
  readonly actor = new MemoryActor(recommendationActor, { key: 'rec-1' })
  private n = 0

  raise(more: Partial<Finding> = {}, at?: number): Done {
    const data = { ...ids, n: ++this.n, finding: { ...found, ...more } }
    return this.actor.take(findingRaised, data, at === undefined ? {} : { at })
  }

  end(why: 'cleared' | 'deleted' | 'retired' | 'stale'): Done {
    return this.actor.take(findingEnded, { ...ids, n: ++this.n, why })
  }

  decide(
    status: 'applied' | 'dismissed' | 'open',
    more: { userId?: string; appliedAt?: string; snoozeUntil?: string; note?: string } = {},
  ) {
    return this.actor.take(recommendationDecided, { ...ids, status, userId: 'u-1', ...more })
  }

  view(userId: string): Done {
    return this.actor.take(recommendationViewed, { ...ids, userId })
  }

  get state() {
    return this.actor.state
  }

  get events(): string[] {
    return this.state.history.map(({ event, actor }) => `${event} ${actor}`)
  }
}

const settled = ({ emitted }: Done) =>
  emitted.filter(({ type }) => type === 'recommendation.settled').map(({ data }) => [data.status, data.n])

const claimed = ({ emitted }: Done) =>
  emitted.filter(({ type }) => type === 'saving.claimed').map(({ data }) => [data.isApplied, data.at])

describe('a recommendation', () => {
  it('saves since people say that it is applied, or since when they say that it was', () => {
    const [now, then] = [new Rec(), new Rec()]
    for (const rec of [now, then]) rec.raise()
    const at = '2026-01-15T10:00:02.000Z'
    expect(claimed(now.decide('applied'))).to.deep.equal([[true, at]])
    const late = then.decide('applied', { appliedAt: '2026-01-10T10:00:00+01:00' })
    expect(claimed(late)).to.deep.equal([[true, '2026-01-10T09:00:00.000Z']])
    expect(then.state.decidedAt?.toISOString()).to.equal(at)
  })

  it('goes the way of the scenario: generated, applied, opened, dismissed, opened, each once in its history [S-24] [REC-42] [REC-43] [REC-44] [REC-45]', () => {
    const rec = new Rec()
    rec.raise()
    expect([rec.state.status, rec.events]).to.deep.equal(['open', ['generated system']])
    const said = (['applied', 'open', 'dismissed', 'open'] as const).map((status) => settled(rec.decide(status)))
    expect(said).to.deep.equal([[['applied', 1]], [['open', 2]], [['dismissed', 3]], [['open', 4]]])
    expect(rec.events).to.deep.equal([
      'generated system',
      'applied u-1',
      'reopened u-1',
      'dismissed u-1',
      'reopened u-1',
    ])
    const times = rec.state.history.map(({ createdAt }) => createdAt)
    expect(times).to.deep.equal(times.toSorted())
    expect(new Set(rec.state.history.map(({ id }) => id)).size).to.equal(5)
  })

  it('is not moved from applied to dismissed, nor from what the service decided; the same again is no news [S-24] [REC-46] [G-66]', () => {
    const rec = new Rec()
    rec.raise()
    rec.decide('applied')
    expect(rec.decide('dismissed').refused).to.equal('invalid_transition')
    const again = rec.decide('applied')
    expect([again.replies, again.emitted, rec.events.length]).to.deep.equal([
      [{ id: 'rec-1', status: 'applied' }],
      [],
      2,
    ])
    rec.end('cleared')
    expect(rec.decide('open').refused).to.equal('invalid_transition')
    expect([rec.state.status, rec.events.at(-1)]).to.deep.equal(['optimised', 'closed system'])
    expect(new Rec().decide('applied').refused).to.equal('not_found')
  })

  it('is closed by the service as its finding goes, and opens again under the same id when that comes back [REC-47] [G-66] [S-36]', () => {
    const became = (status: 'applied' | 'dismissed' | undefined, why: 'cleared' | 'deleted' | 'retired' | 'stale') => {
      const rec = new Rec()
      rec.raise()
      if (status) rec.decide(status)
      rec.end(why)
      const closed = rec.state.status
      rec.raise()
      return [closed, rec.state.status]
    }
    const whys = ['cleared', 'deleted', 'retired', 'stale'] as const
    expect(whys.map((why) => became(undefined, why))).to.deep.equal([
      ['optimised', 'open'],
      ['optimised', 'open'],
      ['rule_retired', 'open'],
      ['open', 'open'],
    ])
    expect(whys.map((why) => became('applied', why))).to.deep.equal([
      ['optimised', 'open'],
      ['optimised', 'open'],
      ['applied', 'applied'],
      ['applied', 'applied'],
    ])
    expect(whys.map((why) => became('dismissed', why)).flat()).to.deep.equal(Array(8).fill('dismissed'))
  })

  it('of a resource that is gone saves nothing any more where it was dismissed', () => {
    const rec = new Rec()
    rec.raise()
    rec.decide('dismissed')
    rec.end('deleted')
    const { currentCostUsd, savingsUsd, grossSavingsUsd, fires } = rec.state
    expect([currentCostUsd, savingsUsd, grossSavingsUsd, fires]).to.deep.equal(['0.00', '0.00', '0.00', false])
  })

  it('is dismissed for a time: it opens again then if the rule still fires, and when it comes back later else', () => {
    const until = Date.parse('2026-02-01T00:00:00Z')
    const rec = new Rec()
    rec.raise()
    rec.decide('dismissed', { snoozeUntil: new Date(until).toISOString() })
    expect([...rec.actor.reminders]).to.deep.equal([['wake', until]])
    rec.raise({ savingsUsd: 50 })
    expect([rec.state.status, rec.state.savingsUsd]).to.deep.equal(['dismissed', '50.00'])
    const done = rec.actor.take(recommendationWoken, ids, { at: until, reminder: 'wake' })
    expect([rec.state.status, rec.state.snoozedUntil, settled(done)]).to.deep.equal(['open', null, [['open', 2]]])

    const gone = new Rec()
    gone.raise()
    gone.decide('dismissed', { snoozeUntil: new Date(until).toISOString() })
    gone.end('cleared')
    gone.actor.take(recommendationWoken, ids, { at: until, reminder: 'wake' })
    expect(gone.state.status).to.equal('dismissed')
    gone.raise({}, until + dayMs)
    expect([gone.state.status, gone.events.at(-1)]).to.deep.equal(['open', 'reopened system'])
  })

  it('says of what was applied two weeks ago that the rule fires still; opened again it does not', () => {
    const rec = new Rec()
    rec.raise()
    rec.decide('applied')
    const due = rec.actor.reminders.get('still')!
    expect(due - rec.actor.now).to.equal(14 * dayMs)
    rec.actor.take(recommendationWoken, ids, { at: due, reminder: 'still' })
    expect([rec.state.status, rec.state.stillFires]).to.deep.equal(['applied', true])
    rec.decide('open')
    expect([rec.state.stillFires, [...rec.actor.reminders]]).to.deep.equal([false, []])
  })

  it('notes a view once a person, whoever else opened it, and is not newer by it [REC-52]', () => {
    const rec = new Rec()
    rec.raise()
    const { updatedAt } = rec.state
    const facts = ['u-1', 'u-1', 'u-1', 'u-2'].flatMap((user) => rec.view(user).facts)
    expect([rec.events, facts]).to.deep.equal([['generated system', 'viewed u-1', 'viewed u-2'], []])
    expect(rec.state.updatedAt).to.deep.equal(updatedAt)
  })

  it('keeps a hundred entries: the oldest views make room first, never the beginning [REC-48]', () => {
    const rec = new Rec()
    rec.raise()
    rec.decide('applied')
    for (let n = 0; n < 150; n++) rec.view(`v-${n}`)
    expect([rec.events.length, rec.events[0], rec.events[1], rec.events[2], rec.events.at(-1)]).to.deep.equal([
      100,
      'generated system',
      'applied u-1',
      'viewed v-52',
      'viewed v-149',
    ])
  })

  it('hears nothing from a word that is older than the newest, and nothing changes by what is the same', () => {
    const rec = new Rec()
    rec.raise()
    const { updatedAt } = rec.state
    expect(rec.raise().facts).to.deep.equal([])
    expect(rec.state.updatedAt).to.deep.equal(updatedAt)
    rec.actor.take(findingEnded, { ...ids, n: 1, why: 'cleared' })
    expect(rec.state.status).to.equal('open')
  })

  it('stays open and says so when nothing is known any more, and counts again once facts return [REC-28]', () => {
    const rec = new Rec()
    rec.raise()
    rec.end('stale')
    expect([rec.state.status, rec.state.staleSince]).to.deep.equal(['open', new Date(rec.actor.now)])
    rec.raise({ savingsUsd: 90 })
    expect([rec.state.staleSince, rec.state.savingsUsd]).to.deep.equal([null, '90.00'])
  })

  it('is told to programs where it is serious: opened, decided, closed and opened again', () => {
    const rec = new Rec()
    const events = ({ emitted }: Done) =>
      emitted
        .filter(({ type }) => /^recommendation\.(?!settled)/.test(type))
        .map(({ type, data }) => [type, data.status])
    expect(
      [rec.raise(), rec.decide('applied'), rec.decide('open'), rec.end('cleared'), rec.raise()].flatMap(events),
    ).to.deep.equal([
      ['recommendation.opened', 'open'],
      ['recommendation.applied', 'applied'],
      ['recommendation.reopened', 'open'],
      ['recommendation.optimised', 'optimised'],
      ['recommendation.reopened', 'open'],
    ])
    expect(events(rec.raise({ savingsUsd: 7 }))).to.deep.equal([])
    const small = new Rec()
    expect(events(small.raise({ severity: 'medium' }))).to.deep.equal([])
  })

  it('is told to analysts at each change', () => {
    const rec = new Rec()
    const first = rec.raise()
    const row = first.facts[0]!.row
    expect([first.facts[0]!.table, row.status, row.savings_usd, row.gross_savings_usd]).to.deep.equal([
      'recommendation_state',
      'open',
      '100.00',
      '120.00',
    ])
    expect(rec.decide('dismissed', { note: 'not now' }).facts[0]!.row.status).to.equal('dismissed')
    expect(rec.state.history.at(-1)!.note).to.equal('not now')
  })
})
