import { expect } from 'chai'
import { addDays, addMonths, dayOf, days, monthOf } from '#engine/value/day.ts'
import { savingClaimed } from '#streams/saving.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { appliedAt } from '#test/harness/saved.ts'
import { sample } from '#test/harness/tier.ts'
import { reportWorld } from './world.ts'

let today = ''
const back = (count: number) => addDays(today, -count)

const row = (org: string, day: string, source: string, source_id: string, more: object) => ({
  org_id: org,
  day,
  cloud_account_id: 'acct-1',
  resource_uid: 'i-1',
  source,
  source_id,
  provider: 'aws',
  region: 'us-east-1',
  resource_type: 'aws-ec2',
  x_Version: '1',
  ...more,
})
const idle = { rule_id: 'RC-1001', category: 'idle', claim_id: 'c-1' }
const elsewhere = { cloud_account_id: 'acct-2', resource_uid: 'i-2', claim_id: 'c-2' }

/** One proved day of a recommendation and one that is not, a schedule that cost more than it saved, and a row that was taken back. */
const saved = (org: string) => [
  row(org, back(3), 'recommendation', 'r-1', { ...idle, estimated: '5', observed: '4', verified: '3.5', saved: '4' }),
  row(org, back(2), 'recommendation', 'r-1', { ...idle, estimated: '5', observed: '4', saved: '4', reason: 'no_bill' }),
  row(org, back(2), 'schedule', 's-1', { ...elsewhere, observed: '2', verified: '-0.25', saved: '2' }),
  row(org, back(2), 'manual', 'u-1', { saved: '0' }),
  row(org, back(90), 'manual', 'u-1', { observed: '7', saved: '7' }),
]

const figures = (
  [openEstimatedUSD, estimatedUSD, observedUSD, verifiedUSD, savedUSD]: number[],
  [provedDays, unprovedDays]: number[],
  realisation: number | null,
) => ({
  openEstimatedUSD,
  estimatedUSD,
  observedUSD,
  verifiedUSD,
  savedUSD,
  provedDays,
  unprovedDays,
  realisation,
})
const ofRecommendation = figures([50, 10, 8, 3.5, 8], [1, 1], 0.7)
const ofSchedule = figures([0, 0, 2, -0.25, 2], [1, 0], null)

describe('the report of savings', () => {
  let org: Tenant
  const data = async (path: string) => (await org.get(path)).body.data
  before(async () => {
    org = await tenant()
    today = dayOf(org.connections.clock.now())
    const values = saved(org.orgId)
    await org.put('saving_daily', values)
    await recommended(
      org,
      { savings_usd: 40 },
      {
        savings_usd: 10,
        rule_id: 'RC-1101',
        category: 'rightsizing',
        cloud_account_id: 'acct-2',
        resource_uid: 'i-3',
        resource_name: 'db',
      },
      { savings_usd: 99, stale_since: '2026-01-11T00:00:00.000Z' },
      { savings_usd: 70, status: 'dismissed' },
    )
  })

  it('has verified, observed and estimated savings by source, what is open, and the realization rate', async () => {
    expect(await data('/reports/savings')).to.deep.equal({
      groupBy: 'source',
      items: [
        { key: 'recommendation', label: 'recommendation', ...ofRecommendation },
        { key: 'schedule', label: 'schedule', ...ofSchedule },
      ],
      totals: figures([50, 10, 10, 3.25, 10], [2, 1], 0.7),
    })
  })

  it('leads with what bills verify, then what was observed and estimated, and the realization rate', async () => {
    const { items, totals } = await data('/reports/savings')
    for (const one of [items[0], { key: '', label: '', ...totals }])
      expect(Object.keys(one).slice(2, 6)).to.deep.equal(['verifiedUSD', 'observedUSD', 'estimatedUSD', 'realisation'])
  })

  it('has the same by rule, category, account and resource', async () => {
    const keyed = async (by: string) => {
      const { items, totals } = await data(`/reports/savings?group_by=${by}`)
      expect(totals, by).to.deep.equal(figures([50, 10, 10, 3.25, 10], [2, 1], 0.7))
      return items.map((item: any) => [item.key, item.openEstimatedUSD, item.savedUSD, item.verifiedUSD])
    }
    expect(await keyed('rule')).to.deep.equal([
      ['RC-1001', 40, 8, 3.5],
      ['(none)', 0, 2, -0.25],
      ['RC-1101', 10, 0, 0],
    ])
    expect(await keyed('category')).to.deep.equal([
      ['idle', 40, 8, 3.5],
      ['(none)', 0, 2, -0.25],
      ['rightsizing', 10, 0, 0],
    ])
    expect(await keyed('account')).to.deep.equal([
      ['acct-1', 40, 8, 3.5],
      ['acct-2', 10, 2, -0.25],
    ])
    expect(await keyed('resource')).to.deep.equal([
      ['i-1', 40, 8, 3.5],
      ['i-2', 0, 2, -0.25],
      ['i-3', 10, 0, 0],
    ])
  })

  it('is of the causes that are asked for, and says of them nothing that is open', async () => {
    const { items, totals } = await data('/reports/savings?source_id=s-1&group_by=resource')
    expect(items).to.deep.equal([{ key: 'i-2', label: 'i-2', ...ofSchedule }])
    expect(totals).to.deep.equal(ofSchedule)
    const both = await data('/reports/savings?source_id=s-1,r-1')
    expect(both.totals).to.deep.equal(figures([0, 10, 10, 3.25, 10], [2, 1], 0.7))
    expect((await data('/reports/savings?source_id=s-9')).items).to.deep.equal([])
  })

  it('is of the days and the accounts that are asked for; what is open is as of now', async () => {
    const some = await data(`/reports/savings?from=${back(3)}&to=${back(3)}&cloud_account_id=acct-1`)
    expect(some.totals).to.deep.equal(figures([40, 5, 4, 3.5, 4], [1, 0], 0.7))
    const early = await data(`/reports/savings?from=${back(91)}&to=${back(89)}&group_by=source`)
    expect(early.items.map((item: any) => [item.key, item.savedUSD, item.openEstimatedUSD])).to.deep.equal([
      ['manual', 7, 0],
      ['recommendation', 0, 50],
    ])
    expect((await org.get('/reports/savings?group_by=colour')).status).to.equal(400)
  })

  it('shows a role what is of its accounts [RBAC-04]', async () => {
    const reportScope = { all: false, cloudAccountIDs: ['acct-2'] }
    const role = await org.send('POST', '/roles', { name: 'second', permissions: ['service.view'], reportScope })
    const founder = { accessToken: org.token, orgId: org.orgId } as Founder
    const { accessToken: token } = await colleague(founder, role.body.data.id)
    const { body } = await ask('GET', '/reports/savings', { token })
    expect(body.data.totals).to.deep.equal(figures([10, 0, 2, -0.25, 2], [1, 0], null))
    const ahead = await ask('GET', '/reports/savings/projection', { token })
    expect(ahead.body.data.open.items.map((item: any) => item.ruleID)).to.deep.equal(['RC-1101'])
  })
})

describe('the projection of savings', () => {
  let org: Tenant
  let first: any
  const projection = async () => (await org.get('/reports/savings/projection')).body.data
  before(async () => {
    org = await tenant()
    today = dayOf(org.connections.clock.now())
    const at = new Date(org.connections.clock.now()).toISOString()
    await org.publish(savingClaimed, [
      appliedAt(at),
      appliedAt(at, { resourceUid: 'i-2', recommendationId: 'r-2', savingsUsd: '30.00' }),
    ])
    await until('the claims', async () => (await projection()).runningClaims === 2)
    const { items } = (await org.get('/reports/savings/claims?resource_uid=i-1')).body.data
    first = items[0]
    // Two dollars on each day of the last two weeks: the only claim that bills prove.
    const proved = Array.from({ length: 14 }, (_, n) =>
      row(org.orgId, back(n + 2), 'recommendation', 'r-1', { ...idle, claim_id: first.id, verified: '2', saved: '0' }),
    )
    // Five claims of the rule came to 9 of 10, four of the category's other rule to nothing.
    const weighed = Array.from({ length: 9 }, (_, n) =>
      row(org.orgId, back(40), 'recommendation', `w-${n}`, {
        category: 'idle',
        rule_id: n < 5 ? 'RC-1001' : 'RC-1002',
        claim_id: `w-${n}`,
        estimated: '10',
        verified: n < 5 ? '9' : '0',
        saved: '10',
      }),
    )
    const values = [...proved, ...weighed]
    await org.put('saving_daily', values)
    await recommended(
      org,
      { savings_usd: 40 },
      { savings_usd: 20, rule_id: 'RC-1002', resource_uid: 'i-5' },
      { savings_usd: 10, rule_id: 'RC-1101', category: 'rightsizing', resource_uid: 'i-6' },
    )
  })

  it('goes on at the proved rate of each claim, and keeps apart what no bill proves yet', async () => {
    const { months, runRate, ...rest } = await projection()
    expect([rest.provedThrough, rest.runningClaims, rest.provedClaims]).to.deep.equal([back(2), 2, 1])
    expect(runRate).to.deep.equal(Array.from({ length: 7 }, (_, weekday) => ({ weekday, verifiedUSD: 2 })))
    const whole = [...days(months[1].from, months[1].to)].length
    expect(months[1]).to.deep.equal({
      period: addMonths(monthOf(today), 1),
      from: `${addMonths(monthOf(today), 1)}-01`,
      to: months[1].to,
      verifiedUSD: 2 * whole,
      // 30 dollars in 30 days.
      unprovedUSD: whole,
    })
    expect(months[0].verifiedUSD).to.equal(2 * [...days(today, months[0].to)].length)
    expect(months.length).to.equal(13)
  })

  it('expects of what is open what came true of its rule, else of its category, else says that nothing is proved', async () => {
    expect((await projection()).open).to.deep.equal({
      items: [
        { ruleID: 'RC-1001', category: 'idle', openEstimatedUSD: 40, realisation: 0.9, basis: 'rule', expectedUSD: 36 },
        {
          ruleID: 'RC-1101',
          category: 'rightsizing',
          openEstimatedUSD: 10,
          realisation: null,
          basis: 'unproved',
          expectedUSD: 10,
        },
        // 45 of 90 came true of the category.
        {
          ruleID: 'RC-1002',
          category: 'idle',
          openEstimatedUSD: 20,
          realisation: 0.5,
          basis: 'category',
          expectedUSD: 10,
        },
      ].toSorted((a, b) => b.expectedUSD - a.expectedUSD || (a.ruleID < b.ruleID ? -1 : 1)),
      openEstimatedUSD: 70,
      expectedUSD: 56,
      unprovedUSD: 10,
    })
  })
})

describe('the report of savings by team and resource group', () => {
  const world = reportWorld({}, undefined, [])
  const january = 'from=2026-01-01&to=2026-01-31'
  const member = (group_id: string, resource_uid: string) => ({
    org_id: world.org,
    group_id,
    resource_uid,
    added_at: '2026-01-01 00:00:00.000',
    removed: 0,
    x_Version: '1',
  })
  const plant = async () => {
    const group = (group_id: string) => ({ org_id: world.org, group_id, name: group_id, deleted: 0, x_Version: '1' })
    await Promise.all([
      world.insert('saving_daily', saved(world.org)),
      world.discovered('i-1'),
      world.discovered('i-2'),
      world.team('t-1', 'Web'),
      world.assign('t-1', 'i-1'),
      world.insert('resource_group_state', [group('g-1'), group('g-2')]),
      world.insert('resource_group_member', [member('g-1', 'i-1'), member('g-2', 'i-1')]),
    ])
  }
  beforeEach(async () => {
    today = '2026-01-20'
    await world.shared(plant)
  })
  const keyed = async (query: string) =>
    (await world.data(`/reports/savings?${january}&${query}`)).items.map((item: any) => [item.key, item.savedUSD])

  it('counts what is saved for the team that costs are attributed to', async () => {
    const { items } = await world.data(`/reports/savings?${january}&group_by=team`)
    expect(items.map((item: any) => [item.key, item.label, item.savedUSD, item.verifiedUSD])).to.deep.equal([
      ['t-1', 'Web', 8, 3.5],
      ['unassigned', 'Unassigned', 2, -0.25],
    ])
    expect(await keyed('team_id=t-1')).to.deep.equal([['recommendation', 8]])
    expect(await keyed('team_id=unassigned')).to.deep.equal([['schedule', 2]])
    world.seeOnly({ teamIDs: ['t-1'] })
    expect(await keyed('group_by=resource')).to.deep.equal([['i-1', 8]])
  })

  it('counts a resource for each group that holds it, and once in the totals', async () => {
    const { items, totals } = await world.data(`/reports/savings?${january}&group_by=resource_group`)
    expect(items.map((item: any) => [item.key, item.savedUSD])).to.deep.equal([
      ['g-1', 8],
      ['g-2', 8],
      ['(none)', 2],
    ])
    expect([totals.savedUSD, totals.verifiedUSD]).to.deep.equal([10, 3.25])
  })

  it('says the same as other reports do, team by team', async () => {
    const kinds = ['reported', 'estimated', 'observed', 'verified'] as const
    for (const team of sample(['t-1', 'unassigned'], 1)) {
      const { totals } = await world.data(`/reports/savings?${january}&team_id=${team}`)
      const summaries = await Promise.all(
        kinds.map((kind) => world.data(`/reports/summary?${january}&team_id=${team}&savings=${kind}`)),
      )
      expect(
        summaries.map(({ totalSavingsUSD }) => totalSavingsUSD),
        team,
      ).to.deep.equal([totals.savedUSD, totals.estimatedUSD, totals.observedUSD, totals.verifiedUSD])
    }
  })
})
