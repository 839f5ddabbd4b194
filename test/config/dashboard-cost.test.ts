/** The dashboard of costs, asked as Grafana asks it: by the port of analysts, with the macros of its data source filled in. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { root } from '#config/process/root.ts'
import { at, node, pod } from '#test/analytics/kubernetes-world.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const board = JSON.parse(readFileSync(path.join(root, 'config/deploy/grafana/costs.json'), 'utf8'))
const panels: any[] = board.panels.filter(({ type }: any) => type !== 'row')

/** What each panel shows of what is planted below, by its title: worked out by hand. Rows of a table that is not narrowed are whole. */
const shown: Record<string, readonly string[]> = {
  'Billed cost': ['139.5'],
  'Effective cost': ['119.5'],
  // 150 + 40 + 1 + 3.5 - 5, less 119.5
  'Discounts from list price': ['70'],
  'Potential savings': ['12.5'],
  'Daily billed cost by provider': [
    '2026-01-05 00:00:00 aws 100',
    '2026-01-06 00:00:00 gcp 40',
    '2026-01-15 00:00:00 aws 1',
    '2026-01-20 00:00:00 aws -1.5',
  ],
  'Daily billed cost by charge category': [
    '2026-01-05 00:00:00 Usage 100',
    '2026-01-06 00:00:00 Usage 40',
    '2026-01-15 00:00:00 Usage 1',
    '2026-01-20 00:00:00 Credit -5',
    '2026-01-20 00:00:00 Tax 3.5',
  ],
  'Daily effective cost by purchase type': [
    '2026-01-05 00:00:00 reserved 80',
    '2026-01-06 00:00:00 on_demand 40',
    '2026-01-15 00:00:00 on_demand 1',
    '2026-01-20 00:00:00 on_demand -1.5',
  ],
  'Daily billed cost by component': [
    '2026-01-05 00:00:00 other 100',
    '2026-01-06 00:00:00 other 40',
    '2026-01-15 00:00:00 other 1',
    '2026-01-20 00:00:00 other -1.5',
  ],
  'Top services by cost': ['compute aws 101', 'storage gcp 40', 'tax aws -1.5'],
  'Accounts and regions': ['acct-1 eu-west-1 100', 'acct-2 (none) 40', 'acct-1 (none) -0.5'],
  'Top resources by cost': ['i-9 web aws-ec2 100', 'b-1  bucket 40', 'i-1   1'],
  Anomalies: ['2026-01-05 cloud_account acct-1 high 100 40 web'],
  'Potential savings by recommendation': ['Stop it web idle high 12.5'],
  'Cluster cost by namespace': ['(idle) 0.6', 'orders 0.4'],
}

describe('the dashboard of costs', () => {
  let org: Tenant
  let token: string

  before(async () => {
    org = await tenant()
    token = await org.tokenFor('viewer', 'analyst')
    const { clickhouse } = org.connections
    await plant(clickhouse, org.orgId, randomUUID())
  })

  const valuesOf: Record<string, readonly string[]> = { provider: ['aws', 'gcp'], account: ['acct-1', 'acct-2'] }

  /** As `grafana-clickhouse-datasource` and Grafana fill them in for January 2026; a range that is relative is what it is today. */
  const filled = (sql: string): string =>
    sql
      .replaceAll(/\$__dateFilter\(([\w.]+)\)/g, "$1 >= toDate('2026-01-01') AND $1 <= toDate('2026-01-31')")
      .replaceAll(/\$\{(\w+):singlequote\}/g, (_, name: string) => valuesOf[name]!.map((one) => `'${one}'`).join(','))
      .replaceAll('today()', "toDate('2026-02-01')")

  async function ask(sql: string): Promise<string[]> {
    const body = filled(sql)
    expect(body).to.not.contain('$')
    const params = { default_format: 'TabSeparated' }
    const response = await askAt(org.analystsUrl, { body, params, headers: basic(token, 'grafana') })
    const text = await response.text()
    expect(response.status, `${sql}\n${text}`).to.equal(200)
    return text
      .split('\n')
      .slice(0, -1)
      .map((row) => row.replaceAll('\t', ' '))
  }

  it('has no panel that is not asked here', () => {
    expect(panels.map(({ title }) => title)).to.deep.equal(Object.keys(shown))
  })

  for (const { title, targets, type } of panels) {
    it(`${title}: shows what was planted, of this organization alone`, async () => {
      expect(targets).to.have.length(1)
      const [{ rawSql, format, queryType, editorType }] = targets
      const isSeries = type === 'timeseries'
      expect([editorType, format, queryType]).to.deep.equal([
        'sql',
        isSeries ? 0 : 1,
        isSeries ? 'timeseries' : 'table',
      ])
      const rows = await ask(rawSql)
      // The name of a cluster says nothing here.
      expect(rows.map((row) => row.replace(/^arn:aws:eks:\S+ /, ''))).to.deep.equal(shown[title])
    })
  }

  it('offers the providers and accounts that have costs', async () => {
    const queries = board.templating.list.filter(({ type }: any) => type === 'query')
    const offered: [string, string[]][] = []
    for (const { name, query } of queries) offered.push([name, await ask(query)])
    expect(Object.fromEntries(offered)).to.deep.equal(valuesOf)
  })
})

/** Plants the same in each organization. */
async function plant(ch: ClickHouseClient, ...orgs: string[]): Promise<void> {
  const insert = (table: string, values: object[]) => ch.insert({ table, values, format: 'JSONEachRow' })
  for (const orgId of orgs) await plantIn(orgId, insert)
  const days = [
    ['acct-1', '2025-12-31'],
    ['acct-1', '2026-01-05'],
    ['acct-2', '2026-01-06'],
    ['acct-1', '2026-01-15'],
    ['acct-1', '2026-01-20'],
  ] as const
  const marked = orgs.flatMap((orgId) => days.map(([cloudAccountId, day]) => ({ orgId, cloudAccountId, day })))
  await recomputeCostDays(ch, marked, '1')
}

async function plantIn(orgId: string, insert: (table: string, values: object[]) => Promise<unknown>): Promise<void> {
  const moment = '2026-01-01 00:00:00.000'
  const seen = { org_id: orgId, cloud_account_id: 'acct-1', first_seen_at: moment, observed_at: moment, x_Version: '1' }
  await insert('resource_state', [{ ...seen, resource_uid: 'i-9', name: 'web', type: 'aws-ec2' }])
  await insert('cost_fact', [
    fact(orgId, 'web', 100, {
      x_Day: '2026-01-05',
      ResourceId: 'i-9',
      RegionId: 'eu-west-1',
      x_PurchaseType: 'reserved',
      EffectiveCost: '80',
      ListCost: '150',
    }),
    fact(orgId, 'bucket', 40, {
      x_Day: '2026-01-06',
      x_CloudAccountId: 'acct-2',
      x_Provider: 'gcp',
      ServiceName: 'storage',
      ResourceId: 'b-1',
      ResourceType: 'bucket',
    }),
    fact(orgId, 'node', 1, { ResourceId: 'i-1', ChargePeriodStart: at(10), ChargePeriodEnd: at(10, 59) }),
    fact(orgId, 'tax', '3.5', { x_Day: '2026-01-20', ServiceName: 'tax', ChargeCategory: 'Tax' }),
    fact(orgId, 'credit', -5, { x_Day: '2026-01-20', ServiceName: 'tax', ChargeCategory: 'Credit' }),
    fact(orgId, 'before', 30, { x_Day: '2025-12-31' }),
  ])
  await insert('kubernetes_node', [node(orgId, 10)])
  await insert('kubernetes_pod', [pod(orgId, 10)])
  const anomaly = {
    org_id: orgId,
    date: '2026-01-05',
    anomaly_type: 'cloud_account',
    anomaly_key: 'acct-1',
    severity: 'high',
    actual_usd: 100,
    expected_usd: 40,
    root_cause: 'web',
    x_Version: '1',
  }
  await insert('anomaly_state', [anomaly, { ...anomaly, anomaly_key: 'acct-2', suppressed: 1 }])
  const found = {
    org_id: orgId,
    id: 'r-1',
    cloud_account_id: 'acct-1',
    resource_name: 'web',
    provider: 'aws',
    category: 'idle',
    status: 'open',
    severity: 'high',
    title: 'Stop it',
    savings_usd: '12.5',
    x_Version: '1',
  }
  await insert('recommendation_state', [found, { ...found, id: 'r-2', status: 'dismissed' }])
}
