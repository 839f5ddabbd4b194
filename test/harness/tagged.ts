/** An organization whose tags are looked at. */
import { tokens } from '#config/wiring/tokens.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import type { Static } from '#engine/value/schema.ts'
import type { SecurityEventType } from '#streams/security.ts'
import { ask, type Founder } from '#test/harness/people.ts'
import { tenant, testProduct, until, type Answer, type Tenant } from '#test/harness/product.ts'

type Found = Static<typeof resourceDiscovered.schema>

/** A resource as it is found. */
export const found = (resourceUid: string, fields: Partial<Found> = {}): Found => ({
  resourceUid,
  name: resourceUid,
  type: 'aws-ec2',
  provider: 'aws',
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
  ...fields,
})

/** A tagging policy that is called as its key. */
export const policy = (key: string, value: object, selector?: object) => ({
  domain: 'tagging',
  targetType: 'organisation',
  name: key,
  spec: { ...(selector && { selector }), tag: { key, value } },
  enabled: true,
})

const expected = (answer: Answer, status: number): any => {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body?.data
}

export class Tagged {
  readonly org: Tenant
  readonly clouds = tokens.clouds

  private constructor(org: Tenant) {
    this.org = org
  }

  static async begin(): Promise<Tagged & Tenant> {
    const org = await tenant()
    return Object.assign(new Tagged(org), org)
  }

  discover(...list: Found[]): Promise<void> {
    return this.org.publish(resourceDiscovered, list)
  }

  gone(resourceUid: string): Promise<void> {
    return this.org.publish(resourceDeleted, [{ resourceUid, provider: 'aws', cloudAccountId: 'acct-1' }])
  }

  /** The id of a new policy. */
  async policy(key: string, value: object, selector?: object): Promise<string> {
    return expected(await this.org.send('POST', '/policies', policy(key, value, selector)), 201).id
  }

  async change(id: string, body: object): Promise<void> {
    expected(await this.org.send('PUT', `/policies/${id}`, body), 200)
  }

  decide(body: object): Promise<Answer> {
    return this.org.send('PATCH', '/smart-tags', body)
  }

  /** The entry of a resource, if it has one. */
  async entry(uid: string): Promise<any> {
    return expected(await this.org.get('/smart-tags?limit=100'), 200).items.find((one: any) => one.resourceUid === uid)
  }

  async derived(uid: string): Promise<Record<string, string>> {
    return (await this.entry(uid))?.derived ?? {}
  }

  /** The suggestion for a resource, if there is one. */
  async suggestion(uid: string): Promise<any> {
    return (await this.org.get('/autotagging?limit=100')).body.items.find((one: any) => one.resourceUid === uid)
  }

  async count(query = ''): Promise<number> {
    return (await this.org.get(`/autotagging/count${query}`)).body.count
  }

  /** Looks at every resource anew, and waits for what came of it. */
  async refresh(): Promise<void> {
    const { refreshID } = expected(await this.org.send('POST', '/recommendations/refresh'), 202)
    await until(
      'the sweep',
      async () => (await this.row<{ status: string }>(runSql, refreshID))?.status === 'completed',
    )
    await until('what it told', async () => (await this.row<{ n: number }>(olderSql))?.n === 0)
  }

  private async row<T>(sql: string, ...more: string[]): Promise<T | undefined> {
    return (await this.org.connections.store.pool.query(sql, [this.org.orgId, ...more])).rows[0] as T | undefined
  }
}

const runSql = 'select status from tag_run where org_id = $1 and run_id = $2'
/** How many resources there are that were not looked at since the policies were changed. */
const olderSql = `
  select count(*)::int as n from resource r
  left join resource_tagging t on t.org_id = r.org_id and t.cloud_account_id = r.cloud_account_id and t.uid = r.uid
  left join policy_set s on s.org_id = r.org_id and s.domain = 'tagging'
  where r.org_id = $1 and r.deleted_at is null and (t.uid is null or t.policy_version < s.version)`

/** Makes a policy, decides about what came of it, and deletes it; the types and details of the security events of it, in order. */
export async function decidedTags({ accessToken: token, orgId }: Founder): Promise<[SecurityEventType, object][]> {
  const send = (method: string, path: string, body?: object) => ask(method, path, { token, body })
  const given = policy('loc', { fields: ['res.region'], join: '-', standardize: true })
  const { id: policyID } = expected(await send('POST', '/policies', given), 201)
  expected(await send('PUT', `/policies/${policyID}`, given), 200)
  const resourceUid = 'i-tagged'
  const { product } = await testProduct()
  const data = found(resourceUid, { name: 'web-prod', cloudAccountId: 'acct-told' })
  await product.get(tokens.publisher).publish({ subject: resourceDiscovered, orgId, data })
  const rejected = async () => (await send('POST', '/autotagging/reject', { resourceUid })).status === 200
  await until('the suggestion', rejected)
  expected(await send('PATCH', '/smart-tags', { resourceUid, keys: ['loc'], accepted: true }), 200)
  const { id: runID } = expected(await send('POST', '/smart-tags/accept-all', { key: 'loc' }), 202)
  expected(await send('DELETE', `/policies/${policyID}`), 204)
  const ofPolicy = { policyID, domain: 'tagging', name: 'loc' }
  const ofResource = { resourceUID: resourceUid, cloudAccountID: 'acct-told' }
  return [
    ['policy_created', ofPolicy],
    ['policy_changed', ofPolicy],
    ['suggestion_decided', { ...ofResource, status: 'rejected' }],
    ['smart_tags_decided', { ...ofResource, accepted: 'true', keys: 'loc' }],
    ['smart_tags_accept_all', { runID, key: 'loc' }],
    ['policy_deleted', ofPolicy],
  ]
}
