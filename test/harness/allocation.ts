/** Rules of an organization by which resources get their teams, and what has become of them in both stores. */
import { expect } from 'chai'
import { allocationDomain, allocationKey, type AllocationSpec } from '#actors/attribution/allocation/allocation.ts'
import { allocations } from '#analytics/attribution/projections.ts'
import { changePolicy, makePolicy, removePolicy } from '#actors/policy/change.ts'
import { change, type RecordChange } from '#engine/run/tell.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { calm } from '#test/harness/chat.ts'
import type { Tenant } from '#test/harness/product.ts'

export type Found = Partial<(typeof resourceDiscovered.examples)[number]> & { resourceUid: string }

export interface Allocation {
  /** A change of plain records that no request asked for. */
  changed<T>(work: (tx: RecordChange) => Promise<T>): Promise<T>
  /** Its id, once all that follows has happened. */
  rule(spec: AllocationSpec, enabled?: boolean): Promise<string>
  changeRule(id: string, spec: AllocationSpec, enabled?: boolean): Promise<void>
  removeRule(id: string): Promise<void>
  /** Its id. */
  team(name: string): Promise<string>
  discover(...found: readonly Found[]): Promise<void>
  /** Has resources of `acct-1`, or of the account before a slash, looked at anew. */
  touch(...uids: readonly string[]): Promise<void>
  calm(): Promise<void>
  /** The id of the team of this name. */
  teamNamed(name: string): Promise<string | undefined>
  /** Team and rule of each resource that has one by rule: `acct-1/i-1` to `Data Rule 1`. Both stores say the same. */
  outcome(): Promise<Record<string, string>>
}

export function allocation(org: Tenant): Allocation {
  const { connections, product, orgId } = org
  let made = 0
  const settled = () => calm(org)
  const changed = <T>(work: (tx: RecordChange) => Promise<T>): Promise<T> => {
    const asker = product.get(tokens.asker)
    const now = () => new Date(connections.clock.now())
    const em = connections.orm.em.fork()
    return change({ em, orgId, asker, now, transaction: (own, run) => own.transactional(run) }, work)
  }
  const given = (spec: AllocationSpec, name: string, enabled: boolean) => ({
    targetType: 'organisation',
    name,
    spec,
    enabled,
  })
  const names = new Map<string, string>()
  return {
    changed,
    calm: settled,
    async rule(spec, enabled = true) {
      const name = `Rule ${++made}`
      const { id } = await changed((tx) => makePolicy(tx, allocationDomain, given(spec, name, enabled)))
      names.set(id, name)
      await settled()
      return id
    },
    async changeRule(id, spec, enabled = true) {
      await changed((tx) => changePolicy(tx, allocationDomain, id, given(spec, names.get(id)!, enabled)))
      await settled()
    },
    async removeRule(id) {
      await changed((tx) => removePolicy(tx, allocationDomain, id))
      await settled()
    },
    async team(name) {
      const { status, body } = await org.send('POST', '/teams', { name })
      expect(status, JSON.stringify(body)).to.equal(201)
      return body.data.id
    },
    async discover(...found) {
      const fixed = { provider: 'aws', type: 'aws-ec2', region: 'us-east-1', cloudAccountId: 'acct-1' } as const
      await org.publish(
        resourceDiscovered,
        found.map((one) => ({ ...fixed, name: `name of ${one.resourceUid}`, ...one })),
      )
      await settled()
    },
    async touch(...uids) {
      const keys = uids.map((uid) => {
        const [account, own] = uid.includes('/') ? uid.split('/') : ['acct-1', uid]
        return allocationKey(account!, own!)
      })
      await connections.store.pool.query(
        `insert into mark (projection, org_id, key, lane, stamp)
         select $1, $2, key, 0, nextval('generation') from (select distinct * from unnest($3::text[]) as one (key)) as given
         on conflict (projection, org_id, key) do update set stamp = excluded.stamp`,
        [allocations.name, orgId, keys],
      )
      await settled()
    },
    async teamNamed(name) {
      const { body } = await org.get(`/teams?search=${encodeURIComponent(name)}`)
      return body.data.items.find((one: { name: string }) => one.name === name)?.id
    },
    async outcome() {
      const { rows: stored } = await connections.store.pool.query<{ key: string; of: string }>(
        `select a.cloud_account_id || '/' || a.resource_uid as key, t.name || ' ' || p.name as of
         from allocated_resource a
         join team t on t.org_id = a.org_id and t.id = a.team_id
         join policy p on p.org_id = a.org_id and p.id = a.policy_id
         where a.org_id = $1 order by key`,
        [orgId],
      )
      const facts = await org.facts(
        `SELECT concat(cloud_account_id, '/', resource_uid) AS key, team.name AS team, policy_id
         FROM (SELECT * FROM allocated_resource FINAL WHERE org_id = {org:String} AND team_id != '') AS a
         INNER JOIN (SELECT team_id, name FROM team_state FINAL WHERE org_id = {org:String} AND deleted = 0) AS team USING team_id
         ORDER BY key`,
      )
      const { rows: policies } = await connections.store.pool.query<{ id: string; name: string }>(
        'select id, name from policy where org_id = $1',
        [orgId],
      )
      const named = new Map(policies.map(({ id, name }) => [id, name]))
      const shown = Object.fromEntries(
        facts.map(({ key, team, policy_id }) => [key, `${team} ${named.get(policy_id)}`]),
      )
      const kept = Object.fromEntries(stored.map(({ key, of }) => [key, of]))
      expect(shown, 'ClickHouse, as PostgreSQL').to.deep.equal(kept)
      return kept
    },
  }
}
