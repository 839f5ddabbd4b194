import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const daysAgo = (count: number): string => dayOf(Date.now() - count * 86_400_000)
const today = daysAgo(0)

const of = (kind: 'spend' | 'forecast', percent: number) => ({ percent, of: kind })

const line = (uid: string, costUSD: number, usageDate = today) => ({
  lineId: `${uid} ${usageDate}`,
  cloudAccountId: 'acct-1',
  provider: 'aws' as const,
  serviceName: 'Compute',
  usageDate,
  costUSD,
  ResourceId: uid,
  purchaseType: 'on_demand' as const,
  source: 'actual' as const,
  exportedAt: new Date().toISOString(),
})

/** The month end of what no day of is complete. */
const nothing = {
  monthToDateUSD: 0,
  forecastUSD: 0,
  lowUSD: null,
  highUSD: null,
  basis: 'untested',
  heldPercent: null,
  expectedToExceedOn: null,
  method: 'daily_median',
  settledThrough: null,
}

describe('budgets', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const spend = (uid: string, costUSD: number) => org.publish(billingLine, [line(uid, costUSD)])
  const team = async (name: string, ...resourceUIDs: string[]): Promise<string> => {
    const { id } = (await org.send('POST', '/teams', { name })).body.data
    if (resourceUIDs.length > 0) await org.send('POST', `/teams/${id}/resources`, { resourceUIDs })
    return id
  }
  const group = async (...uids: string[]): Promise<string> => {
    const members = uids.map((resourceUID) => ({ resourceUID }))
    return (await org.send('POST', '/resource-groups', { name: `G ${randomUUID()}`, members })).body.data.id
  }
  const make = async (body: object) => {
    const made = await org.send('POST', '/budgets', body)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data
  }
  const list = async () => (await org.get('/budgets')).body.data
  const summary = async () => (await org.get('/budgets/summary')).body.data
  const standing = ({ status, currentSpendUSD, remainingUSD, percentUsed }: any) =>
    [status, currentSpendUSD, remainingUSD, percentUsed] as const
  const refusal = ({ status, body }: any) => [status, body.code, body.errors?.map((e: any) => e.name)]

  it('go from green to yellow to red by what the team spent this month, unrounded, and are summed up [BUD-01] [BUD-03] [BUD-07] [BUD-09] [BUD-10] [BUD-11]', async () => {
    const empty = {
      totalBudgetUSD: 0,
      totalSpendUSD: 0,
      percentUsed: 0,
      budgetCount: 0,
      overBudgetCount: 0,
      expectedToExceedCount: 0,
      forecast: null,
      overlaps: false,
      organization: null,
    }
    expect(await summary()).to.deep.equal(empty)
    const cases = [
      ['a', 799.99, 'green', 799.99, 200.01, 80],
      ['b', 799.999, 'green', 800, 200, 80],
      ['c', 800, 'yellow', 800, 200, 80],
      ['d', 999.99, 'yellow', 999.99, 0.01, 100],
      ['e', 1000, 'red', 1000, 0, 100],
    ] as const
    const teamIDs = await Promise.all([...cases.map(([name]) => team(name, `i-${name}`)), team('Side', 'i-side')])
    const spent = cases.map(([name, usd]) => line(`i-${name}`, usd))
    await org.publish(billingLine, [...spent, line('i-side', 250), line('i-a', 5000, daysAgo(31))])
    const limits = { resourceGroupID: '', monthlyBudgetUSD: 1000, alertThresholdPercent: 80 }
    const all = await Promise.all(cases.map(([teamName]) => make({ teamName, ...limits })))
    for (const [at, [teamName, , ...expected]] of cases.entries()) {
      const made = all[at]
      const [status, currentSpendUSD, remainingUSD, percentUsed] = expected
      expect(made, teamName).to.deep.equal({
        id: made.id,
        scope: { kind: 'team', id: teamIDs[at], name: teamName },
        teamName,
        resourceGroupID: '',
        monthlyBudgetUSD: 1000,
        alertThresholdPercent: 80,
        thresholds: [],
        currentSpendUSD,
        remainingUSD,
        percentUsed,
        status,
        // Of the days with bills the newest that is complete lies weeks back.
        forecast: null,
        createdAt: made.createdAt,
        updatedAt: made.createdAt,
      })
    }
    await spend('i-a', 1200)
    expect((await list()).map(standing)[0], 'the same line, restated').to.deep.equal(['red', 1200, -200, 120])
    await make({ teamName: 'Side', monthlyBudgetUSD: 500 })
    expect(await summary()).to.deep.equal({
      totalBudgetUSD: 5500,
      totalSpendUSD: 5049.99,
      percentUsed: 91.82,
      budgetCount: 6,
      overBudgetCount: 2,
      expectedToExceedCount: 2,
      forecast: null,
      overlaps: false,
      organization: null,
    })
  })

  describe('of one organization with costs of today', () => {
    let shared: Tenant
    before(async () => {
      shared = await tenant()
      const costs = { 'i-1': 10, 'i-2': 20, 'i-3': 40, 'i-4': 1000, 'i-5': 90, 'i-6': 10, 'i-7': 20 }
      await shared.publish(
        billingLine,
        Object.entries(costs).map(([uid, usd]) => line(uid, usd)),
      )
    })
    beforeEach(() => void (org = shared))
    afterEach(async () => {
      for (const { id } of await list()) await org.send('DELETE', `/budgets/${id}`)
    })

    it('are listed by what is used up of them, a group before a team where both are named [BUD-02] [BUD-07]', async () => {
      const [, both, none] = await Promise.all([team('Core', 'i-1', 'i-2'), group('i-1', 'i-3'), group()])
      await make({ resourceGroupID: none, monthlyBudgetUSD: 100 })
      await make({ teamName: 'core', monthlyBudgetUSD: 100 })
      await make({ teamName: 'Core', resourceGroupID: both, monthlyBudgetUSD: 100, alertThresholdPercent: 49.5 })
      const later = await make({ teamName: 'Not there yet', monthlyBudgetUSD: 100 })
      const shown = await list()
      expect(shown.slice(0, 2).map(standing)).to.deep.equal([
        ['yellow', 50, 50, 50],
        ['green', 30, 70, 30],
      ])
      const rest = shown.slice(2)
      expect(rest.map(standing)).to.deep.equal(Array(2).fill(['green', 0, 100, 0]))
      expect(rest.map((one: any) => one.id)).to.deep.equal(rest.map((one: any) => one.id).toSorted())
      expect((await org.get(`/budgets/${later.id}`)).body.data).to.deep.equal(later)

      await team('not There YET', 'i-4')
      expect(standing((await list())[0])).to.deep.equal(['red', 1000, -900, 1000])
    })

    it('are changed in part; nothing sets the status or what follows from the rest [BUD-04] [BUD-12]', async () => {
      await team('Web', 'i-5')
      const made = await make({ teamName: 'Web', monthlyBudgetUSD: 100 })
      expect(standing(made)).to.deep.equal(['yellow', 90, 10, 90])
      const put = async (body: object) => (await org.send('PUT', `/budgets/${made.id}`, body)).body.data
      const derived = { status: 'red', currentSpendUSD: 'much', percentUsed: 1, id: 'x', updatedAt: 'now', more: null }
      expect(await put(derived)).to.deep.equal(made)
      const raised = await put({ ...derived, monthlyBudgetUSD: 200 })
      expect(raised).to.deep.equal({
        ...made,
        monthlyBudgetUSD: 200,
        remainingUSD: 110,
        percentUsed: 45,
        status: 'green',
        updatedAt: raised.updatedAt,
      })
      expect(raised.updatedAt > made.updatedAt).to.equal(true)
      expect((await put({ alertThresholdPercent: 45 })).status).to.equal('yellow')
      const twice = [of('forecast', 100), of('spend', 90), of('spend', 50), of('spend', 90)]
      expect((await put({ thresholds: twice })).thresholds).to.deep.equal([
        of('spend', 50),
        of('spend', 90),
        of('forecast', 100),
      ])
      expect((await put({ monthlyBudgetUSD: 200 })).thresholds.length).to.equal(3)
      expect((await org.send('PUT', `/budgets/${made.id}`, { thresholds: [of('spend', 0)] })).status).to.equal(400)
      const id = await group('i-none')
      expect(standing(await put({ teamName: '', resourceGroupID: id }))).to.deep.equal(['green', 0, 200, 0])
      const changed = { teamName: '', resourceGroupID: id, monthlyBudgetUSD: 200, alertThresholdPercent: 45 }
      expect((await list())[0]).to.deep.include(changed)
      for (const [body, name] of [
        [{ resourceGroupID: '' }, '/teamName'],
        [{ monthlyBudgetUSD: 0 }, '/monthlyBudgetUSD'],
        [{ alertThresholdPercent: '50' }, '/alertThresholdPercent'],
        [{ resourceGroupID: 'no group' }, '/resourceGroupID'],
      ] as const) {
        const refused = await org.send('PUT', `/budgets/${made.id}`, body)
        expect(refusal(refused)).to.deep.equal([400, 'validation_failed', [name]])
      }
      expect((await list())[0]).to.deep.include(changed)
    })

    deepIt('are seen by a role with a report scope where they are for its teams, with the same spend', async () => {
      const [own, , groupId] = await Promise.all([team('Own', 'i-6'), team('Other', 'i-7'), group('i-6')])
      const mine = await make({ teamName: 'Own', monthlyBudgetUSD: 100 })
      const other = await make({ teamName: 'Other', monthlyBudgetUSD: 100 })
      await make({ teamName: 'Own', resourceGroupID: groupId, monthlyBudgetUSD: 100 })
      const permissions = ['service.view', 'service.create', 'service.update', 'service.delete']
      const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [own] }
      const role = await org.send('POST', '/roles', { name: 'narrow', permissions, reportScope })
      const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
      const benAsks = (method: string, path: string, body?: object) =>
        ask(method, `/budgets${path}`, { token: ben.accessToken, body })
      expect((await benAsks('GET', '')).body.data).to.deep.equal([mine])
      expect((await benAsks('GET', '/summary')).body.data).to.deep.include({ totalSpendUSD: 10, budgetCount: 1 })
      const statuses = [
        await benAsks('GET', `/${other.id}`),
        await benAsks('PUT', `/${other.id}`, { monthlyBudgetUSD: 1 }),
        await benAsks('DELETE', `/${other.id}`),
        await benAsks('PUT', `/${mine.id}`, { teamName: 'Other' }),
        await benAsks('POST', '', { resourceGroupID: groupId, monthlyBudgetUSD: 1 }),
      ].map(({ status }) => status)
      expect(statuses).to.deep.equal([404, 404, 404, 403, 403])
      expect((await benAsks('PUT', `/${mine.id}`, { monthlyBudgetUSD: 50 })).body.data.percentUsed).to.equal(20)
      expect(await list()).to.have.length(3)
    })
  })

  deepIt('are summed up, and come to nothing where there are none [BUD-01]', async () => {
    const empty = {
      totalBudgetUSD: 0,
      totalSpendUSD: 0,
      percentUsed: 0,
      budgetCount: 0,
      overBudgetCount: 0,
      expectedToExceedCount: 0,
      forecast: null,
      overlaps: false,
      organization: null,
    }
    expect(await summary()).to.deep.equal(empty)
    await team('A', 'i-a')
    await team('B', 'i-b')
    await org.publish(billingLine, [line('i-a', 800), line('i-b', 600)])
    await make({ teamName: 'A', monthlyBudgetUSD: 1000 })
    await make({ teamName: 'B', monthlyBudgetUSD: 500 })
    expect(await summary()).to.deep.equal({
      totalBudgetUSD: 1500,
      totalSpendUSD: 1400,
      percentUsed: 93.33,
      budgetCount: 2,
      overBudgetCount: 1,
      expectedToExceedCount: 1,
      // No day is complete: nothing is expected beyond what was spent.
      forecast: { ...nothing, forecastUSD: 1400 },
      overlaps: false,
      organization: null,
    })
  })

  it('are refused with wrong types and bounds, and without a scope [BUD-06]', async () => {
    const good = { teamName: 'Core', resourceGroupID: '', monthlyBudgetUSD: 100, alertThresholdPercent: 80 }
    for (const [more, name] of [
      [{ teamName: 5 }, '/teamName'],
      [{ resourceGroupID: null }, '/resourceGroupID'],
      [{ resourceGroupID: randomUUID() }, '/resourceGroupID'],
      [{ monthlyBudgetUSD: '100' }, '/monthlyBudgetUSD'],
      [{ monthlyBudgetUSD: 0 }, '/monthlyBudgetUSD'],
      [{ monthlyBudgetUSD: 1e-300 }, '/monthlyBudgetUSD'],
      [{ monthlyBudgetUSD: undefined }, '/monthlyBudgetUSD'],
      [{ alertThresholdPercent: 0.99 }, '/alertThresholdPercent'],
      [{ alertThresholdPercent: 100.01 }, '/alertThresholdPercent'],
      [{ alertThresholdPercent: true }, '/alertThresholdPercent'],
      [{ teamName: ' ' }, '/teamName'],
    ] as const)
      expect(refusal(await org.send('POST', '/budgets', { ...good, ...more }))).to.deep.equal([
        400,
        'validation_failed',
        [name],
      ])
    expect(refusal(await org.send('POST', '/budgets', { ...good, status: 'red' }))).to.deep.equal([
      400,
      'invalid_parameter',
      ['/status'],
    ])
    expect(await list()).to.deep.equal([])
  })

  it('are one for each team and group, whatever the case of the name [BUD-03] [BUD-04]', async () => {
    const id = await group()
    await make({ teamName: 'Core', monthlyBudgetUSD: 1 })
    const other = await make({ teamName: 'Core', resourceGroupID: id, monthlyBudgetUSD: 1 })
    const same = await org.send('POST', '/budgets', { teamName: ' CORE ', monthlyBudgetUSD: 1 })
    const moved = await org.send('PUT', `/budgets/${other.id}`, { resourceGroupID: '' })
    expect([same, moved].map(refusal)).to.deep.equal(Array(2).fill([409, 'already_exists', undefined]))
    expect((await list()).map((one: any) => one.resourceGroupID).toSorted()).to.deep.equal(['', id])
  })

  it('are gone once deleted, and none of another organization [BUD-05]', async () => {
    const { id } = await make({ teamName: 'Core', monthlyBudgetUSD: 1 })
    const stranger = await tenant()
    for (const [who, method] of [
      [stranger, 'GET'],
      [stranger, 'PUT'],
      [stranger, 'DELETE'],
    ] as const)
      expect((await who.send(method, `/budgets/${id}`, method === 'PUT' ? {} : undefined)).status).to.equal(404)
    expect((await org.send('DELETE', `/budgets/${id}`)).status).to.equal(204)
    expect(await list()).to.deep.equal([])
    const after = [
      await org.send('DELETE', `/budgets/${id}`),
      await org.send('PUT', `/budgets/${id}`, {}),
      await org.get(`/budgets/${id}`),
      await org.get(`/budgets/${id}/forecast`),
    ]
    expect(after.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404])
  })

  describe('of a team with a month of costs', () => {
    let shared: Tenant
    let core: any
    let teamID: string
    before(async () => {
      org = shared = await tenant()
      teamID = await team('Core', 'i-1')
      const past = Array.from({ length: 31 }, (_, i) => line('i-1', 10, daysAgo(i + 1)))
      await org.publish(billingLine, [...past, line('i-1', 7)])
      core = await make({ teamName: 'Core', monthlyBudgetUSD: 155 })
    })
    beforeEach(() => void (org = shared))

    it('say which days and which cost their spend is of, and how far the bills reach; the summary has data alone [GEN-03]', async () => {
      const { id } = core
      for (const path of ['/budgets', `/budgets/${id}`, `/budgets/${id}/forecast`]) {
        const { costsUpdatedAt, ...meta } = (await org.get(path)).body.meta
        expect(meta, path).to.deep.equal({
          from: `${today.slice(0, 7)}-01`,
          to: today,
          cost: 'billed',
          currency: 'USD',
          costsThrough: today,
          billedThrough: today,
          settledThrough: daysAgo(3),
          lateAccounts: [],
        })
        expect(Date.parse(costsUpdatedAt), path).to.be.within(performance.timeOrigin, Date.now() + 1000)
      }
      expect(Object.keys((await org.get('/budgets/summary')).body)).to.deep.equal(['data'])
    })

    it('are forecast to the end of the month, today’s own cost apart, with the list, the summary and each alone [G-120]', async () => {
      const [year, month, day] = today.split('-').map(Number) as [number, number, number]
      const monthDays = new Date(Date.UTC(year, month, 0)).getUTCDate()
      const { id, currentSpendUSD } = core
      expect(currentSpendUSD).to.equal(10 * (day - 1) + 7)
      const { budgetID, month: period, ...said } = (await org.get(`/budgets/${id}/forecast`)).body.data
      expect([budgetID, period]).to.deep.equal([id, today.slice(0, 7)])
      const { heldPercent, ...rest } = said
      expect([null, 100]).to.include(heldPercent)
      // Costs that never stray have no band to speak of; 29 complete days are too few to test two and more days ahead.
      expect(rest).to.deep.equal({
        monthToDateUSD: 10 * (day - 1),
        forecastUSD: 10 * monthDays,
        lowUSD: 10 * monthDays,
        highUSD: 10 * monthDays,
        basis: 'widened',
        expectedToExceedOn: `${today.slice(0, 7)}-16`,
        method: 'level',
        settledThrough: daysAgo(3),
      })
      expect((await list())[0].forecast).to.deep.equal(said)
      expect(await summary()).to.deep.include({ expectedToExceedCount: 1, forecast: said })
      const report = (await org.get(`/reports/forecast?team_id=${teamID}`)).body.data
      expect([report.month.expectedUSD, report.month.lowUSD, report.method, report.settledThrough]).to.deep.equal([
        said.forecastUSD,
        said.lowUSD,
        said.method,
        said.settledThrough,
      ])
      const thresholds = [of('forecast', 100), of('forecast', 101)]
      await org.send('PUT', `/budgets/${id}`, { monthlyBudgetUSD: 10 * monthDays, thresholds })
      await org.send('POST', '/internal/jobs/budget-evaluation/run', { orgId: org.orgId })
      const alerts = 'select told from budget_alert where budget_id = $1 and revision = 2'
      const told = async () => (await org.connections.store.pool.query(alerts, [id])).rows[0]?.told
      await until('the alert', async () => (await told()) !== undefined)
      expect(await told()).to.deep.equal(['forecast 100'])
      const unknown = await make({ teamName: 'Nobody', monthlyBudgetUSD: 1 })
      expect((await org.get(`/budgets/${unknown.id}/forecast`)).body.data).to.deep.equal({
        budgetID: unknown.id,
        month: today.slice(0, 7),
        ...nothing,
      })
    })
  })
})
