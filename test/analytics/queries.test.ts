import { globSync } from 'node:fs'
import path from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/cost-rollup.ts'
import { rowBinary, type Column } from '#engine/store/row-binary.ts'
import { queries, tables } from '#analytics/index.ts'
import type { Query } from '#analytics/store/query.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { isDeep } from '#test/harness/tier.ts'

interface Index {
  Type: string
  Keys?: string[]
}

interface Plan {
  Header: { Name: string }[]
}

/** Every index entry of an EXPLAIN plan, wherever it is nested. */
function indexes(plan: unknown): Index[] {
  if (typeof plan !== 'object' || plan === null) return []
  return 'Indexes' in plan ? [...(plan.Indexes as Index[]), ...inner(plan)] : inner(plan)
}
const inner = (plan: object): Index[] => Object.values(plan).flatMap(indexes)

/** What each parameter that brings something may hold. */
const filled = {
  as_of: '2026-03-01 00:00:00.000',
  savings: 'verified',
  tag_keys: ['env'],
  tag_values: ['prod'],
  teams: ['t1'],
  uids: ['i-1'],
  dim_tags: ['env'],
  dim_values: [['prod']],
  invoices: ['in-1'],
  clusters: ['c-1'],
  namespaces: ['orders'],
  label: 'team',
  by_pod: 1,
  detailed: 1,
  shares: 1,
  by_node: 1,
  by_controller: 1,
  controllers: ['deployment/api'],
  label_keys: ['team'],
  label_values: [['shop']],
}

/** Its texts, with parameters for each: those of the example, with each that brings something filled, and with all of these. */
function textsOf({ params, example, textFor }: Query): Map<string, Record<string, unknown>> {
  const own = Object.entries(filled).filter(([name]) => name in params.properties)
  // Whatever is asked, costs of clusters may be divided.
  const divided: [string, unknown] = ['divided', 1]
  const given = [[], ...own.map((one) => [one]), own, [...own, divided]].map((some) => ({
    ...example,
    ...Object.fromEntries(some),
  }))
  return new Map(given.toReversed().map((some) => [textFor(some), some]))
}

describe('analytics queries', () => {
  let ch: ClickHouseClient
  before(async () => {
    ch = await testClickHouse()
    const at = '2026-01-15 00:00:00.000'
    const resource = {
      cloud_account_id: 'acct-1',
      resource_uid: 'i-1',
      first_seen_at: at,
      observed_at: at,
      x_Version: '1',
    }
    const sample = {
      resource_uid: 'i-1',
      metric: 'cpu_percent',
      ts: at,
      value: 1,
      cloud_account_id: 'acct-1',
      x_Version: '1',
    }
    for (const org of ['o1', 'o2']) {
      await ch.insert({
        table: 'cost_fact',
        format: 'JSONEachRow',
        values: [fact(org, 'l1', 1, { ResourceId: 'i-1' })],
      })
      await ch.insert({ table: 'resource_state', format: 'JSONEachRow', values: [{ org_id: org, ...resource }] })
      await ch.insert({ table: 'metric_sample', format: 'JSONEachRow', values: [{ org_id: org, ...sample }] })
      const cluster = {
        org_id: org,
        cloud_account_id: 'acct-1',
        day: '2026-01-15',
        cluster_uid: 'c1',
        from: at.slice(0, 19),
      }
      const node = {
        ...cluster,
        node: 'n1',
        seconds: 3600,
        resource_uid: 'i-1',
        cpu_millicores: 1000,
        cpu_ppm: 1_000_000,
      }
      await ch.insert({ table: 'kubernetes_node', format: 'JSONEachRow', values: [{ ...node, x_Version: '1' }] })
      await recomputeCostDays(ch, [{ orgId: org, cloudAccountId: 'acct-1', day: '2026-01-15' }], '1')
      const team = { org_id: org, team_id: 't1', name: 'Core', x_Version: '1' }
      await ch.insert({ table: 'team_state', format: 'JSONEachRow', values: [team] })
      const odd = {
        org_id: org,
        date: '2026-01-15',
        anomaly_type: 'org',
        anomaly_key: org,
        created_at: at,
        x_Version: '1',
      }
      await ch.insert({ table: 'anomaly_state', format: 'JSONEachRow', values: [odd] })
      const stop = {
        org_id: org,
        resource_uid: 'i-1',
        triggered_at: at,
        action: 'stop',
        status: 'failed',
        x_Version: '1',
      }
      await ch.insert({ table: 'scheduler_event', format: 'JSONEachRow', values: [stop] })
      // Old rows of the history go by themselves.
      const ran = { org_id: org, resource_uid: 'i-1', action_id: 'a1', changed_by_type: 'manual', x_Version: '1' }
      const changed_at = new Date().toISOString().slice(0, -1)
      await ch.insert({ table: 'state_history', format: 'JSONEachRow', values: [{ ...ran, changed_at }] })
      const told = { org_id: org, id: 'd1', created_at: changed_at, x_Version: '1' }
      await ch.insert({ table: 'notification_delivery', format: 'JSONEachRow', values: [told] })
      const wrote = { org_id: org, policy_id: 'p1', n: 1, at: changed_at, kind: 'write', x_Version: '1' }
      await ch.insert({ table: 'policy_event', values: [wrote], format: 'JSONEachRow' })
      const line = { org_id: org, plan_id: 'p1', n: 1, at: changed_at, kind: 'intent', x_Version: '1' }
      await ch.insert({ table: 'plan_log', values: [line], format: 'JSONEachRow' })
      const happened = { org_id: org, job_id: 'j1', n: 1, at: changed_at, event: 'guard_yes', x_Version: '1' }
      await ch.insert({ table: 'workflow_event', values: [happened], format: 'JSONEachRow' })
      const saved = { org_id: org, day: '2026-01-15', resource_uid: 'i-1', claim_id: 'c1', x_Version: '1' }
      await ch.insert({ table: 'saving_daily', values: [saved], format: 'JSONEachRow' })
      const sheet = { org_id: org, resource_type: 'aws-ec2', resource_uid: 'i-1', day: '2026-01-15', at: changed_at }
      await ch.insert({ table: 'fact_sheet', values: [{ ...sheet, x_Version: '1' }], format: 'JSONEachRow' })
      const value = { org_id: org, series_id: 's1', ts: at, value: 1, x_Version: '1' }
      await ch.insert({ table: 'unit_metric_value', format: 'JSONEachRow', values: [value] })
    }
  })

  it('declares every .sql file beside questions, and no other', () => {
    const rooms = globSync('analytics/*/questions.ts').map((file) => path.dirname(file))
    const files = rooms.flatMap((room) => globSync(`${room}/*.sql`)).map((file) => path.basename(file))
    expect(queries.map((q) => `${q.name}.sql`).toSorted()).to.deep.equal(files.toSorted())
  })

  for (const table of tables) {
    it(`${table.name} has exactly the columns its actors write, and a version`, async () => {
      const r = await ch.query({ query: `DESCRIBE TABLE ${table.name}`, format: 'JSONEachRow' })
      const columns = (await r.json<{ name: string }>()).map((c) => c.name)
      expect(columns.toSorted()).to.deep.equal([...Object.keys(table.row.properties), 'x_Version'].toSorted())
    })
  }

  it('has tables of whose every column the engine can write', async () => {
    for (const { name } of tables) {
      const r = await ch.query({ query: `DESCRIBE TABLE ${name}`, format: 'JSONEachRow' })
      const columns = await r.json<Column>()
      const empty = Object.fromEntries(columns.map((column) => [column.name, null]))
      expect(() => rowBinary(columns, [empty]), name).to.not.throw()
    }
  })

  /** How a text would be read; what it is answered with is the header of the first step. Planning takes tenths of a second. */
  const planOf = async (text: string, query_params: Record<string, unknown>): Promise<[{ Plan: Plan }]> => {
    const query = `EXPLAIN header = 1, indexes = 1, json = 1 ${text}`
    const r = await ch.query({ query, query_params, format: 'TabSeparatedRaw' })
    return JSON.parse(await r.text()) as [{ Plan: Plan }]
  }

  for (const [at, q] of queries.entries()) {
    describe(q.name, () => {
      it('binds exactly its declared parameters', () => {
        const texts = [q.sql, ...textsOf(q).keys()].join('\n')
        const bound = new Set([...texts.matchAll(/\{(\w+):/g)].map((m) => m[1]!))
        expect([...bound].toSorted()).to.deep.equal(Object.keys(q.params.properties).toSorted())
      })

      it('returns exactly its declared columns, and narrows by organization first', async () => {
        const texts = [...new Map([[q.textFor(q.example), q.example], ...textsOf(q)])]
        // The narrowest, and of every tenth question the widest; the deep tier has all of them.
        const some = isDeep ? texts : texts.slice(0, at % 10 === 0 ? 2 : 1)
        for (const [n, [text, query_params]] of some.entries()) {
          const plan = await planOf(text, query_params)
          if (n === 0) expect(plan[0].Plan.Header.map(({ Name }) => Name)).to.deep.equal(Object.keys(q.row.properties))
          const keys = indexes(plan)
            .filter((i) => i.Type === 'PrimaryKey')
            .map(({ Keys: keys = [] }) => keys.includes('org_id') || keys.includes('x_OrgId'))
          expect(keys, text).to.have.length.above(0)
          expect(new Set(keys), text).to.deep.equal(new Set([true]))
        }
      })
    })
  }
})
