import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { broughtFor } from '#analytics/attribution/sharing.ts'
import { costFlow } from '#analytics/cost/questions.ts'
import { receiptLines } from '#analytics/report/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { relinkCostDays } from '#analytics/rollup/stale-day/cost-link.ts'
import { at, node, pod } from '#test/analytics/kubernetes-world.ts'
import { run } from '#analytics/store/query.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { killedAt } from '#test/harness/killed-client.ts'
import { random } from '#test/harness/load.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

/** A payer's bill of one day: two linked accounts and itself, and a bill of another account that names none. */
const day = '2026-01-15'
let ch: ClickHouseClient
let generation = 0
const next = () => String(++generation)

before(async () => {
  ch = await testClickHouse()
})

const insert = (table: string, values: object[]) => ch.insert({ table, values, format: 'JSONEachRow' })

const account = (org_id: string, cloud_account_id: string, external_id: string, more: object = {}) => ({
  org_id,
  cloud_account_id,
  provider: 'aws',
  external_id,
  removed: 0,
  x_Version: String(++generation),
  ...more,
})

type Ask = typeof costFlow | typeof receiptLines
async function ask<Q extends Ask>(query: Q, org: string, more: object): Promise<Record<string, string>[]> {
  const params = { ...query.example, org, from: '2026-01-01', to: '2026-01-31', ...more }
  const result = await ch.query({
    query: query.textFor(params),
    query_params: params as Record<string, unknown>,
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_decimals: 1 },
  })
  return result.json()
}

/** Dollars by one or two dimensions. */
async function by(org: string, d1: string, d2 = 'nothing', more: object = {}): Promise<Record<string, number>> {
  const rows = await ask(costFlow, org, { d1, d2, ...more })
  return Object.fromEntries(
    rows.map((row) => [[row['d1'], row['d2']].filter(Boolean).join(' '), Number(row['cost_usd'])]),
  )
}

describe('a bill that names sub-accounts', () => {
  const line = (org: string, id: string, cost: number, sub: string, more: object = {}) =>
    fact(org, id, cost, { x_CloudAccountId: 'payer', SubAccountId: sub, SubAccountName: `name of ${sub}`, ...more })
  const days = (org: string, ...accounts: string[]) =>
    accounts.map((cloudAccountId) => ({ orgId: org, cloudAccountId, day }))

  it('counts each line for the connected account that its sub-account is, else for the one that was billed [G-116]', async () => {
    const org = randomUUID()
    await insert('account_state', [
      account(org, 'prod', '111111111111'),
      account(org, 'gone', '222222222222', { removed: 1 }),
    ])
    await insert('cost_fact', [
      line(org, 'p0', 70, '111111111111', { ResourceId: 'i-prod' }),
      line(org, 'p1', 30, '222222222222', { ResourceId: 'i-dev' }),
      line(org, 'p2', 5, ''),
      // Another provider's account of the same number is another.
      line(org, 'p3', 2, '111111111111', { x_Provider: 'gcp' }),
      fact(org, 'o0', 11, { x_CloudAccountId: 'own' }),
    ])
    await recomputeCostDays(ch, days(org, 'payer', 'own'), next())
    expect(await by(org, 'cloud_account_id')).to.deep.equal({ prod: 70, payer: 37, own: 11 })
    expect(await by(org, 'billing_account')).to.deep.equal({ payer: 107, own: 11 })
    expect(await by(org, 'sub_account', 'provider')).to.deep.equal({
      '111111111111 aws': 70,
      '222222222222 aws': 30,
      '111111111111 gcp': 2,
      aws: 16,
    })
    expect(await by(org, 'service_name', 'nothing', { subs: ['111111111111'] })).to.deep.equal({ compute: 72 })
    expect(await by(org, 'service_name', 'nothing', { billers: ['payer'], accounts: ['payer'] })).to.deep.equal({
      compute: 37,
    })
    const receipt = await ask(receiptLines, org, { accounts: ['prod'] })
    expect(
      receipt.map((row) => [
        row['line_id'],
        row['cloud_account_id'],
        row['billing_account_id'],
        row['sub_account_id'],
        row['sub_account_name'],
        Number(row['cost_usd']),
      ]),
    ).to.deep.equal([['p0', 'prod', 'payer', '111111111111', 'name of 111111111111', 70]])
    const others = await ask(receiptLines, org, { subs: ['222222222222', ''] })
    expect(others.map((row) => [row['line_id'], Number(row['cost_usd'])])).to.deep.equal([
      ['o0', 11],
      ['p1', 30],
      ['p2', 5],
    ])
  })

  deepIt(
    'gives a resource of the member its type, tags and team, though the payer was billed [G-116] [G-117]',
    async () => {
      const org = randomUUID()
      const at = '2026-01-01 00:00:00.000'
      await insert('account_state', [account(org, 'prod', '111111111111')])
      await insert('resource_state', [
        {
          org_id: org,
          cloud_account_id: 'prod',
          resource_uid: 'i-1',
          type: 'aws-ec2',
          provider: 'aws',
          tags: { env: 'prod' },
          first_seen_at: at,
          observed_at: at,
          x_Version: '1',
        },
        {
          org_id: org,
          cloud_account_id: 'payer',
          resource_uid: 'i-2',
          type: 'aws-ec2',
          provider: 'aws',
          tags: { env: 'test' },
          first_seen_at: at,
          observed_at: at,
          x_Version: '1',
        },
      ])
      await insert('team_state', [{ org_id: org, team_id: 't1', name: 'Core', deleted: 0, x_Version: '1' }])
      await insert('allocated_resource', [
        {
          org_id: org,
          cloud_account_id: 'prod',
          resource_uid: 'i-1',
          team_id: 't1',
          policy_id: 'r1',
          since: at,
          x_Version: '1',
        },
      ])
      await insert('cost_fact', [
        line(org, 'p0', 70, '111111111111', { ResourceId: 'i-1' }),
        line(org, 'p1', 30, '999999999999', { ResourceId: 'i-2' }),
      ])
      await recomputeCostDays(ch, days(org, 'payer'), next())
      const tagged = { dim_tags: ['env'], dim_values: [[]] }
      expect(await by(org, 'tag1', 'resource_type', tagged)).to.deep.equal({ 'prod aws-ec2': 70, 'test aws-ec2': 30 })
      expect(await by(org, 'team_id', 'nothing', { allocated: 1 })).to.deep.equal({ t1: 70, unassigned: 30 })
    },
  )

  deepIt('knows an account by the id it is connected with, however the bill writes it [G-116]', async () => {
    const org = randomUUID()
    const guid = '0f8fad5b-d9cb-469f-a165-70867728950e'
    await insert('account_state', [
      account(org, 'zeros', '000123456789'),
      account(org, 'azure-prod', guid, { provider: 'azure' }),
      account(org, 'project', 'my-project', { provider: 'gcp' }),
    ])
    await insert('cost_fact', [
      line(org, 'p0', 1, '123456789'),
      line(org, 'p1', 2, `/subscriptions/${guid.toUpperCase()}`, { x_Provider: 'azure' }),
      line(org, 'p2', 4, 'my-project', { x_Provider: 'gcp' }),
    ])
    await recomputeCostDays(ch, days(org, 'payer'), next())
    expect(await by(org, 'cloud_account_id', 'sub_account')).to.deep.equal({
      'zeros 000123456789': 1,
      [`azure-prod ${guid}`]: 2,
      'project my-project': 4,
    })
    // The receipt says what the bill says.
    const receipt = await ask(receiptLines, org, { subs: ['000123456789'] })
    expect(receipt.map((row) => [row['line_id'], row['sub_account_id'], row['cost_usd']])).to.deep.equal([
      ['p0', '123456789', '1'],
    ])
  })

  for (const last of ['payer', 'acct-1'] as const)
    deepIt(
      `is divided among those who used the member's clusters, whichever day is computed last: that of ${last} [G-116]`,
      async () => {
        const org = randomUUID()
        await insert('account_state', [account(org, 'acct-1', '111111111111')])
        await insert('kubernetes_node', [node(org, 10)])
        await insert('kubernetes_pod', [pod(org, 10)])
        const hour = { ChargePeriodStart: at(10), ChargePeriodEnd: at(10, 59) }
        await insert('cost_fact', [
          line(org, 'p0', 1, '111111111111', { ResourceId: 'i-1', ...hour }),
          line(org, 'p1', 3, '222222222222', { ResourceId: 'i-1', ...hour }),
        ])
        for (const one of last === 'payer' ? ['acct-1', 'payer'] : ['payer', 'acct-1'])
          expect(await recomputeCostDays(ch, days(org, one), next())).to.equal(true)
        // Of a node's 1 the pod has 0.3 of processors and 0.1 of memory: 0.6 and 0.4 of the price, half and a quarter used.
        expect(await by(org, 'namespace', 'cloud_account_id', { divided: 1 })).to.deep.equal({
          'orders acct-1': 0.4,
          'acct-1': 0.6,
          payer: 3,
        })
        expect(await by(org, 'billing_account', 'sub_account', { divided: 1 })).to.deep.equal({
          'payer 111111111111': 1,
          'payer 222222222222': 3,
        })
        const query = `SELECT sum(billed_cost) AS usd, max(estimated) AS estimated FROM kubernetes_costs WHERE org_id = {org:String} AND kind != 'usage'`
        const rows = await (await ch.query({ query, query_params: { org }, format: 'JSONEachRow' })).json()
        expect(rows).to.deep.equal([{ usd: 1, estimated: 0 }])
      },
    )

  deepIt(
    'is handed out by rules that ask for a sub-account, whether the rule is brought along or looked up [G-116]',
    async () => {
      const org = randomUUID()
      await insert(
        'team_state',
        ['a', 'b'].map((team_id) => ({ org_id: org, team_id, name: team_id, deleted: 0, x_Version: '1' })),
      )
      const rule = (policy_id: string, attr: string, value: string, among: string[]) => ({
        org_id: org,
        policy_id,
        enabled: 1,
        created_at: '2026-01-01 00:00:00.000',
        facts: [attr],
        tag_keys: [''],
        operators: ['equals'],
        values: [[value]],
        method: 'even',
        basis: 'billed_cost',
        among,
        teams: [],
        weights: [],
        x_Version: '1',
      })
      await insert('shared_cost_rule', [
        rule('r1', 'line.sub_account', '111111111111', ['a', 'b']),
        rule('r2', 'line.billing_account', 'other', ['b']),
      ])
      await insert('cost_fact', [
        line(org, 'p0', 70, '111111111111'),
        line(org, 'p1', 30, '222222222222'),
        fact(org, 'o0', 8, { x_CloudAccountId: 'other' }),
      ])
      await recomputeCostDays(ch, days(org, 'payer', 'other'), next())
      const asked = { org, from: '2026-01-01', to: '2026-01-31', as_of: '', allocated: 0, open_months: 1, divided: 0 }
      const brought = await broughtFor((one, own) => run(ch, one, own), asked)
      const expected = { a: 35, b: 43, unassigned: 30 }
      expect(await by(org, 'team_id', 'nothing', { ...asked, ...brought })).to.deep.equal(expected)
      const { rule_keys, rule_accounts } = brought
      expect(await by(org, 'team_id', 'nothing', { ...asked, shared: 1, rule_keys, rule_accounts })).to.deep.equal(
        expected,
      )
    },
  )

  deepIt(
    'moves to an account that is connected later, and back when it is disconnected, without another total [G-116]',
    async () => {
      const org = randomUUID()
      await insert('cost_fact', [line(org, 'p0', 70, '111111111111'), line(org, 'p1', 30, '222222222222')])
      await recomputeCostDays(ch, days(org, 'payer'), next())
      expect(await by(org, 'cloud_account_id')).to.deep.equal({ payer: 100 })
      await insert('account_state', [account(org, 'dev', '222222222222')])
      expect(await relinkCostDays(ch, org, ['dev'], next())).to.equal(true)
      expect(await by(org, 'cloud_account_id', 'billing_account')).to.deep.equal({ 'payer payer': 70, 'dev payer': 30 })
      await insert('account_state', [account(org, 'dev', '222222222222', { removed: 1 })])
      expect(await relinkCostDays(ch, org, ['dev'], next())).to.equal(true)
      expect(await by(org, 'cloud_account_id', 'billing_account')).to.deep.equal({ 'payer payer': 100 })
    },
  )

  deepIt(
    'counts as before or as after, never in part, wherever the run that moves it is killed, and as after once it was repeated [G-116]',
    async function () {
      this.timeout(450_000)
      const org = randomUUID()
      const tagged = { dim_tags: ['env'], dim_values: [[]] }
      const hour = { ChargePeriodStart: at(10), ChargePeriodEnd: at(10, 59) }
      await insert('kubernetes_node', [node(org, 10)])
      await insert('kubernetes_pod', [pod(org, 10)])
      await insert('cost_fact', [
        line(org, 'p0', 1, '111111111111', { ResourceId: 'i-1', ...hour }),
        line(org, 'p1', 30, '111111111111', { ResourceId: 'i-9', Tags: { env: 'prod' } }),
        line(org, 'p2', 0.1, '222222222222'),
        line(org, 'p3', 70, '111111111111', { x_Day: '2026-01-16' }),
        line(org, 'p4', -0.3, '', { x_Day: '2026-01-16' }),
      ])
      const both = [day, '2026-01-16'].map((date) => ({ orgId: org, cloudAccountId: 'payer', day: date }))
      await recomputeCostDays(ch, [...both, ...days(org, 'acct-1')], next())
      const moved = { 'acct-1': 101, payer: -0.2 }
      const states = [{ payer: 100.8 }, moved]
      let calls = 0
      for (let end = ''; end !== 'done'; calls++) {
        const isConnected = calls % 2 === 0
        await insert('account_state', [account(org, 'acct-1', '111111111111', { removed: Number(!isConnected) })])
        // Those that an earlier round has noted would hide that this one has not.
        await ch.command({ query: 'DELETE FROM billed_tag WHERE org_id = {org:String}', query_params: { org } })
        const { dying, killed } = killedAt(ch, calls + 1)
        const run = relinkCostDays(dying, org, ['acct-1'], next(), { pair: (2 * calls) % 100 })
        end = await Promise.race([run.then(() => 'done'), killed])
        const where = `killed before call ${calls + 1}`
        expect(await by(org, 'cloud_account_id'), where).to.be.deep.oneOf(states)
        await relinkCostDays(ch, org, ['acct-1'], next(), { pair: (2 * calls + 1) % 100 })
        expect(await by(org, 'cloud_account_id', 'sub_account'), where).to.deep.equal(
          isConnected
            ? { 'acct-1 111111111111': 101, 'payer 222222222222': 0.1, payer: -0.3 }
            : { 'payer 111111111111': 101, 'payer 222222222222': 0.1, payer: -0.3 },
        )
        expect(await by(org, 'tag1', 'cloud_account_id', tagged), where).to.deep.equal(
          isConnected ? { 'prod acct-1': 30, 'acct-1': 71, payer: -0.2 } : { 'prod payer': 30, payer: 70.8 },
        )
        const { orders } = await by(org, 'namespace', 'nothing', { divided: 1 })
        expect(orders, where).to.equal(isConnected ? 0.4 : undefined)
      }
      expect(calls).to.be.above(10)
    },
  )

  deepIt(
    'sums to the same by usage, billing and sub-account, whatever is connected and disconnected in whatever order [G-116]',
    async () => {
      const next01 = random(52)
      const int = (from: number, to: number) => from + Math.floor(next01() * (to - from + 1))
      const pick = <T>(of: readonly T[]): T => of[int(0, of.length - 1)]!
      for (let round = 0; round < amount(1, 12, 40); round++) {
        const org = randomUUID()
        const [subs, payers] = [
          ['s1', 's2', 's3', 's4', ''],
          ['p1', 'p2'],
        ]
        const dates = ['2026-01-14', '2026-01-15', '2026-01-16']
        const lines = Array.from({ length: 40 }, (_, n) => ({
          id: `l${n}`,
          payer: pick(payers),
          sub: pick(subs),
          date: pick(dates),
          cents: int(-300, 3000),
        }))
        await insert(
          'cost_fact',
          lines.map(({ id, payer, sub, date, cents }) =>
            fact(org, id, cents / 100, {
              x_CloudAccountId: payer,
              SubAccountId: sub,
              x_Day: date,
              ResourceId: pick(['', 'r1', 'r2']),
            }),
          ),
        )
        await recomputeCostDays(
          ch,
          payers.flatMap((cloudAccountId) => dates.map((date) => ({ orgId: org, cloudAccountId, day: date }))),
          next(),
        )
        const connected = new Map<string, string>()
        for (let step = 0; step < amount(3, 4, 6); step++) {
          const sub = pick(['s1', 's2', 's3', 's4'])
          const id = `a${sub}`
          if (connected.has(sub)) connected.delete(sub)
          else connected.set(sub, id)
          await insert('account_state', [account(org, id, sub, { removed: Number(!connected.has(sub)) })])
          await relinkCostDays(ch, org, [id], next())
        }
        const sumsBy = (key: (l: (typeof lines)[number]) => string) => {
          const sums = new Map<string, number>()
          for (const one of lines) sums.set(key(one), (sums.get(key(one)) ?? 0) + one.cents)
          return Object.fromEntries([...sums].map(([name, cents]) => [name, cents / 100]))
        }
        expect(await by(org, 'cloud_account_id')).to.deep.equal(sumsBy(({ payer, sub }) => connected.get(sub) ?? payer))
        expect(await by(org, 'billing_account')).to.deep.equal(sumsBy(({ payer }) => payer))
        expect(await by(org, 'sub_account')).to.deep.equal(sumsBy(({ sub }) => sub))
      }
    },
  )
})
