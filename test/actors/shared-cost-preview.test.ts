import { expect } from 'chai'
import { previewSharedCost, type Previewing } from '#actors/attribution/shared-cost/preview.ts'
import type { SharedCostSpec } from '#actors/attribution/shared-cost/shared-cost.ts'

interface Row {
  period: string
  team_id: string
  policy_id: string
  selected: number
  basis_usd: string
  ranged_usd: string
}
const row = (team_id: string, usd: string, more: Partial<Row> = {}): Row => ({
  period: '2026-01',
  team_id,
  policy_id: '',
  selected: 0,
  basis_usd: usd,
  ranged_usd: usd,
  ...more,
})
const rule = (id: string, day: number) => ({
  id,
  name: `Rule ${id}`,
  domain: 'shared-cost',
  createdAt: new Date(Date.UTC(2026, 0, day)),
})

/** Where ClickHouse and PostgreSQL say this, at the end of January 2026. */
function world(
  rows: readonly Row[],
  teams: readonly string[],
  more: { closed?: number[]; policies?: object[] } = {},
): Previewing {
  const { closed = [], policies = [] } = more
  const answers: Record<string, object[]> = {
    shared_cost_preview: [...rows],
    shared_cost_rules: [{ closed, teams: [...teams], rules: [], kept: [] }],
  }
  const found: Record<string, object[]> = { Team: teams.map((id) => ({ id, name: `Team ${id}` })), Policy: policies }
  return {
    em: { find: async ({ name }: { name: string }) => found[name] } as never,
    orgId: 'o1',
    ask: (async ({ name }: { name: string }) => answers[name]) as never,
    now: new Date('2026-01-31T12:00:00Z'),
    cost: 'billed_cost',
  }
}
const spec: SharedCostSpec = {
  selector: { all: [{ attr: 'line.service', op: 'equals', values: ['support'] }] },
  method: 'proportional',
}
const move = (from: string | null, to: string, costUsd30d: number) => ({
  fromTeamID: from,
  fromTeamName: from === null ? 'Unassigned' : `Team ${from}`,
  toTeamID: to,
  toTeamName: `Team ${to}`,
  costUsd30d,
})

describe('a preview of shared costs', () => {
  it('says from whom costs go to whom, by direct costs that are left, and what older rules take instead', async () => {
    const rows = [
      row('a', '10'),
      row('b', '20'),
      row('unassigned', '50'),
      row('unassigned', '9', { selected: 1 }),
      row('b', '3', { selected: 1 }),
      row('a', '4', { selected: 1, policy_id: 'old' }),
      row('c', '100', { policy_id: 'other' }),
    ]
    const policies = [rule('old', 1), rule('other', 2)]
    expect(await previewSharedCost(world(rows, ['a', 'b', 'c'], { policies }), spec)).to.deep.equal({
      selectedUsd30d: 16,
      movedUsd30d: 12,
      moved: [move(null, 'b', 6), move(null, 'a', 3), move('b', 'a', 1)],
      won: [{ policyID: 'old', name: 'Rule old', costUsd30d: 4 }],
    })
  })

  it('leaves closed months alone, and hands out each month by its own direct costs', async () => {
    const december = { period: '2025-12', selected: 1 }
    const rows = [
      row('a', '1'),
      row('b', '1'),
      row('unassigned', '8', { selected: 1 }),
      row('a', '1', { period: '2025-12' }),
      row('unassigned', '16', december),
    ]
    const teams = ['a', 'b']
    const january = [move(null, 'a', 4), move(null, 'b', 4)]
    expect((await previewSharedCost(world(rows, teams), spec)).moved).to.deep.equal([
      move(null, 'a', 20),
      move(null, 'b', 4),
    ])
    const closed = await previewSharedCost(world(rows, teams, { closed: [202512] }), spec)
    expect([closed.moved, closed.selectedUsd30d]).to.deep.equal([january, 8])
  })

  it('tells of the dearest thousand moves where 100 teams give to one another, and sums them all', async () => {
    const teams = Array.from({ length: 100 }, (_, n) => `t-${n}`)
    const rows = teams.flatMap((id, n) => [row(id, '2'), row(id, `${n}`, { selected: 1 })])
    const { movedUsd30d, moved } = await previewSharedCost(world(rows, teams), { ...spec, method: 'even' })
    expect([movedUsd30d, moved.length]).to.deep.equal([4950, 1000])
    // What t-99 had first, a hundredth of it to each of the others; then that of t-98.
    expect(moved.slice(0, 99).every((one) => one.fromTeamID === 't-99' && one.costUsd30d === 0.99)).to.equal(true)
    expect(moved[99]).to.deep.include({ fromTeamID: 't-98', costUsd30d: 0.98 })
  })
})
