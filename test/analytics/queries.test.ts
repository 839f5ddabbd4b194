import { globSync } from 'node:fs'
import path from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { rowBinary, type ClickHouseColumn } from '#engine/store/clickhouse/row-binary.ts'
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

/** Parameters that questions are given beyond those they declare. */
const brought = new Set(['spelled_keys', 'spellings', 'service_names', 'service_titles'])

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
  where_dims: ['region'],
  where_tests: ['is'],
  where_values: [['eu-west-1']],
  where_clauses: [[1]],
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
  // Whatever is asked, costs of clusters may be divided, some cloud may be Azure, and services may have several names.
  const more: [string, unknown][] = [
    ['divided', 1],
    ['spelled_keys', ['env']],
    ['spellings', [['Env', 'env']]],
    ['service_names', ['AmazonEC2']],
    ['service_titles', ['Amazon Elastic Compute Cloud']],
  ]
  const given = [[], ...own.map((one) => [one]), own, [...own, ...more]].map((some) => ({
    ...example,
    ...Object.fromEntries(some),
  }))
  return new Map(given.toReversed().map((some) => [textFor(some), some]))
}

/** Where a text reads a table or a view, and how it begins to narrow that. */
const readsOf = (text: string): string[] =>
  [
    ...text.replaceAll(/\s+/g, ' ').matchAll(/(?:FROM|JOIN) \w+(?: FINAL)?(?: AS \w+)?(?: (?:WHERE|ON) [^()]{0,60})?/g),
  ].map(([read]) => read)

/** Texts that read anything that no other reads which is planned: what brings most of it first, and of these the shortest. */
function textsThatBring(): Set<string> {
  const left = queries.flatMap((q) => [...textsOf(q).keys()]).map((text) => ({ text, reads: readsOf(text) }))
  const seen = new Set(queries.flatMap((q) => readsOf(q.textFor(q.example))))
  const chosen = new Set<string>()
  for (;;) {
    const gains = left.map(({ text, reads }) => ({
      text,
      reads,
      gain: new Set(reads.filter((read) => !seen.has(read))).size,
    }))
    const [best] = gains.toSorted((a, b) => b.gain - a.gain || a.text.length - b.text.length)
    if (!best?.gain) return chosen
    chosen.add(best.text)
    for (const read of best.reads) seen.add(read)
  }
}
const bringing = textsThatBring()

describe('analytics queries', () => {
  let ch: ClickHouseClient
  /** Of each table. */
  let columns: Map<string, ClickHouseColumn[]>
  before(async () => {
    ch = await testClickHouse()
    const at = '2026-01-15 00:00:00.000'
    // Old rows of the history go by themselves.
    const changed_at = new Date().toISOString().slice(0, -1)
    const state = { resource_uid: 'i-1', cloud_account_id: 'acct-1', first_seen_at: at, observed_at: at }
    const node = { cluster_uid: 'c1', from: at.slice(0, 19), node: 'n1', seconds: 3600, resource_uid: 'i-1' }
    const size = { cpu_millicores: 1000, cpu_ppm: 1_000_000, cloud_account_id: 'acct-1' }
    const day = '2026-01-15'
    /** A row of each table that is asked, so that there is an index to narrow by. */
    const rows: Record<string, object> = {
      resource_state: state,
      metric_sample: { resource_uid: 'i-1', metric: 'cpu_percent', ts: at, value: 1, cloud_account_id: 'acct-1' },
      kubernetes_node: { ...node, ...size, day },
      team_state: { team_id: 't1', name: 'Core' },
      anomaly_state: { date: day, anomaly_type: 'org', anomaly_key: 'o1', created_at: at },
      scheduler_event: { resource_uid: 'i-1', triggered_at: at, action: 'stop', status: 'failed' },
      state_history: { resource_uid: 'i-1', action_id: 'a1', changed_by_type: 'manual', changed_at },
      notification_delivery: { id: 'd1', created_at: changed_at },
      policy_event: { policy_id: 'p1', n: 1, at: changed_at, kind: 'write' },
      plan_log: { plan_id: 'p1', n: 1, at: changed_at, kind: 'intent' },
      workflow_event: { job_id: 'j1', n: 1, at: changed_at, event: 'guard_yes' },
      saving_daily: { day, resource_uid: 'i-1', claim_id: 'c1' },
      fact_sheet: { resource_type: 'aws-ec2', resource_uid: 'i-1', day, at: changed_at },
      unit_metric_value: { series_id: 's1', ts: at, value: 1 },
    }
    const orgs = ['o1', 'o2']
    for (const [table, row] of Object.entries(rows)) {
      const values = orgs.map((org_id) => ({ org_id, ...row, x_Version: '1' }))
      await ch.insert({ table, format: 'JSONEachRow', values })
    }
    const lines = orgs.map((org) => fact(org, 'l1', 1, { ResourceId: 'i-1', SubAccountId: '1', SubAccountName: 'One' }))
    await ch.insert({ table: 'cost_fact', format: 'JSONEachRow', values: lines })
    const days = orgs.map((orgId) => ({ orgId, cloudAccountId: 'acct-1', day }))
    await recomputeCostDays(ch, days, '1')
    const query = 'SELECT table, name, type FROM system.columns WHERE database = currentDatabase()'
    const described = await ch.query({ query, format: 'JSONEachRow' })
    columns = Map.groupBy(await described.json<ClickHouseColumn & { table: string }>(), ({ table }) => table)
  })

  it('declares every .sql file beside questions, and no other', () => {
    const rooms = globSync('analytics/*/questions.ts').map((file) => path.dirname(file))
    const files = rooms.flatMap((room) => globSync(`${room}/**/*.sql`)).map((file) => path.basename(file))
    expect(queries.map((q) => `${q.name}.sql`).toSorted()).to.deep.equal(files.toSorted())
  })

  /** What the retention sweep writes, by table. */
  const sweptColumns: Readonly<Record<string, string>> = { metric_sample: 'samples' }
  for (const table of tables) {
    it(`${table.name} has exactly the columns its actors write, and a version`, () => {
      const found = columns.get(table.name)!.flatMap(({ name }) => (name === sweptColumns[table.name] ? [] : [name]))
      expect(found.toSorted()).to.deep.equal([...Object.keys(table.row.properties), 'x_Version'].toSorted())
    })
  }

  it('has tables of whose every column the engine can write', () => {
    for (const { name } of tables) {
      const own = columns.get(name)!
      const empty = Object.fromEntries(own.map((column) => [column.name, null]))
      expect(() => rowBinary(own, [empty]), name).to.not.throw()
    }
  })

  /** How a text would be read; what it is answered with is the header of the first step. */
  const planOf = async (text: string, query_params: Record<string, unknown>): Promise<[{ Plan: Plan }]> => {
    const query = `EXPLAIN header = 1, indexes = 1, json = 1 ${text}`
    const r = await ch.query({ query, query_params, format: 'TabSeparatedRaw' })
    return JSON.parse(await r.text()) as [{ Plan: Plan }]
  }

  for (const q of queries) {
    describe(q.name, () => {
      it('binds exactly its declared parameters', () => {
        const texts = [q.sql, ...textsOf(q).keys()].join('\n')
        const bound = new Set([...texts.matchAll(/\{(\w+):/g)].map((m) => m[1]!))
        const declared = new Set(Object.keys(q.params.properties))
        expect([...bound].filter((name) => !brought.has(name)).toSorted()).to.deep.equal([...declared].toSorted())
      })

      it('returns exactly its declared columns, and narrows by organization first', async () => {
        const texts = [...new Map([[q.textFor(q.example), q.example], ...textsOf(q)])]
        // Planning takes up to seconds: the deep tier plans all.
        const some = isDeep ? texts : texts.filter(([text], n) => n === 0 || bringing.has(text))
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
