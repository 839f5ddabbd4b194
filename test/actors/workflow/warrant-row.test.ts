/** What is read of a workflow right before a call is made for it. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { warrantRow } from '#actors/workflow/plan/warrant.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { at, plan, plantedJobs } from '#test/harness/workflow.ts'

const other = `org-${randomUUID()}`

describe('the warrant of a workflow', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))

  const sql = (text: string, ...params: unknown[]) => org.connections.store.pool.query(text, params)
  const read = (jobId: string) =>
    warrantRow((text, params) => org.connections.store.rows(text, params), { orgId: org.orgId, jobId })

  const member = async (roleId: string, status = 'active', orgId = org.orgId) => {
    const userId = randomUUID()
    await sql(
      'insert into member (org_id, user_id, role_id, status, created_at) values ($1, $2, $3, $4, now())',
      orgId,
      userId,
      roleId,
      status,
    )
    return userId
  }
  const machine = async (role: string, { expiresAt = null as string | null, isRevoked = false } = {}) => {
    const [id, userId] = [randomUUID(), `token:${randomUUID()}`]
    await sql(
      `insert into personal_access_token (id, org_id, user_id, name, role, hash, last_four, created_at, expires_at, revoked_at)
       values ($1, $2, $3, 'machine', $4, $5, 'abcd', now(), $6, case when $7 then now() end)`,
      id,
      org.orgId,
      userId,
      role,
      id.replaceAll('-', '').repeat(2),
      expiresAt,
      isRevoked,
    )
    return userId
  }
  const approvedBy = async (...userIds: string[]) => {
    const approvals = userIds.map((userId) => ({ stepId: 'stop/approve/1', userId, at, planHash: 'h' }))
    const [jobId] = await plantedJobs(org, { approvals })
    return (await read(jobId!))!
  }

  it('counts only approvers who are active administrators of the organization now', async () => {
    const [owner, admin] = [await member('owner'), await member('admin')]
    const others = [
      await member('editor'),
      await member('viewer'),
      await member(randomUUID()),
      await member('admin', 'invited'),
      await member('admin', 'active', other),
      randomUUID(),
    ]
    const row = await approvedBy(owner, ...others, admin, 'operator', admin)
    expect(row.admins.toSorted()).to.deep.equal([owner, admin, 'operator'].toSorted())
    await sql(`update member set role_id = 'editor' where org_id = $1 and user_id = $2`, org.orgId, admin)
    expect((await approvedBy(owner, admin)).admins).to.deep.equal([owner])
  })

  it('counts the token of a machine with the role of an administrator until it is revoked or expires', async () => {
    const good = [await machine('admin'), await machine('owner', { expiresAt: '2999-01-01T00:00:00Z' })]
    const bad = [
      await machine('editor'),
      await machine('admin', { expiresAt: '2020-01-01T00:00:00Z' }),
      await machine('admin', { isRevoked: true }),
    ]
    expect((await approvedBy(...bad, ...good)).admins.toSorted()).to.deep.equal(good.toSorted())
  })

  it('is halted by the kill switch of its own organization alone', async () => {
    const policy = (orgId: string, domain: string, killSwitch: boolean, { createdAt = at, enabled = true } = {}) =>
      sql(
        `insert into policy (org_id, id, domain, target_type, name, spec, enabled, version, set_version, created_at, updated_at)
         values ($1, gen_random_uuid()::text, $2, 'organisation', gen_random_uuid()::text, $3, $4, 1, 1, $5, $5)`,
        orgId,
        domain,
        JSON.stringify({ killSwitch }),
        enabled,
        createdAt,
      )
    const [jobId] = await plantedJobs(org, {})
    const isHalted = async () => (await read(jobId!))!.halted
    expect(await isHalted()).to.equal(false)
    // Older than any other: a read across organizations would find it first.
    await policy(other, 'guardrail', true, { createdAt: '1999-01-01T00:00:00Z' })
    await policy(org.orgId, 'governance', true)
    await policy(org.orgId, 'guardrail', true, { enabled: false })
    expect(await isHalted()).to.equal(false)
    await policy(org.orgId, 'guardrail', true)
    expect(await isHalted()).to.equal(true)
  })

  it('is that of the job with the id in the organization, and none of another organization', async () => {
    const [jobId] = await plantedJobs(org, { status: 'running', resource_uid: 'i-mine' })
    const [foreign] = await plantedJobs({ ...org, orgId: other }, {})
    const found = (await read(jobId!))!
    expect([found.status, found.plan]).to.deep.equal(['running', plan])
    expect([await read(foreign!), await read(randomUUID())]).to.deep.equal([undefined, undefined])
  })
})
