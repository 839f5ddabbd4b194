import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { costByTeam, costByTeamPeriod } from '#analytics/attribution/questions.ts'
import { costFlow, costTotal } from '#analytics/cost/questions.ts'
import { receiptLines, receiptTotal } from '#analytics/report/questions.ts'
import { keepAssignments } from '#analytics/snapshot/assignments.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { run as runs, type Query } from '#analytics/store/query.ts'
import { broughtFor } from '#analytics/attribution/sharing.ts'
import { january } from '#analytics/store/slice.ts'
import type { Static, TObject } from '#engine/value/schema.ts'
import { plain, toUnits } from '#engine/value/decimal.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { sharedModel, type SharedWorld } from '#test/analytics/shared-model.ts'
import { deepDescribe, deepIt } from '#test/harness/tier.ts'

const places = 14
/** In place of the ten seconds of a report: planning takes seconds, and on a busy machine some more. */
const patient = { max_execution_time: 120 }
const units = (amount: string): bigint => toUnits(amount, places) ?? 0n
const sorted = (of: object): string[] =>
  Object.entries(of)
    .map((entry) => entry.join(' '))
    .toSorted()
const text = (amount: bigint): string => plain(amount, places)

describe('shared costs', () => {
  let ch: ClickHouseClient
  before(async () => void (ch = await testClickHouse()))

  /** Asks with all that a question about teams brings along. */
  const run = async <P extends TObject, R extends TObject>(q: Query<P, R>, params: object): Promise<Static<R>[]> => {
    const brought = await broughtFor((one, own) => runs(ch, one, own, patient), params as never)
    return runs(ch, q, { ...params, ...brought } as never, patient)
  }

  /** Puts rows in, each of the organization. */
  const inserts = (org: string) => (table: string, values: object[]) =>
    ch.insert({ table, values: values.map((row) => ({ org_id: org, x_Version: '1', ...row })), format: 'JSONEachRow' })

  const rule = (policy_id: string, service: string, how: object) => ({
    policy_id,
    enabled: 1,
    created_at: '2026-01-01 00:00:00.000',
    facts: ['line.service'],
    tag_keys: [''],
    operators: ['equals'],
    values: [[service]],
    method: 'even',
    basis: 'billed_cost',
    among: [],
    teams: [],
    weights: [],
    ...how,
  })

  /** Two teams with costs of their own, one without, one that is deleted, and costs of nobody. */
  async function plant(org: string, ...rules: object[]) {
    const insert = inserts(org)
    await insert(
      'team_state',
      ['a', 'b', 'c', 'gone'].map((id) => ({ team_id: id, name: id, deleted: Number(id === 'gone') })),
    )
    await insert('team_assignment', [
      { resource_uid: 'i-a', team_id: 'a' },
      { resource_uid: 'i-b', team_id: 'b' },
    ])
    if (rules.length > 0) await insert('shared_cost_rule', rules)
    const lines = [
      fact(org, 'l1', '10', { ResourceId: 'i-a' }),
      fact(org, 'l2', '20', { ResourceId: 'i-b' }),
      fact(org, 'l3', '10', { ServiceName: 'support' }),
      fact(org, 'l4', '0.01', { ServiceName: 'support', ResourceId: 'i-b' }),
      fact(org, 'l5', '-3', { ServiceName: 'tax' }),
    ]
    await ch.insert({ table: 'cost_fact', values: lines, format: 'JSONEachRow' })
    return { orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }
  }
  const questionOf = (org: string) => ({ ...january, org, allocated: 1, shared: 1 })
  async function settled(org: string, ...rules: object[]) {
    await recomputeCostDays(ch, [await plant(org, ...rules)], '1')
    return questionOf(org)
  }

  const teams = async (question: object) =>
    Object.fromEntries(
      (await run(costByTeam, question)).map((row) => [
        row.team_id,
        `${text(units(row.cost_usd) - units(row.shared_usd))} + ${row.shared_usd}`,
      ]),
    )

  const closedRule = {
    policy_id: 'then',
    enabled: 1,
    created_at: '2026-01-01 00:00:00.000',
    facts: ['line.service'],
    tag_keys: [''],
    operators: ['equals'],
    values: [['support']],
  }
  const percents = { method: 'fixed', teams: ['c', 'gone', 'a'], weights: [500_000, 250_000, 250_000] }
  /** Each in an organization of its own; the days of all are computed in one run. */
  const cases: readonly {
    title: string
    rules: readonly object[]
    /** What is there of the month, by table, where it is closed. */
    closed?: Readonly<Record<string, readonly object[]>>
    teams: Record<string, string>
  }[] = [
    {
      title: 'are handed out evenly to all teams there are, the first of the largest taking what rounding leaves',
      rules: [rule('r', 'support', {})],
      // 10 and 0.01 are sums of their own; a third of each is cut at 14 places.
      teams: {
        a: '10 + 3.33666666666668',
        b: '20 + 3.33666666666666',
        c: '0 + 3.33666666666666',
        unassigned: '-3 + 0',
      },
    },
    {
      title: 'follow direct costs of the month, which the costs handed out are none of',
      rules: [rule('r', 'sup', { method: 'proportional', operators: ['starts_with'] })],
      teams: { a: '10 + 3.33666666666666', b: '20 + 6.67333333333334', unassigned: '-3 + 0' },
    },
    {
      title: 'stay with nobody where nobody takes part',
      rules: [rule('r', 'port', { method: 'proportional', among: ['c'], operators: ['ends_with'] })],
      teams: { b: '20 + 0', a: '10 + 0', unassigned: '7.01 + 0' },
    },
    {
      title: 'follow percents, those of a deleted team going to nobody',
      rules: [rule('r', 'ppor', { ...percents, operators: ['contains'] })],
      teams: { a: '10 + 2.5025', b: '20 + 0', c: '0 + 5.005', unassigned: '-3 + 2.5025' },
    },
    {
      title: 'are handed out by the older of two rules; costs below nothing are handed out too',
      rules: [
        rule('young', 'support', { among: ['c'], created_at: '2026-01-02 00:00:00.000' }),
        rule('old', 'support', { among: ['b'] }),
        rule('tax', 'tax', {
          among: ['a', 'b'],
          facts: ['line.service', 'line.charge_category'],
          tag_keys: ['', ''],
          operators: ['in', 'not_equals'],
          values: [['nothing', 'tax'], ['credit']],
        }),
        // All of its conditions must hold: it takes nothing, though it is the oldest.
        rule('none', 'support', {
          created_at: '2025-01-01 00:00:00.000',
          facts: ['line.service', 'line.charge_category'],
          tag_keys: ['', ''],
          operators: ['equals', 'not_equals'],
          values: [['support'], ['usage']],
        }),
      ],
      teams: { a: '10 + -1.5', b: '20 + 8.51' },
    },
    {
      title: 'are handed out by the rule, the shares and the teams that a closed month was left with',
      rules: [rule('r', 'support', { among: ['b'] })],
      closed: {
        snapshot_state: [{ created_at: '2026-02-03 00:00:00.000', x_Version: '1' }],
        closed_assignment: [{ resource_uid: 'i-a', team_id: 'a' }],
        closed_shared_rule: [closedRule],
        closed_share: [
          { policy_id: 'then', team_id: 'a', weight: '3' },
          { policy_id: 'then', team_id: 'c', weight: '1' },
        ],
      },
      // Three and one of four parts of 10 and of 0.01; i-b was of nobody then.
      teams: { a: '10 + 7.5075', c: '0 + 2.5025', unassigned: '17 + 0' },
    },
  ]

  describe('by a rule', () => {
    const orgs = cases.map(() => `org-${randomUUID()}`)
    before(async () => {
      const days = await Promise.all(cases.map(({ rules }, n) => plant(orgs[n]!, ...rules)))
      for (const [n, { closed = {} }] of cases.entries())
        for (const [table, rows] of Object.entries(closed)) {
          const values = rows.map((row) => ({ org_id: orgs[n]!, period: 202601, ...row }))
          await ch.insert({ table, values, format: 'JSONEachRow' })
        }
      await recomputeCostDays(ch, days, '1')
    })
    for (const [n, { title, teams: wanted }] of cases.entries())
      it(title, async () => expect(await teams(questionOf(orgs[n]!))).to.deep.equal(wanted))

    it('are in breakdowns and in the sums of months as they are in those of teams', async () => {
      // Of the second: a third of the support is of a, and two of b.
      const question = questionOf(orgs[1]!)
      const asked = { ...costFlow.example, ...question, d1: 'team_id', d2: 'service_name' }
      const nodes = await run(costFlow, asked)
      expect(nodes.map(({ d1, d2, cost_usd }) => [d1, d2, cost_usd].join(' ')).toSorted()).to.deep.equal([
        'a compute 10',
        'a support 3.33666666666666',
        'b compute 20',
        'b support 6.67333333333334',
        'unassigned tax -3',
      ])
      const months = await run(costByTeamPeriod, { ...question, granularity: 'monthly' })
      expect(months.map((row) => [row.team_id, row.cost_usd, row.shared_usd].join(' ')).toSorted()).to.deep.equal([
        'a 13.33666666666666 3.33666666666666',
        'b 26.67333333333334 6.67333333333334',
        'unassigned -3 0',
      ])
    })
  })

  deepIt('keep rules, shares and tags of closed months, whatever comes later', async () => {
    const org = `org-${randomUUID()}`
    const tagged = rule('r', 'support', {
      facts: ['res.tags'],
      tag_keys: ['pool'],
      operators: ['exists'],
      values: [[]],
      method: 'proportional',
    })
    const question = await settled(org, tagged)
    const insert = inserts(org)
    const state = { cloud_account_id: 'acct-1', resource_uid: 'i-b', first_seen_at: '2026-01-01 00:00:00.000' }
    await insert('resource_state', [{ ...state, tags: { Pool: 'x' } }])
    // All that i-b cost is handed out, so that a alone has direct costs.
    const closed = { a: '10 + 20.01', unassigned: '7 + 0' }
    expect(await teams(question)).to.deep.equal(closed)
    await keepAssignments(ch, org, '2026-01')
    await insert('snapshot_state', [{ period: 202601, created_at: '2026-02-03 00:00:00.000' }])
    await insert('resource_state', [{ ...state, tags: {}, x_Version: '2' }])
    await insert('shared_cost_rule', [{ ...tagged, enabled: 0, x_Version: '2' }])
    await insert('team_assignment', [{ resource_uid: 'i-a', team_id: 'c', x_Version: '2' }])
    expect(await teams(question)).to.deep.equal(closed)
  })

  deepIt('say in a receipt which part of a line a figure has, to the last decimal of the figure', async () => {
    const question = await settled(`org-${randomUUID()}`, rule('r', 'support', { method: 'proportional' }))
    const receipt = { ...receiptLines.example, ...question, teams: ['a'] }
    const lines = await run(receiptLines, receipt)
    expect(lines.map((line) => [line.line_id, line.line_cost_usd, line.share, line.cost_usd])).to.deep.equal([
      ['l1', '10', '', '10'],
      ['l3', '10', '0.33333333333333', '3.33333333333333'],
      ['l4', '0.01', '0.33333333333333', '0.00333333333333'],
    ])
    const { limit: _limit, offset: _offset, ...whole } = receipt
    expect(await run(receiptTotal, whole)).to.deep.equal([{ all_lines: 3, cost_usd: '13.33666666666666' }])
  })

  deepDescribe('over an organization of chance', () => {
    const org = `org-${randomUUID()}`
    let world: SharedWorld

    before(async () => {
      world = sharedModel('shares')
      await world.settle(ch, org)
    })

    it('are what the views say that find rules and shares themselves', async () => {
      for (const n of [0, 1, 2, 3]) {
        const { question } = world.filter(org, n)
        const settings = { output_format_json_quote_decimals: 1, output_format_json_quote_64bit_integers: 0 } as const
        const found = await ch.query({
          query: costByTeam.sql,
          query_params: question,
          format: 'JSONEachRow',
          clickhouse_settings: settings,
        })
        // The view hands out resource by resource: the last digits are cut elsewhere.
        const rounded = (rows: readonly object[]) =>
          rows
            .map((row) =>
              JSON.stringify(row, (_, value: unknown) =>
                /^-?\d+\.\d+$/.test(String(value)) ? Number(value).toFixed(9) : value,
              ),
            )
            .toSorted()
        expect(rounded(await found.json())).to.deep.equal(rounded(await run(costByTeam, question)))
      }
    })

    it('have receipts that sum to what their team has', async () => {
      const asked = [2, 7, 12, 17, 22, 27, 32]
        .map((n) => world.filter(org, n))
        .filter(({ question, sums }) => question['scoped'] === 0 && Object.keys(sums).length > 0)
      expect(asked.length).to.be.above(2)
      for (const { question, sums } of asked) {
        const [team, figure] = Object.entries(sums)[0]!
        const { limit: _limit, offset: _offset, ...receipt } = { ...receiptLines.example, ...question, teams: [team] }
        expect((await run(receiptTotal, receipt))[0]?.cost_usd).to.equal(figure)
      }
    })

    it('add up with all else to the last decimal, team by team, under filters of chance', async () => {
      const differences: string[] = []
      for (let n = 0; n < 25; n++) {
        const { question, sums, total } = world.filter(org, n)
        const flow = { ...costFlow.example, ...question, d1: 'team_id' }
        const [byTeam, [all], periods, nodes] = await Promise.all([
          run(costByTeam, question),
          run(costTotal, { ...question, teams: [], shared: 0, allocated: 0 }),
          n % 10 === 0 ? run(costByTeamPeriod, { ...question, granularity: 'monthly' }) : undefined,
          n % 10 === 1 ? run(costFlow, flow as never) : undefined,
        ])
        const said = Object.fromEntries(byTeam.map((row) => [row.team_id, row.cost_usd]))
        const compare = (what: string, wanted: unknown, got: unknown) => {
          const [a, b] = [JSON.stringify(wanted), JSON.stringify(got)]
          if (a !== b) differences.push(`${n} ${what}: ${a} but ${b}`)
        }
        compare('teams', sorted(sums), sorted(said))
        if (question.teams.length === 0)
          compare('total', text(total), text(byTeam.reduce((sum, row) => sum + units(row.cost_usd), 0n)))
        if (question.teams.length === 0 && question['scoped'] === 0) compare('report', text(total), all?.cost_usd)
        const sumOf = (rows: readonly { cost_usd: string }[]) =>
          rows.reduce((sum, row) => sum + units(row.cost_usd), 0n)
        if (periods) compare('months', sumOf(byTeam).toString(), sumOf(periods).toString())
        if (nodes) compare('flow', sumOf(byTeam).toString(), sumOf(nodes as never).toString())
      }
      expect(differences.slice(0, 5)).to.deep.equal([])
    }).timeout(600_000)
  })
})
