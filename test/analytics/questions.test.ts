import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { fact } from '#test/harness/clickhouse.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { tenant, until } from '#test/harness/product.ts'

const guide = readFileSync(new URL('../../docs/analytics.md', import.meta.url), 'utf8')
const blocks = new Map(
  [...guide.matchAll(/<!-- question: (\w+) -->\n```sql\n([^]*?)```/g)].map(([, name, sql]) => [name!, sql!]),
)

/** What each question of the guide must answer about the data below, from 1 to 31 January, worked out by hand. */
const answers: Record<string, readonly string[]> = {
  reconcile: [],
  teams: ['Core 100 1', 'Unassigned 33.5 2'],
  invoices: [' USD Credit -10 -10 1', ' USD Tax 3.5 3.5 1', ' USD Usage 100 100 1'],
  days: ['2026-01-05 100 \\N', '2026-01-06 40 100', '2026-01-20 -6.5 \\N'],
  services: ['aws compute 100 30', 'gcp storage 40 0', 'aws tax -6.5 0'],
  resources: ['i-1 web aws-ec2 100', 'b-1  bucket 40'],
  accounts: ['acct-1 93.5 70.04', 'acct-2 40 29.96'],
  tags: ['prod 100 1', '(none) 33.5 3'],
  discounts: ['reserved 150 80 70', 'on_demand 50 40 10'],
  estimates: ['2026-01-01 40 93.5'],
  categories: ['Usage 140 2', 'Tax 3.5 1', 'Credit -10 1'],
  orphans: ['acct-2 b-1 40 2026-01-06'],
  idle: ['i-1 3.8 100'],
  unattached: ['i-1 aws-ec2 100'],
  // The sample of b-1 is of another account.
  joined: ['i-1 100 4', 'b-1 40 0'],
  page: ['2026-01-06 acct-2 b-1 40', '2026-01-20 acct-1  -6.5'],
}

describe('the questions of docs/analytics.md', () => {
  let analysts: string
  let token: string
  let org: string

  before(async () => {
    const { connections, ...own } = await tenant()
    analysts = own.analystsUrl
    org = own.orgId
    token = await own.tokenFor('viewer', 'analyst')
    await tell(connections.clickhouse, org, randomUUID())
  })

  /** Asks as curl would, by the port of analysts. */
  async function ask(sql: string): Promise<string[]> {
    const params = {
      param_org: org,
      param_from: '2026-01-01',
      param_to: '2026-01-31',
      default_format: 'TabSeparated',
    }
    let [status, text] = [0, '']
    // A busy machine may need more than the ten seconds that an analyst has.
    await until('an answer in time', async () => {
      const response = await askAt(analysts, { body: sql, params, headers: basic(token) })
      ;[status, text] = [response.status, await response.text()]
      return !text.includes('TIMEOUT_EXCEEDED')
    })
    expect(status, text).to.equal(200)
    return text
      .split('\n')
      .slice(0, -1)
      .map((row) => row.replaceAll('\t', ' '))
  }

  it('are eleven, and how to reconcile, to attribute, to join and to page', () => {
    expect([...blocks.keys()]).to.deep.equal(Object.keys(answers))
    expect(guide.match(/```sql/g)).to.have.length(16)
  })

  for (const [name, expected] of Object.entries(answers)) {
    it(`${name}: is answered as worked out by hand [STREAM-05]`, async () => {
      expect(await ask(blocks.get(name)!)).to.deep.equal(expected)
    })
  }
})

/** Tells the same of each organization. */
async function tell(ch: ClickHouseClient, ...orgs: string[]): Promise<void> {
  const insert = (table: string, values: object[]) => ch.insert({ table, values, format: 'JSONEachRow' })
  for (const org of orgs) await tellOf(org, insert)
  const days = [
    ['acct-1', '2025-11-30'],
    ['acct-1', '2025-12-01'],
    ['acct-1', '2026-01-05'],
    ['acct-2', '2026-01-06'],
    ['acct-1', '2026-01-07'],
    ['acct-1', '2026-01-20'],
  ] as const
  const marked = orgs.flatMap((orgId) => days.map(([cloudAccountId, day]) => ({ orgId, cloudAccountId, day })))
  await recomputeCostDays(ch, marked, '1')
}

async function tellOf(org: string, insert: (table: string, values: object[]) => Promise<unknown>): Promise<void> {
  const at = '2026-01-01 00:00:00.000'
  const resource = { org_id: org, cloud_account_id: 'acct-1', first_seen_at: at, observed_at: at, x_Version: '1' }
  await insert('resource_state', [
    { ...resource, resource_uid: 'i-1', name: 'web', type: 'aws-ec2', specs: { attached: 'false' } },
    { ...resource, resource_uid: 'b-1', name: 'gone', type: 'gcp-bucket', cloud_account_id: 'acct-9', deleted_at: at },
  ])
  await insert('cost_fact', [
    fact(org, 'before', 30, { x_Day: '2025-12-01' }),
    fact(org, 'long before', 99, { x_Day: '2025-11-30' }),
    fact(org, 'web', 100, {
      x_Day: '2026-01-05',
      ResourceId: 'i-1',
      Tags: { env: 'prod' },
      x_PurchaseType: 'reserved',
      EffectiveCost: '80',
      ListCost: '150',
    }),
    fact(org, 'web, estimated', 120, { x_Day: '2026-01-05', ResourceId: 'i-1', x_Source: 'estimate' }),
    fact(org, 'bucket', 40, {
      x_Day: '2026-01-06',
      x_CloudAccountId: 'acct-2',
      x_Provider: 'gcp',
      ServiceName: 'storage',
      ResourceId: 'b-1',
      ResourceType: 'bucket',
      x_Source: 'estimate',
      ListCost: '50',
      Tags: { team: 'core' },
    }),
    fact(org, 'tax', '3.5', { x_Day: '2026-01-20', ServiceName: 'tax', ChargeCategory: 'Tax' }),
    fact(org, 'credit', -10, { x_Day: '2026-01-20', ServiceName: 'tax', ChargeCategory: 'Credit' }),
    fact(org, 'taken back', 77, { x_Day: '2026-01-07', x_Deleted: 1 }),
  ])
  await insert('team_state', [{ org_id: org, team_id: 't1', name: 'Core', x_Version: '1' }])
  const assigned = { org_id: org, resource_uid: 'i-1', team_id: 't1', assigned_at: at, x_Version: '1' }
  await insert('team_assignment', [assigned])
  const sample = { org_id: org, metric: 'cpu_percent', cloud_account_id: 'acct-1', x_Version: '1' }
  await insert('metric_sample', [
    ...[0, 2, 4].map((value) => ({ ...sample, resource_uid: 'i-1', ts: `2026-01-05 0${value}:00:00.000`, value })),
    // The 95th percentile of 0, 2, 4 lies at rank 0.95 x 2 = 1.9: 2 + 0.9 x 2 = 3.8.
    { ...sample, resource_uid: 'b-1', ts: '2026-01-05 00:00:00.000', value: 50 },
    { ...sample, resource_uid: 'i-1', ts: '2026-02-01 00:00:00.000', value: 100 },
  ])
}
