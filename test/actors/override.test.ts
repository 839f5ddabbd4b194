import { expect } from 'chai'
import { overrideActor } from '#actors/schedule/override-actor.ts'
import { scopeKey, type OverrideScope, type ScopeMember } from '#actors/schedule/override-needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import { overrideCancelled, overrideDue, overrideRequested } from '#streams/schedule.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const now = Date.parse('2030-01-07T18:00:00Z')
const dayMs = 86_400_000
const member = (uid: string, account: string, fields: Partial<ScopeMember> = {}): ScopeMember => ({
  uid,
  account,
  name: `name of ${uid}`,
  status: 'running',
  schedulable: true,
  acting: false,
  ...fields,
})
const asked = (fields: object = {}) => ({
  overrideId: 'o-1',
  scopeType: 'resource_group' as const,
  scopeId: 'g-1',
  desiredState: 'stopped' as const,
  expiresAt: '2030-01-07T22:00:00.000Z',
  reason: 'Load test',
  userId: 'u-1',
  ...fields,
})
const needs = (scope: OverrideScope, scopeType = 'resource_group', scopeId = 'g-1') =>
  new Map([[scopeKey('o1', { scopeType, scopeId }), scope]])
const shop: OverrideScope = {
  name: 'Shop',
  members: [
    member('i-1', 'acct-1'),
    member('i-1', 'acct-2', { status: 'stopped' }),
    member('i-2', 'acct-1', { status: 'pending' }),
    member('d-1', 'acct-1', { schedulable: false }),
  ],
}
const actor = () => new MemoryActor(overrideActor, { place: '-', key: 'o-1' })
/** One of the group, made at 18:00. */
function made(fields: object = {}) {
  const one = actor()
  return { one, done: one.take(overrideRequested, asked(fields), { at: now, needs: needs(shop) }) }
}

describe('an override', () => {
  it('tells of itself once and brings into its state what can be, and is not so yet [G-22] [NOTIF-35]', () => {
    const { one, done } = made()
    const wanted = (account: string, uid: string) => ({
      type: 'action.wanted',
      data: {
        actionId: uuidOf('override', 'o-1', account, uid),
        cloudAccountId: account,
        resourceUid: uid,
        action: 'stop',
        reason: 'Load test',
        source: { type: 'override', id: 'o-1' },
      },
    })
    const [event, ...rest] = done.emitted
    expect(done.raised).to.deep.equal([event!.data])
    expect(rest).to.deep.equal([wanted('acct-1', 'i-1'), wanted('acct-1', 'i-2')])
    const { id, ...told } = event!.data
    expect(id).to.match(/^[0-9a-f-]{36}$/)
    expect([event!.type, told]).to.deep.equal([
      'resource.override',
      {
        eventType: 'resource.override',
        name: 'Override Triggered',
        category: 'resource',
        orgID: 'o1',
        occurredAt: '2030-01-07T18:00:00.000Z',
        title: 'An override keeps resource group Shop stopped',
        summary: 'Until 2030-01-07 22:00 UTC, schedules do not change it: Load test.',
        scope: { type: 'resource_group', id: 'g-1' },
        data: {
          overrideID: 'o-1',
          userID: 'u-1',
          desiredState: 'stopped',
          expiresAt: '2030-01-07T22:00:00.000Z',
          reason: 'Load test',
          members: [
            { resourceUid: 'i-1', cloudAccountID: 'acct-1' },
            { resourceUid: 'i-1', cloudAccountID: 'acct-2' },
            { resourceUid: 'i-2', cloudAccountID: 'acct-1' },
            { resourceUid: 'd-1', cloudAccountID: 'acct-1' },
          ],
        },
      },
    ])
    expect(done.replies).to.deep.equal([{ id: 'o-1' }])
    expect([...one.reminders]).to.deep.equal([['due', Date.parse('2030-01-07T22:00:00Z')]])
    expect([one.state.status, one.state.endedAt, one.state.createdAt]).to.deep.equal(['active', null, new Date(now)])
  })

  it('leaves to the power of a resource what is being started or stopped while it still shows what it was [G-22]', () => {
    const scope: OverrideScope = {
      name: 'Shop',
      members: ['a', 'b'].map((uid) => member(uid, 'x', { acting: uid === 'a' })),
    }
    const done = actor().take(overrideRequested, asked({ desiredState: 'running' }), { at: now, needs: needs(scope) })
    const wanted = done.emitted.filter(({ type }) => type === 'action.wanted')
    expect(wanted.map(({ data }) => [data.resourceUid, data.action])).to.deep.equal([['a', 'start']])
  })

  it('of one resource names it, and starts it', () => {
    const one = actor()
    const terms = asked({ scopeType: 'resource', scopeId: 'i-1', desiredState: 'running', reason: null })
    const scope = { name: '', members: [member('i-1', 'acct-1', { status: 'stopped' })] }
    const { emitted } = one.take(overrideRequested, terms, { at: now, needs: needs(scope, 'resource', 'i-1') })
    expect(emitted.map(({ type, data }) => data.title ?? `${type} ${data.action} ${data.reason}`)).to.deep.equal([
      'An override keeps name of i-1 running',
      'action.wanted start null',
    ])
    expect(emitted[0]!.data.summary).to.equal('Until 2030-01-07 22:00 UTC, schedules do not change it.')
    expect(emitted[0]!.data.data).to.not.have.property('reason')
  })

  it('is refused for what there is not, and unless it ends within 30 days [G-22]', () => {
    const refused = (fields: object, given: unknown = needs(shop)) =>
      actor().take(overrideRequested, asked(fields), { at: now, needs: given }).refused
    expect(refused({}, new Map())).to.equal('not_found')
    const ends = (ms: number) => refused({ expiresAt: new Date(now + ms).toISOString() })
    expect([ends(0), ends(-1), ends(30 * dayMs + 1)]).to.deep.equal(Array(3).fill('validation_failed'))
    expect([ends(1), ends(30 * dayMs)]).to.deep.equal([undefined, undefined])
    expect(refused({ scopeId: 'g-2' })).to.equal('not_found')
  })

  it('hands whoever it is about by then back to their schedules when its time is over [G-22] [S-27]', () => {
    const { one } = made()
    const later = { name: 'Shop', members: [member('i-1', 'acct-1'), member('i-3', 'acct-9')] }
    const delivery = { at: Date.parse('2030-01-07T22:00:00Z'), needs: needs(later), reminder: 'due' }
    const { emitted } = one.take(overrideDue, { overrideId: 'o-1' }, delivery)
    const demand = (cloudAccountId: string, resourceUid: string) => ({
      type: 'action.demand_asked',
      data: { cloudAccountId, resourceUid, overrideId: 'o-1' },
    })
    expect(emitted).to.deep.equal([demand('acct-1', 'i-1'), demand('acct-9', 'i-3')])
    const ended = new Date('2030-01-07T22:00:00Z')
    expect([one.state.status, one.state.endedAt, one.state.updatedAt]).to.deep.equal(['expired', ended, ended])
    expect(one.take(overrideDue, { overrideId: 'o-1' }, { needs: needs(later) }).emitted).to.deep.equal([])
    expect(one.take(overrideCancelled, { overrideId: 'o-1' }).refused).to.equal('invalid_transition')
  })

  it('that is cancelled ends alike, and its time is over without effect', () => {
    const { one } = made()
    const done = one.take(overrideCancelled, { overrideId: 'o-1' }, { needs: needs(shop) })
    expect(done.emitted.map(({ data }) => `${data.cloudAccountId} ${data.resourceUid}`)).to.deep.equal([
      'acct-1 i-1',
      'acct-2 i-1',
      'acct-1 i-2',
      'acct-1 d-1',
    ])
    expect([one.state.status, [...one.reminders]]).to.deep.equal(['cancelled', []])
    expect(one.take(overrideDue, { overrideId: 'o-1' }, { needs: needs(shop) }).emitted).to.deep.equal([])
    expect(one.take(overrideCancelled, { overrideId: 'o-1' }).refused).to.equal('invalid_transition')
    expect(actor().take(overrideCancelled, { overrideId: 'o-1' }).refused).to.equal('not_found')
  })

  it('ends though its resource or group is gone, and hands back those it had', () => {
    const { one } = made()
    const done = one.take(overrideCancelled, { overrideId: 'o-1' }, { needs: new Map() })
    expect(done.emitted.map(({ type, data }) => `${type} ${data.cloudAccountId} ${data.resourceUid}`)).to.deep.equal([
      'action.demand_asked acct-1 i-1',
      'action.demand_asked acct-2 i-1',
      'action.demand_asked acct-1 i-2',
      'action.demand_asked acct-1 d-1',
    ])
    expect(one.state.status).to.equal('cancelled')
  })
})
