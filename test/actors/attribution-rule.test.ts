import { expect } from 'chai'
import { withRules } from '#actors/attribution/rule.ts'
import type { QueryRunner } from '#analytics/attribution/sharing.ts'
import { costByTeam } from '#analytics/attribution/questions.ts'
import { budgetSpend } from '#analytics/budget/questions.ts'
import { costByPeriod, costByResource, costFlow } from '#analytics/cost/questions.ts'
import { tagKeys, tagPairs } from '#analytics/tagging/questions.ts'
import type { Query } from '#analytics/store/query.ts'

type Owner = { period: number; cloud_account_id: string; resource_uid: string }

/** What a question is asked with in an organization of these clusters, of which these workloads have a team. */
async function asked(query: unknown, more: object, clusters: string[], owners: Owner[]) {
  const q = query as Query
  const reads = {
    rows: async <T>(sql: string) =>
      (sql.includes('kubernetes_cluster')
        ? clusters.map((uid) => ({ uid }))
        : [{ allocated: true, shared: false }]) as T[],
  }
  const ask = (async () => owners) as unknown as QueryRunner
  const params = { ...q.example, ...more } as Record<string, unknown>
  const { divided, owners: brought } = (await withRules({ reads, ask }, q, params)) as Record<string, unknown>
  return [divided, (brought as unknown[] | undefined)?.length]
}

describe('whether costs of clusters are divided in a question', () => {
  const owner = { period: 0, cloud_account_id: '', resource_uid: 'c1/namespace/orders' }

  it('is where workloads or namespaces have teams, which it brings along', async () => {
    expect(await asked(costByTeam, {}, ['c1'], [owner])).to.deep.equal([1, 2])
    expect(await asked(costByTeam, {}, ['c1'], [])).to.deep.equal([undefined, undefined])
  })

  it('is by clusters, tags and groups, whoever has a team', async () => {
    expect(await asked(costFlow, { d1: 'cluster' }, ['c1'], [])).to.deep.equal([1, undefined])
    expect(await asked(costFlow, { d1: 'tag1', dim_tags: ['team'], dim_values: [[]] }, ['c1'], [])).to.deep.equal([
      1,
      undefined,
    ])
    expect(await asked(costFlow, { d1: 'cluster', d2: 'team_id' }, ['c1'], [])).to.deep.equal([1, undefined])
    expect(await asked(budgetSpend, {}, ['c1'], [])).to.deep.equal([1, undefined])
    expect(await asked(costFlow, { d1: 'provider' }, ['c1'], [owner])).to.deep.equal([undefined, undefined])
  })

  it('is nowhere without clusters', async () => {
    expect(await asked(costByTeam, {}, [], [owner])).to.deep.equal([undefined, undefined])
    expect(await asked(costFlow, { d1: 'cluster' }, [], [owner])).to.deep.equal([undefined, undefined])
  })
})

describe('whether sums of months may answer a question', () => {
  const monthsOf = async (query: unknown, more: object, { clusters = [] as string[], shared = false } = {}) => {
    const q = query as Query
    const reads = {
      rows: async <T>(sql: string) =>
        (sql.includes('kubernetes_cluster') ? clusters.map((uid) => ({ uid })) : [{ allocated: false, shared }]) as T[],
    }
    // A rule that hands costs of one service out.
    const rule = {
      period: 0,
      policy_id: 'p',
      facts: ['line.service'],
      tag_keys: [''],
      operators: ['equals'],
      values: [['x']],
    }
    const known = {
      closed: [],
      teams: ['t'],
      rules: [{ ...rule, method: 'even', basis: '', among: [], teams: [], weights: [] }],
      kept: [],
    }
    const ask = (async (asked: Query) => (asked.name === 'shared_cost_rules' ? [known] : [])) as unknown as QueryRunner
    const params = { ...q.example, from: '2026-01-01', to: '2026-02-28', ...more } as Record<string, unknown>
    return ((await withRules({ reads, ask }, q, params)) as { months?: number }).months ?? 0
  }
  const range = (from: string, to: string) => ({ from, to })

  it('they may where two months lie in the range as wholes', async () => {
    for (const [from, to, may] of [
      ['2026-01-01', '2026-02-28', 1],
      ['2026-01-01', '2026-02-27', 0],
      ['2024-01-01', '2024-02-28', 0],
      ['2024-01-01', '2024-02-29', 1],
      ['2026-01-02', '2026-03-30', 0],
      ['2026-01-02', '2026-03-31', 1],
      ['2025-11-30', '2026-01-31', 1],
      ['2026-01-01', '2026-01-31', 0],
    ] as const)
      expect(await monthsOf(costByResource, range(from, to)), `${from} to ${to}`).to.equal(may)
  })

  it('they may not where days are told apart, or lines, or the past is asked for', async () => {
    expect(await monthsOf(costByPeriod, {})).to.equal(0)
    expect(await monthsOf(costByPeriod, { granularity: 'weekly' })).to.equal(0)
    expect(await monthsOf(costByPeriod, { granularity: 'monthly' })).to.equal(1)
    expect(await monthsOf(costByResource, { invoices: ['in-1'] })).to.equal(0)
    expect(await monthsOf(costFlow, { d1: 'invoice_id' })).to.equal(0)
    expect(await monthsOf(costByResource, { as_of: '2026-02-03T00:00:00Z' })).to.equal(0)
  })

  it('they may not where costs are shared out or divided among workloads', async () => {
    expect(await monthsOf(costByTeam, {})).to.equal(1)
    expect(await monthsOf(costByTeam, {}, { shared: true })).to.equal(0)
    expect(await monthsOf(tagKeys, {})).to.equal(1)
    expect(await monthsOf(costFlow, { d1: 'cluster' })).to.equal(1)
    expect(await monthsOf(costFlow, { d1: 'cluster' }, { clusters: ['c1'] })).to.equal(0)
  })
})

describe('what is handed out, of a question that compares', () => {
  it('is asked for from the first of the earlier days on', async () => {
    const reads = {
      rows: async <T>(sql: string) =>
        (sql.includes('kubernetes_cluster') ? [] : [{ allocated: false, shared: true, closed: false }]) as T[],
    }
    const ranges: unknown[] = []
    const ask = (async (_: unknown, { from, to }: { from: string; to: string }) => {
      ranges.push([from, to])
      return [{ closed: [], teams: [], rules: [], shares: [] }]
    }) as unknown as QueryRunner
    const days = { from: '2026-01-01', to: '2026-01-31', prev_from: '2025-12-01', prev_to: '2025-12-31' }
    await withRules({ reads, ask }, tagPairs, { ...tagPairs.example, ...days, teams: ['b'] })
    expect(ranges[0]).to.deep.equal(['2025-12-01', '2026-01-31'])
  })
})
