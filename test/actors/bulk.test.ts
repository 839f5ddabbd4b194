import { expect } from 'chai'
import fc from 'fast-check'
import { bulkActor } from '#actors/action/bulk.ts'
import type { BulkAction } from '#actors/action/entity.ts'
import type { Membership } from '#actors/action/bulk-needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import {
  bulkExpired,
  bulkMemberEnded,
  bulkRequested,
  type ActionSource,
  type memberOutcomes,
  type PowerAction,
} from '#streams/action/messages.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

type Outcome = (typeof memberOutcomes)[number]

const member = (uid: string, tier = 1, place = 0, account: string | null = 'acct-1', group = 'g-1'): Membership => ({
  group_id: group,
  resource_uid: uid,
  tier,
  place,
  cloud_account_id: account,
})
/** The group of scenario S-26. */
const s26 = [member('A'), member('B', 1, 1), member('C', 2), member('D', 2), member('E', 3)]
const people: ActionSource = { type: 'bulk', id: 'b-1', bulkId: 'b-1' }
const night: ActionSource = { type: 'schedule', id: 's-1', name: 'Night', eventId: 'e-1' }
const idOf = (uid: string, account = 'acct-1') => uuidOf('bulk', 'b-1', account, uid)

class World {
  readonly actor = new MemoryActor<BulkAction>(bulkActor as never, { place: '-', key: 'b-1' })

  ask(
    members: readonly Membership[],
    action: PowerAction = 'start',
    fields: Partial<Static<typeof bulkRequested.schema>> = {},
  ): Done {
    const asked = { bulkId: 'b-1', groupIds: ['g-1'], except: [], action, reason: null, source: people, ...fields }
    return this.actor.take(bulkRequested, asked, { needs: new Map([['o1\0b-1', members]]) })
  }

  end(uid: string, outcome: Outcome = 'succeeded', account = 'acct-1', message?: string): Done {
    const actionId = idOf(uid, account)
    const ended = { bulkId: 'b-1', actionId, cloudAccountId: account, resourceUid: uid, outcome }
    return this.actor.take(bulkMemberEnded, { ...ended, ...(message && { message }) })
  }

  get shown(): string {
    const { status, total, completed, failed } = this.actor.state
    return `${status} ${completed}+${failed} of ${total}`
  }
}

const wanted = (done: Done) =>
  done.emitted.filter(({ type }) => type === 'action.wanted').map(({ data }) => data.resourceUid as string)
const told = (done: Done) =>
  done.emitted
    .filter(({ type }) => type === 'scheduler_event.member_ended')
    .map(({ data }) => `${data.cloudAccountId}/${data.resourceUid} ${data.outcome}`)

describe('actor bulk', () => {
  let w: World
  beforeEach(() => void (w = new World()))

  it('starts tier by tier, in each by order, the next behind all of the one before, failed ones too [ACT-10] [ACT-11] [ACT-12]', () => {
    const begun = w.ask([...s26].reverse())
    expect(begun.replies).to.deep.equal([{ bulkActionId: 'b-1', total: 5 }])
    expect(begun.emitted.map(({ data }) => data)).to.deep.equal([
      {
        actionId: idOf('A'),
        cloudAccountId: 'acct-1',
        resourceUid: 'A',
        action: 'start',
        reason: null,
        source: people,
      },
    ])
    expect(w.shown).to.equal('running 0+0 of 5')
    expect(wanted(w.end('A'))).to.deep.equal(['B'])
    expect(wanted(w.end('B'))).to.deep.equal(['C', 'D'])
    expect(wanted(w.end('D'))).to.deep.equal([])
    expect(wanted(w.end('C'))).to.deep.equal(['E'])
    expect(w.actor.state.endedAt).to.equal(null)
    w.end('E', 'failed', 'acct-1', 'no capacity')
    expect(w.shown).to.equal('completed 4+1 of 5')
    expect([w.actor.state.endedAt, w.actor.state.members[4]!.message]).to.deep.equal([
      w.actor.state.updatedAt,
      'no capacity',
    ])
  })

  it('stops in exactly the reverse [ACT-12]', () => {
    const calls = wanted(w.ask(s26, 'stop'))
    for (const uid of ['E', 'D', 'C', 'B', 'A']) calls.push(...wanted(w.end(uid)))
    expect(calls).to.deep.equal(['E', 'D', 'C', 'B', 'A'])
    expect(w.shown).to.equal('completed 5+0 of 5')
  })

  it('begins at most ten of a step at once, another as soon as one has ended', () => {
    const uids = Array.from({ length: 12 }, (_, i) => `i-${10 + i}`)
    expect(wanted(w.ask([...uids.map((uid) => member(uid)), member('z', 2)]))).to.deep.equal(uids.slice(0, 10))
    expect(wanted(w.end('i-15'))).to.deep.equal(['i-20'])
    expect(wanted(w.end('i-10', 'failed'))).to.deep.equal(['i-21'])
    for (const uid of uids.filter((uid) => !['i-10', 'i-15', 'i-21'].includes(uid)))
      expect(wanted(w.end(uid)), uid).to.deep.equal([])
    expect(wanted(w.end('i-21'))).to.deep.equal(['z'])
  })

  it('is over at once without members, and failed where all of them are or the group is gone [ACT-02]', () => {
    expect(w.ask([member('', 0, 0, null)].map((row) => ({ ...row, resource_uid: null }))).replies).to.deep.equal([
      { bulkActionId: 'b-1', total: 0 },
    ])
    expect(w.shown).to.equal('completed 0+0 of 0')
    w = new World()
    w.ask([])
    expect(w.shown).to.equal('failed 0+0 of 0')
    w = new World()
    w.ask([member('A'), member('B', 2)])
    w.end('A', 'failed')
    w.end('B', 'failed')
    expect(w.shown).to.equal('failed 0+2 of 2')
  })

  it('counts what no account has as failed, without an action, and goes on behind it', () => {
    const begun = w.ask([member('gone', 1, 0, null), member('A', 2), member('lost', 3, 0, null)])
    expect([wanted(begun), w.shown]).to.deep.equal([['A'], 'running 0+1 of 3'])
    w.end('A')
    expect(w.shown).to.equal('completed 1+2 of 3')
    expect(w.actor.state.members[2]!.message).to.equal('The resource is not in any cloud account.')
  })

  it('takes a uid that two accounts have as one member, which succeeds in both or fails', () => {
    const both = [member('A', 1, 0, 'acct-1'), member('A', 1, 0, 'acct-2'), member('B', 2)]
    const begun = w.ask(both)
    expect(begun.emitted.map(({ data }) => [data.actionId, data.cloudAccountId])).to.deep.equal([
      [idOf('A', 'acct-1'), 'acct-1'],
      [idOf('A', 'acct-2'), 'acct-2'],
    ])
    expect(wanted(w.end('A', 'failed', 'acct-2', 'refused'))).to.deep.equal([])
    expect(wanted(w.end('A', 'succeeded', 'acct-1'))).to.deep.equal(['B'])
    expect([w.shown, w.actor.state.members[0]!.message]).to.deep.equal(['running 0+1 of 2', 'refused'])
  })

  it('takes a uid of several groups once, as its first has it, and leaves out what goes by itself', () => {
    const members = [
      member('A', 2, 5),
      member('B', 1),
      member('A', 1, 0, 'acct-1', 'g-2'),
      member('C', 9, 0, 'acct-1', 'g-2'),
    ]
    const begun = w.ask(members, 'start', { groupIds: ['g-1', 'g-2'], except: ['C'], source: night })
    expect([begun.replies, wanted(begun)]).to.deep.equal([[{ bulkActionId: 'b-1', total: 2 }], ['B']])
    expect(wanted(w.end('B'))).to.deep.equal(['A'])
  })

  it('hears of an end once, and only of its own actions', () => {
    w.ask([member('A'), member('B', 2)])
    const stranger = { bulkId: 'b-1', actionId: 'a-0', cloudAccountId: 'acct-1', resourceUid: 'A' }
    w.actor.take(bulkMemberEnded, { ...stranger, outcome: 'failed' })
    w.end('Z', 'failed')
    expect(w.shown).to.equal('running 0+0 of 2')
    w.end('A')
    w.end('A', 'failed')
    expect(w.shown).to.equal('running 1+0 of 2')
  })

  it('is not shown when a schedule asks, and tells its event each member once, blocked ones too', () => {
    w.ask([member('A'), member('A', 1, 0, 'acct-2'), member('B', 1, 1), member('gone', 2, 0, null)], 'start', {
      source: night,
    })
    expect([w.actor.state.shown, w.actor.state.source]).to.deep.equal([false, { ...night, bulkId: 'b-1' }])
    expect(told(w.end('A'))).to.deep.equal([])
    expect(told(w.end('A', 'succeeded', 'acct-2'))).to.deep.equal(['acct-1/A succeeded'])
    expect(told(w.end('B', 'blocked'))).to.deep.equal(['acct-1/B blocked', '/gone failed'])
    expect(w.shown).to.equal('completed 1+1 of 3')
    expect(told(new World().ask(s26))).to.deep.equal([])
  })

  it('is forgotten when it has ended long ago', () => {
    expect(w.ask([]).removed).to.equal(false)
    expect(w.actor.take(bulkExpired, { bulkId: 'b-1' }).removed).to.equal(true)
  })

  it('ends with every member counted once, never more than ten under way, none before the step it stands behind [G-61]', () => {
    const members = fc.uniqueArray(
      fc.record({
        uid: fc.integer({ min: 0, max: 40 }),
        tier: fc.integer({ min: 1, max: 3 }),
        place: fc.integer({ min: 0, max: 1 }),
      }),
      { selector: ({ uid }) => uid, minLength: 1, maxLength: 30 },
    )
    const outcomes = fc.infiniteStream(fc.record({ pick: fc.nat(), isWell: fc.boolean() }))
    fc.assert(
      fc.property(members, fc.constantFrom('start' as const, 'stop' as const), outcomes, (list, action, chosen) => {
        const play = new World()
        const stepOf = new Map(list.map(({ uid, tier, place }) => [`i-${uid}`, tier * 10 + place]))
        const running = new Set(
          wanted(
            play.ask(
              list.map(({ uid, tier, place }) => member(`i-${uid}`, tier, place)),
              action,
            ),
          ),
        )
        const begun = [...running]
        let failed = 0
        while (running.size > 0) {
          expect(running.size).to.be.at.most(10)
          expect(new Set([...running].map((uid) => stepOf.get(uid))).size).to.equal(1)
          const { pick, isWell } = chosen.next().value!
          const uid = [...running][pick % running.size]!
          failed += Number(!isWell)
          running.delete(uid)
          for (const next of wanted(play.end(uid, isWell ? 'succeeded' : 'failed'))) {
            begun.push(next)
            running.add(next)
          }
        }
        const steps = begun.map((uid) => stepOf.get(uid)!)
        expect(steps).to.deep.equal(steps.toSorted((a, b) => (action === 'start' ? a - b : b - a)))
        expect(begun.toSorted()).to.deep.equal([...stepOf.keys()].toSorted())
        const status = failed === list.length ? 'failed' : 'completed'
        expect(play.shown).to.equal(`${status} ${list.length - failed}+${failed} of ${list.length}`)
      }),
      { numRuns: 200 },
    )
  })
})
