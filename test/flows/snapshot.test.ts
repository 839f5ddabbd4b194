import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { keepAssignments } from '#analytics/snapshot/assignments.ts'
import { uuidOf } from '#engine/value/id.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { ask, colleague, founder, resetClock, setClock, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const line = (lineId: string, usageDate: string, resourceUid: string, costUSD: number) => ({
  lineId,
  cloudAccountId: 'acct-1',
  provider: 'aws' as const,
  resourceUid,
  serviceName: 'ec2',
  usageDate,
  costUSD,
  exportedAt: `${usageDate}T12:00:00Z`,
})

const close = (orgId: string, period?: string) =>
  ask('POST', '/internal/jobs/monthly-snapshot/run', { body: { orgId, ...(period && { period }) } })

describe('monthly snapshots', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  afterEach(resetClock)

  const listed = async (): Promise<any[]> => (await org.get('/reports/snapshots')).body.data
  const january = 'from=2026-01-01&to=2026-01-31'
  const february = 'from=2026-02-01&to=2026-02-28'
  const bill = () =>
    org.publish(billingLine, [
      line('a', '2026-01-05', 'r1', 100),
      line('b', '2026-01-31', 'r2', 110),
      line('c', '2026-01-15', 'r3', 100),
      line('d', '2026-02-01', 'r1', 10),
      line('e', '2026-02-01', 'r2', 20),
    ])

  const billedLater = async () => {
    await org.publish(billingLine, [line('late', '2026-01-31', 'r9', 5)])
    const trends: any[] = (await org.get(`/reports/trends?${january}`)).body.data.items
    const spent = trends.filter(({ costUSD }) => costUSD !== 0).map(({ date, costUSD }) => [date, costUSD])
    expect(spent).to.deep.equal([
      ['2026-01-05', 100],
      ['2026-01-15', 100],
      ['2026-01-31', 115],
    ])
    await close(org.orgId, '2026-01')
  }

  it('close a month once with its totals, which later lines and runs leave as they are [REP-41] [SNAP-01] [SNAP-02]', async () => {
    await bill()
    const saved = {
      org_id: org.orgId,
      cloud_account_id: 'acct-1',
      source: 'schedule',
      source_id: 's-1',
      x_Version: '1',
    }
    await org.put('saving_daily', [
      { ...saved, day: '2026-01-05', resource_uid: 'r1', saved: '12.15' },
      { ...saved, day: '2026-01-06', resource_uid: 'r4', saved: '0.25' },
      { ...saved, day: '2026-02-01', resource_uid: 'r1', saved: '7' },
    ])
    expect((await close(org.orgId, '2026-01')).status).to.equal(202)
    const nobody = await close(randomUUID(), '2026-01')
    expect([nobody.status, nobody.body.code]).to.deep.equal([404, 'not_found'])
    const [snapshot, ...others] = await listed()
    const { createdAt, ...rest } = snapshot
    expect(rest).to.deep.equal({
      id: uuidOf('snapshot', org.orgId, '2026-01'),
      period: '2026-01',
      totalCostUSD: 310,
      totalSavingsUSD: 12.4,
      resourceCount: 3,
    })
    expect([others, new Date(createdAt).toISOString()]).to.deep.equal([[], createdAt])
    const meta = { from: '2026-01-01', to: '2026-01-31', cost: 'billed', savings: 'reported', currency: 'USD' }
    expect((await org.get('/reports/snapshots')).body.meta).to.deep.equal(meta)

    // In `npm test` test/actors/snapshot.test.ts alone shows that a later run changes nothing.
    if (isDeep) await billedLater()
    expect(await listed()).to.deep.equal([snapshot])
    const facts = `SELECT period, toString(total_cost_usd) AS cost, toString(total_savings_usd) AS saved, toUInt32(resources) AS n
      FROM snapshot_state FINAL WHERE org_id = {org:String}`
    expect(await org.facts(facts)).to.deep.equal([{ period: 202601, cost: '310', saved: '12.4', n: 3 }])

    const reportScope = { all: false, cloudAccountIDs: ['acct-1'] }
    const role = { name: 'Narrow', permissions: ['service.view'], reportScope }
    const { id } = (await org.send('POST', '/roles', role)).body.data
    const part = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, id)
    const seen = await ask('GET', '/reports/snapshots', { token: part.accessToken })
    expect([seen.status, seen.body.data], 'to who sees a part of the costs').to.deep.equal([200, []])
    expect((await (await tenant()).get('/reports/snapshots')).body.data, 'to another organization').to.deep.equal([])
  })

  deepIt(
    'keep the teams a closed month had, while the open one follows every move, and sums stay the total [SNAP-02]',
    async () => {
      await bill()
      const team = async (name: string) => (await org.send('POST', '/teams', { name })).body.data.id as string
      const [ant, bee] = [await team('Ant'), await team('Bee')]
      const give = (id: string, ...resourceUIDs: string[]) =>
        org.send('POST', `/teams/${id}/resources`, { resourceUIDs })
      await give(ant, 'r1')
      await give(bee, 'r2')
      // An earlier try that ended halfway, when r3 still had a team.
      const left = { org_id: org.orgId, period: 202601, resource_uid: 'r3', team_id: ant }
      await org.put('closed_assignment', [left])
      const costs = async (range: string): Promise<Record<string, number>> => {
        const rows: any[] = (await org.get(`/reports/teams?${range}`)).body.data
        return Object.fromEntries(rows.map((row) => [row.teamName, row.costUSD]))
      }
      const closed = { Ant: 100, Bee: 110, Unassigned: 100 }
      expect([await costs(january), await costs(february)]).to.deep.equal([closed, { Ant: 10, Bee: 20 }])

      await close(org.orgId, '2026-01')
      await give(bee, 'r1')
      await give(ant, 'r3')
      expect([await costs(january), await costs(february)]).to.deep.equal([closed, { Bee: 30 }])
      expect(await costs('from=2026-01-01&to=2026-02-28')).to.deep.equal({ Ant: 100, Bee: 140, Unassigned: 100 })
      await close(org.orgId, '2026-01')
      // A run that began before the month was closed.
      await keepAssignments(org.connections.clickhouse, org.orgId, '2026-01')
      await org.send('DELETE', `/teams/${bee}`)
      expect([await costs(january), await costs(february)]).to.deep.equal([closed, { Unassigned: 30 }])
    },
  )

  deepIt(
    'are taken on the 3rd at 05:00 UTC, missed ones too, with zeros for a month without costs [REP-41]',
    async () => {
      const body = { name: 'Quiet', provider: 'aws', externalID: 'quiet-1' }
      expect((await org.send('POST', '/cloud-accounts', body)).status).to.equal(201)
      const nextDue = async () => {
        const sql = `select next_due_at as due from job where org_id = $1 and name = 'monthly-snapshot'`
        const { rows } = await org.connections.store.pool.query<{ due: Date }>(sql, [org.orgId])
        return rows[0]?.due
      }
      await until('the job to begin', async () => Boolean(await nextDue()))
      const due = (await nextDue())!
      expect(due.toISOString()).to.match(/-03T05:00:00\.000Z$/)
      const month = (back: number) =>
        new Date(Date.UTC(due.getUTCFullYear(), due.getUTCMonth() - back)).toISOString().slice(0, 7)
      await org.publish(billingLine, [line('x', `${month(1)}-01`, 'r1', 4.005)])
      const later = new Date(Date.UTC(due.getUTCFullYear(), due.getUTCMonth() + 1, 3, 5, 0, 1))
      await setClock(later, org.orgId)
      await until('both months to be closed', async () => (await listed()).length === 2)
      const shown = (await listed()).map((s) => [s.period, s.totalCostUSD, s.totalSavingsUSD, s.resourceCount])
      expect(shown).to.deep.equal([
        [month(0), 0, 0, 0],
        [month(1), 4.01, 0, 1],
      ])
    },
  )

  it('are not taken of a month that is not over', async () => {
    const month = new Date().toISOString().slice(0, 7)
    for (const period of [month, '2101-01']) {
      const { status, body } = await close(org.orgId, period)
      expect([status, body.code], period).to.deep.equal([422, 'job_failed'])
    }
    expect(await listed()).to.deep.equal([])
  })

  deepIt(
    'show nothing to who may see only part of the costs, and nothing of other organizations [REP-41]',
    async () => {
      const owner = await founder()
      await close(owner.orgId, '2026-01')
      const seen = async ({ accessToken }: { accessToken: string }) =>
        (await ask('GET', '/reports/snapshots', { token: accessToken })).body.data.length
      const reportScope = { all: false, cloudAccountIDs: ['acct-1'] }
      const role = { name: 'Narrow', permissions: ['service.view'], reportScope }
      const { id } = (await ask('POST', '/roles', { token: owner.accessToken, body: role })).body.data
      expect([await seen(owner), await seen(await colleague(owner, id)), (await listed()).length]).to.deep.equal([
        1, 0, 0,
      ])
    },
  )
})
