import { expect } from 'chai'
import { makeGroup, replaceMembers } from '#actors/attribution/group/change.ts'
import { assignResources, makeTeam } from '#actors/attribution/team/change.ts'
import { makeBudget } from '#actors/budget/change.ts'
import { makeMetric, pushValues } from '#actors/unit-metric/change.ts'
import { change, type RecordChange } from '#engine/run/tell.ts'
import { schedulerEventRecorded } from '#streams/schedule.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('a change of plain records that no request asked for', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))
  const now = () => new Date('2026-01-15T10:00:00.000Z')
  const changed = <T>(work: (tx: RecordChange) => Promise<T>): Promise<T> => {
    const em = org.connections.orm.em.fork()
    const asker = org.product.get(tokens.asker)
    return change({ em, orgId: org.orgId, asker, now, transaction: (tx, run) => tx.transactional(run) }, work)
  }

  const event = {
    eventId: 'e-1',
    scheduleId: 's',
    action: 'stop' as const,
    triggeredAt: '2026-01-14T20:00:00.000Z',
    status: 'completed' as const,
    resourceUids: ['i-1', 'i-1'],
    wanted: 0,
    at: '2026-01-15T10:00:00.000Z',
  }

  it('is what readers find, and its actors know of it', async () => {
    const made = await changed(async (tx) => {
      const team = await makeTeam(tx, { name: ' Shop ' })
      const group = await makeGroup(tx, { name: 'Night' })
      return {
        team: team.id,
        group: group.id,
        budget: await makeBudget(tx, { teamName: 'Shop', monthlyBudgetUSD: 50 }),
      }
    })
    await changed((tx) => assignResources(tx, made.team, ['i-1', 'i-2', 'i-1']))
    await changed((tx) => replaceMembers(tx, made.group, [{ resourceUID: 'i-1', tier: 2 }]))
    const { data: team } = (await org.get(`/teams/${made.team}`)).body
    const { data: group } = (await org.get(`/resource-groups/${made.group}`)).body
    const { data: budget } = (await org.get(`/budgets/${made.budget}`)).body
    expect([team.name, team.resourceCount]).to.deep.equal(['Shop', 2])
    expect(group.members).to.deep.equal([{ resourceUID: 'i-1', tier: 2, order: 0 }])
    expect([budget.teamName, budget.monthlyBudgetUSD, budget.status]).to.deep.equal(['Shop', 50, 'green'])
    const assigned = `SELECT resource_uid, team_id FROM team_assignment FINAL WHERE org_id = {org:String} ORDER BY resource_uid`
    expect(await org.facts(assigned)).to.deep.equal([
      { resource_uid: 'i-1', team_id: made.team },
      { resource_uid: 'i-2', team_id: made.team },
    ])
  })

  it('of unit metrics and schedules has the same checks and effects', async () => {
    const tools = { seal: String, allowPrivate: false }
    const given = { name: 'Orders', key: 'orders', unit: 'order', ingestion: 'push', aggregation: 'sum' } as const
    const metric = await changed((tx) => makeMetric(tx, given, tools))
    await changed((tx) => pushValues(tx, metric.id, new Map([[Date.UTC(2026, 0, 2), 3]])))
    const values = `SELECT value FROM unit_metric_value WHERE org_id = {org:String}`
    expect(await org.facts(values)).to.deep.equal([{ value: 3 }])
    const pull = { url: 'http://10.0.0.1/', timestampField: 't', valueField: 'v', intervalMinutes: 15 }
    const wrong = await changed((tx) =>
      makeMetric(tx, { ...given, key: 'other', ingestion: 'pull', pull }, tools),
    ).catch((error: unknown) => error)
    expect(wrong).to.deep.include({ kind: 'invalid', code: 'validation_failed' })
    expect((wrong as { detail: unknown }).detail).to.have.nested.property('problems[0].path', '/pull/url')
    await changed((tx) => tx.tell(schedulerEventRecorded, event))
    const { data } = (await org.get('/events')).body
    expect(data.map((one: { id: string; resources: string[] }) => [one.id, one.resources])).to.deep.equal([
      ['e-1', ['i-1']],
    ])
  })

  it('that tells what its subject does not allow is refused, and not found out by a dead letter', async () => {
    const wrong = { ...event, eventId: 'e-2', status: 'fine' } as never
    const refused = changed((tx) => tx.tell(schedulerEventRecorded, wrong))
    expect(await refused.catch((caught: unknown) => caught)).to.deep.include({ kind: 'defect' })
    expect((await org.get('/events')).body.data).to.have.length(1)
  })

  it('that is refused leaves nothing', async () => {
    const error = await changed(async (tx) => {
      await makeTeam(tx, { name: 'Ghost' })
      await assignResources(tx, 'no-such-team', ['i-9'])
    }).catch((caught: unknown) => caught)
    expect(error).to.deep.include({ kind: 'missing' })
    expect((await org.get('/teams?search=Ghost')).body.data.items).to.deep.equal([])
  })
})
