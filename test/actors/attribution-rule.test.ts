import { expect } from 'chai'
import { withRules } from '#actors/attribution/rule.ts'
import type { Asking } from '#analytics/attribution/sharing.ts'
import { costByTeam } from '#analytics/attribution/questions.ts'
import { budgetSpend } from '#analytics/budget/questions.ts'
import { costFlow } from '#analytics/cost/questions.ts'
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
  const ask = (async () => owners) as unknown as Asking
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
