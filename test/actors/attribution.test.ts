import { expect } from 'chai'
import { attributionActor } from '#actors/attribution/actor.ts'
import { decoder } from '#engine/value/schema.ts'
import { resourceGroupChanged, resourceGroupMembersChanged, teamAssigned, teamChanged } from '#streams/attribution.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const at = '2026-01-15T10:00:00.000Z'
const later = '2026-01-15T10:00:00.001Z'

/** Table and row of each fact, its version apart. */
const rowsOf = ({ facts }: Done) =>
  facts.map(({ table, row }) => ({
    table,
    row: Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'x_Version')),
  }))
const versionsOf = ({ facts }: Done): bigint[] => facts.map(({ row }) => BigInt(row.x_Version as string))

describe('the attribution of an organization', () => {
  let actor: MemoryActor<object>
  beforeEach(() => {
    actor = new MemoryActor(attributionActor as never, { place: '-', key: 'all' })
  })

  it('keeps a row for a team that is made, and says of one that is deleted that it is', () => {
    const made = actor.take(teamChanged, { teamId: 't-1', name: 'Payments', deleted: false, at })
    const gone = actor.take(teamChanged, { teamId: 't-1', name: 'Payments', deleted: true, at: later })
    const row = { org_id: 'o1', team_id: 't-1', name: 'Payments' }
    expect(rowsOf(made)).to.deep.equal([{ table: 'team_state', row: { ...row, deleted: 0 } }])
    expect(rowsOf(gone)).to.deep.equal([{ table: 'team_state', row: { ...row, deleted: 1 } }])
    expect(actor.state).to.deep.equal({ orgId: 'o1', key: 'all', changes: 2, lastAt: new Date(later) })
  })

  it('keeps a row for each resource that gets a team, or none', () => {
    const row = { org_id: 'o1', assigned_at: at }
    const given = actor.take(teamAssigned, { teamId: 't-1', resourceUids: ['i-1', 'i-2'], at })
    expect(rowsOf(given)).to.deep.equal([
      { table: 'team_assignment', row: { ...row, resource_uid: 'i-1', team_id: 't-1' } },
      { table: 'team_assignment', row: { ...row, resource_uid: 'i-2', team_id: 't-1' } },
    ])
    const taken = actor.take(teamAssigned, { teamId: '', resourceUids: ['i-1'], at: later })
    expect(rowsOf(taken)).to.deep.equal([
      { table: 'team_assignment', row: { org_id: 'o1', resource_uid: 'i-1', team_id: '', assigned_at: later } },
    ])
  })

  it('keeps rows for groups, and for who joined and who left', () => {
    const group = actor.take(resourceGroupChanged, { groupId: 'g-1', name: 'Shop', deleted: false, at })
    expect(rowsOf(group)).to.deep.equal([
      { table: 'resource_group_state', row: { org_id: 'o1', group_id: 'g-1', name: 'Shop', deleted: 0 } },
    ])
    const members = actor.take(resourceGroupMembersChanged, {
      groupId: 'g-1',
      added: [{ resourceUid: 'i-2', addedAt: later }],
      removed: [{ resourceUid: 'i-1', addedAt: at }],
      at: later,
    })
    const row = { org_id: 'o1', group_id: 'g-1' }
    expect(rowsOf(members)).to.deep.equal([
      { table: 'resource_group_member', row: { ...row, resource_uid: 'i-1', added_at: at, removed: 1 } },
      { table: 'resource_group_member', row: { ...row, resource_uid: 'i-2', added_at: later, removed: 0 } },
    ])
  })

  it('lets the later change win, although its message comes first and says an earlier time', () => {
    const time = Date.parse('2026-01-15T09:00:00Z')
    const second = actor.take(teamAssigned, { teamId: 't-2', resourceUids: ['i-1'], at: later }, { time })
    const first = actor.take(teamAssigned, { teamId: 't-1', resourceUids: ['i-1'], at })
    expect(versionsOf(second)[0]! > versionsOf(first)[0]!).to.equal(true)
    expect(actor.state).to.deep.include({ changes: 2, lastAt: new Date(later) })
  })

  it('takes the examples of its messages, and no more than 2000 resources at once', () => {
    for (const subject of [teamChanged, teamAssigned, resourceGroupChanged, resourceGroupMembersChanged])
      for (const example of subject.examples) expect(() => decoder(subject.schema)(example)).not.to.throw()
    const assigned = (count: number) => ({ ...teamAssigned.examples[0]!, resourceUids: Array(count).fill('i-1') })
    expect(() => decoder(teamAssigned.schema)(assigned(2000))).not.to.throw()
    expect(() => decoder(teamAssigned.schema)(assigned(2001))).to.throw()
  })
})
