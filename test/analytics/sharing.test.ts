/** Which shares a question about several months brings along. */
import type { TupleParam } from '@clickhouse/client'
import { expect } from 'chai'
import { broughtFor, directCosts, sharedCostRules, type QueryRunner } from '#analytics/attribution/sharing.ts'

const asked = { org: 'o1', as_of: '', allocated: 1, open_months: 0, divided: 0 }
const rule = {
  policy_id: 'r',
  facts: ['line.service'],
  tag_keys: [''],
  operators: ['equals'],
  values: [['support']],
  method: '',
  basis: '',
  among: [],
  teams: [],
  weights: [],
}

/** The shares by month and rule, and how often direct costs were read. */
async function shares(range: { from: string; to: string }, known: object, direct: object[] = []) {
  let read = 0
  const ask = (async (question: object) => {
    if (question === sharedCostRules) return [known]
    expect(question).to.equal(directCosts)
    read++
    return direct
  }) as unknown as QueryRunner
  const brought = await broughtFor(ask, { ...asked, ...range })
  return { shares: (brought['shares'] as TupleParam[]).map(({ values }) => values), read }
}

describe('shares of shared costs', () => {
  const kept = (period: number, team_id: string, weight: string) => ({ period, policy_id: 'r', team_id, weight })

  it('of each closed month are those that were kept of it, and of no other', async () => {
    const known = {
      closed: [202511, 202512, 202601],
      teams: ['a', 'b', 'c'],
      rules: [202511, 202512, 202601].map((period) => ({ ...rule, period })),
      kept: [
        kept(202511, 'b', '7'),
        kept(202511, 'a', '3'),
        kept(202512, 'a', '100000000000000000001'),
        kept(202601, 'c', '2'),
      ],
    }
    expect(await shares({ from: '2025-11-20', to: '2026-01-31' }, known)).to.deep.equal({
      shares: [
        [202511, 'r', ['a', 'b'], [3n, 7n]],
        [202512, 'r', ['a'], [100000000000000000001n]],
        [202601, 'r', ['c'], [2n]],
      ],
      read: 0,
    })
  })

  it('of an open month follow its own direct costs, whatever was kept of the closed one before', async () => {
    const cost = (period: number, team_id: string, usd: string) => ({
      period,
      team_id,
      billed_cost: usd,
      effective_cost: '99',
      contracted_cost: '99',
      list_cost: '99',
    })
    const known = {
      closed: [202512],
      teams: ['a', 'b'],
      rules: [
        { ...rule, period: 202512 },
        { ...rule, period: 0, method: 'proportional', basis: 'billed_cost' },
      ],
      kept: [kept(202512, 'a', '5')],
    }
    const direct = [
      cost(202512, 'a', '40'),
      cost(202601, 'b', '0.00000000000002'),
      cost(202601, 'a', '1'),
      cost(202602, 'b', '3'),
    ]
    expect(await shares({ from: '2025-12-01', to: '2026-02-28' }, known, direct)).to.deep.equal({
      shares: [
        [202512, 'r', ['a'], [5n]],
        [202601, 'r', ['a', 'b'], [100_000_000_000_000n, 2n]],
        [202602, 'r', ['b'], [300_000_000_000_000n]],
      ],
      read: 1,
    })
  })
})
