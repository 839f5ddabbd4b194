import { expect } from 'chai'
import { guardNeeds, type GuardNeeds } from '#actors/workflow/guard/needs.ts'
import { guardrailDefaults } from '#actors/workflow/guard/guardrail.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { guardAsked, guardLeft } from '#streams/workflow.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { asked } from './asking.ts'

describe('what the guard goes by', () => {
  let org: Tenant
  let other: Tenant
  /** Statements that were read. */
  let read: number

  const sql = (text: string, ...params: unknown[]) => org.connections.store.pool.query(text, params)
  const reads = {
    plain: (text: string, params: readonly unknown[], { maxAgeMs }: { maxAgeMs: number }) => {
      expect(maxAgeMs).to.equal(0)
      read++
      return org.connections.store.rows(text, [...params])
    },
  } as unknown as TurnReads
  const waiting = (subject: unknown, data: object, orgId = org.orgId): Waiting => ({
    subject: subject as Subject,
    address: { orgId, place: '-', key: 'all' },
    data,
  })
  const about = (cloudAccountId: string, resourceUid: string) => asked({ cloudAccountId, resourceUid })
  const needsOf = (...some: Waiting[]): Promise<GuardNeeds> => {
    read = 0
    return guardNeeds(some, reads)
  }
  const groundsOf = async (account: string, uid: string, { orgId } = org) =>
    (await needsOf(waiting(guardAsked, about(account, uid), orgId)))(orgId, about(account, uid))

  const resource = (account: string, uid: string, tags: object, { orgId } = org) =>
    sql(
      `insert into resource (org_id, cloud_account_id, uid, id, name, type, provider, region, status, schedulable, tags,
         observed_at, seen_at, created_at, updated_at)
       values ($1, $2, $3, gen_random_uuid(), 'web', 'aws-ec2', 'aws', 'eu-west-1', 'running', true, $4, now(), now(), now(), now())`,
      orgId,
      account,
      uid,
      JSON.stringify(tags),
    )
  const tagging = (account: string, uid: string, accepted: object, isAccepted: boolean) =>
    sql(
      `insert into resource_tagging (org_id, cloud_account_id, uid, id, signals, evidence_env, parent_uid, neighbourhood,
         has_prediction, predicted_env, predicted_no_stop, extra_tags, confidence, reason, accepted_at, derived, derived_by,
         left_out, accepted, policy_version, shown_smart, shown_auto, observed_at)
       values ($1, $2, $3, gen_random_uuid(), '{}', '', '', '', true, 'prod', true, '{"owner": "ops", "team": "auto"}', 88, '',
         $5, '{}', '{}', '[]', $4, 0, '{}', '{}', now())`,
      org.orgId,
      account,
      uid,
      JSON.stringify(accepted),
      isAccepted ? new Date() : null,
    )
  const policy = async (domain: string, spec: object, version: number, enabled = true) => {
    await sql(
      `insert into policy_set (org_id, domain, version) values ($1, $2, $3)
       on conflict (org_id, domain) do update set version = excluded.version`,
      org.orgId,
      domain,
      version,
    )
    await sql('delete from policy where org_id = $1 and domain = $2', org.orgId, domain)
    await sql(
      `insert into policy (org_id, id, domain, target_type, name, spec, enabled, version, set_version, created_at, updated_at)
       values ($1, gen_random_uuid()::text, $2, 'organisation', 'P', $3, $4, 1, $5, now(), now())`,
      org.orgId,
      domain,
      JSON.stringify(spec),
      enabled,
      version,
    )
  }

  before(async () => {
    org = await tenant()
    other = await tenant()
  })

  it('are defaults, no tags and no groups for what nothing is known of', async () => {
    expect(await groundsOf('acct-1', 'i-none')).to.deep.equal({
      guardrail: guardrailDefaults,
      tags: {},
      environment: 'unknown',
      groups: [],
    })
  })

  it("are the effective tags and environment: the cloud's before derived ones, these before predictions, once accepted", async () => {
    await resource('acct-1', 'i-1', { env: 'dev', team: 'cloud' })
    await tagging('acct-1', 'i-1', { env: 'staging', team: 'smart', place: 'eu' }, true)
    const { tags, environment } = await groundsOf('acct-1', 'i-1')
    expect(tags).to.deep.equal({ env: 'dev', team: 'cloud', place: 'eu', owner: 'ops', 'no-stop': 'true' })
    expect(environment).to.equal('dev')

    await resource('acct-1', 'i-2', {})
    await tagging('acct-1', 'i-2', {}, true)
    const second = await groundsOf('acct-1', 'i-2')
    expect(second.tags).to.deep.equal({ env: 'prod', owner: 'ops', team: 'auto', 'no-stop': 'true' })
    expect(second.environment).to.equal('prod')

    await resource('acct-1', 'i-3', { a: '1' })
    await tagging('acct-1', 'i-3', {}, false)
    const third = await groundsOf('acct-1', 'i-3')
    expect([third.tags, third.environment]).to.deep.equal([{ a: '1' }, 'unknown'])
  })

  it('are those of the resource in its account and organization', async () => {
    await resource('acct-2', 'i-1', { only: 'here' })
    await resource('acct-1', 'i-1', { of: 'another' }, other)
    expect((await groundsOf('acct-2', 'i-1')).tags).to.deep.equal({ only: 'here' })
    expect((await groundsOf('acct-1', 'i-1', other)).tags).to.deep.equal({ of: 'another' })
  })

  it('keep the tags of a resource that is gone', async () => {
    await resource('acct-1', 'i-gone', { 'do-not-delete': 'yes' })
    await sql(`update resource set deleted_at = now() where org_id = $1 and uid = 'i-gone'`, org.orgId)
    expect((await groundsOf('acct-1', 'i-gone')).tags).to.deep.equal({ 'do-not-delete': 'yes' })
  })

  it('are the groups that it is in, with the number of their members', async () => {
    const make = async (name: string, uids: string[]) => {
      const { id } = (await org.send('POST', '/resource-groups', { name })).body.data
      for (const uid of uids)
        await sql(
          `insert into resource_group_member (org_id, group_id, resource_uid, tier, place, added_at) values ($1, $2, $3, 1, 0, now())`,
          org.orgId,
          id,
          uid,
        )
      return { id, name, size: uids.length }
    }
    const shop = await make('Shop', ['i-1', 'i-2', 'i-3'])
    await make('Others', ['i-2'])
    const all = await make('All', ['i-1', 'i-5'])
    expect((await groundsOf('acct-1', 'i-1')).groups).to.deep.equal([shop, all])
  })

  it('are the policies as they are now', async () => {
    const guardrail = async () => (await groundsOf('acct-1', 'i-2')).guardrail
    await policy('guardrail', { killSwitch: true, concurrent: 2 }, 1)
    expect(await guardrail()).to.deep.equal({ ...guardrailDefaults, killSwitch: true, concurrent: 2 })
    await policy('guardrail', { concurrent: 3 }, 2)
    expect(await guardrail()).to.deep.equal({ ...guardrailDefaults, concurrent: 3 })
    await policy('guardrail', { concurrent: 4 }, 3, false)
    expect(await guardrail()).to.deep.equal(guardrailDefaults)
    await sql(`update resource set tags = '{"umgebung": "staging"}' where org_id = $1 and uid = 'i-2'`, org.orgId)
    await policy('governance', { envTagKeys: ['umgebung'] }, 1)
    expect((await groundsOf('acct-1', 'i-2')).environment).to.equal('staging')
  })

  it('are read once a batch, however many ask, and not at all for those that leave', async () => {
    const some = [1, 2, 3, 3].map((n) => waiting(guardAsked, about('acct-1', `i-${n}`)))
    const foreign = waiting(guardAsked, about('acct-1', 'i-1'), other.orgId)
    const needs = await needsOf(...some, foreign, waiting(guardLeft, { cloudAccountId: 'a', jobId: 'j', n: 1 }))
    // The versions of two domains, resources and groups; what policies say is known already.
    expect(read).to.equal(4)
    expect(needs(org.orgId, about('acct-1', 'i-3')).tags).to.deep.equal({ a: '1' })
    expect(needs(other.orgId, about('acct-1', 'i-1')).tags).to.deep.equal({ of: 'another' })
    await needsOf(waiting(guardLeft, { cloudAccountId: 'a', jobId: 'j', n: 1 }))
    expect(read).to.equal(0)
  })
})
