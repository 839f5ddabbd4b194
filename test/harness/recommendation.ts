/** Recommendations as rows, for what only reads them. */
import { randomUUID } from 'node:crypto'
import { tokens } from '#config/wiring/tokens.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ask, type Founder } from '#test/harness/people.ts'
import { testProduct, until, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'
import { severityRank, type Severity } from '#streams/recommendation.ts'

const basic = {
  cloud_account_id: 'acct-1',
  resource_uid: 'i-1',
  resource_name: 'web',
  resource_type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  resource_group: '',
  rule_id: 'RC-1001',
  category: 'idle',
  status: 'open',
  severity: 'medium' as Severity,
  title: 'Stop EC2 instance web.',
  title_from: 'm5.large' as string | null,
  title_to: '' as string | null,
  description: 'The processor never rose above 5%.',
  remediation: 'Ask the owner, then stop the instance. Attached volumes keep their data.',
  console_url: 'https://console.aws.amazon.com/ec2',
  action_type: 'stop',
  effect: 'outage',
  destructive: true,
  automation: 'executor',
  current_cost_usd: 100,
  savings_usd: 40,
  gross_savings_usd: 50,
  confidence: 1,
  priority: 10,
  evidence: { metric: 'cpu_percent', windowDays: 14, p95: 2.1 } as object,
  specs: { instanceType: 'm5.large' } as object,
  target_spec: null as object | null,
  tier_rates: null as object | null,
  resource_tags: { env: 'prod' } as object,
  held_back_by: '',
  still_fires: false,
  fires: true,
  stale_since: null as string | null,
  generated_at: '2026-01-10T10:00:00.000Z',
  updated_at: '2026-01-10T10:00:00.000Z',
  decided_at: null as string | null,
  decided_by: '',
  snoozed_until: null as string | null,
  history: [] as object[],
  viewers: [] as string[],
  found_n: 1,
  settled_n: 0,
}
export type Recommended = typeof basic

/** Makes one of each; their ids, in this order. */
export async function recommended(
  { orgId, connections }: Pick<Tenant, 'orgId' | 'connections'>,
  ...list: Partial<Recommended & { id: string }>[]
): Promise<string[]> {
  const rows = list.map((fields) => {
    const row = { org_id: orgId, id: randomUUID(), ...basic, ...fields }
    return { ...row, severity_rank: severityRank(row.severity) }
  })
  await connections.store.pool.query(
    'insert into recommendation select * from jsonb_populate_recordset(null::recommendation, $1)',
    [JSON.stringify(rows)],
  )
  return rows.map(({ id }) => id)
}

/** Dismisses one that an orphaned disk came to: the detail of what is written down of it. */
export async function decidedRecommendation({ accessToken: token, orgId }: Founder): Promise<object> {
  const resourceUID = 'vol-told'
  const specs = { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true }
  const data = found(resourceUID, { type: 'aws-ebs-volume', sizeGB: 100, cloudAccountId: 'acct-told', specs })
  await (await testProduct()).product.get(tokens.publisher).publish({ subject: resourceDiscovered, orgId, data })
  const recommendations = async (): Promise<{ id: string }[]> =>
    (await ask('GET', `/recommendations?resource_uid=${resourceUID}&rule_id=RC-1301`, { token })).body.data.items
  await until('the recommendation', async () => (await recommendations()).length > 0)
  const [{ id } = { id: '' }] = await recommendations()
  await ask('PATCH', `/recommendations/${id}`, { token, body: { status: 'dismissed' } })
  return { recommendationID: id, ruleID: 'RC-1301', resourceUID, cloudAccountID: 'acct-told', status: 'dismissed' }
}
