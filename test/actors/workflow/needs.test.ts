/** What turns of workflows read, of two organizations that have the same ids. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { groundsOf } from '#actors/workflow/guard/needs.ts'
import { workflowNeeds } from '#actors/workflow/needs.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { workflowWanted } from '#streams/workflow.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { at, plantedJobs } from '#test/harness/workflow.ts'

const other = `org-${randomUUID()}`
const recommendationId = randomUUID()

describe('what workflows read', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))

  const sql = (text: string, ...params: unknown[]) => org.connections.store.pool.query(text, params)
  const rows = (text: string, params: readonly unknown[]) => org.connections.store.rows<object>(text, params)
  const reads = { rows, plain: rows } as unknown as TurnReads

  it('counts live workflows of the recommendation and of the organization, and none of others', async () => {
    const live = (['pending', 'running', 'awaiting_user'] as const).map((status) => ({ status }))
    const ended = (['succeeded', 'failed', 'cancelled'] as const).map((status) => ({ status, completed_at: at }))
    const ofIt = { recommendation_id: recommendationId }
    await plantedJobs(org, ...live, { status: 'running', ...ofIt }, { status: 'pending', ...ofIt }, ...ended)
    await plantedJobs(org, { status: 'failed', completed_at: at, ...ofIt })
    await plantedJobs({ ...org, orgId: other }, ...live, { status: 'running', ...ofIt })
    const wanted = (orgId: string): Waiting => ({
      subject: workflowWanted as unknown as Subject,
      address: { orgId, place: 'acct-1', key: 'j-1' },
      data: {
        cloudAccountId: 'acct-1',
        jobId: 'j-1',
        recommendationId,
        subjectType: 'resource',
        subjectId: 'i-1',
        userId: 'u-1',
      },
    })
    const needs = await workflowNeeds([org.orgId, other].map(wanted), reads)
    const found = [org.orgId, other].map((orgId) => needs.wanted(orgId, 'j-1'))
    expect(found.map((one) => [one?.ofRecommendation, one?.ofOrganization])).to.deep.equal([
      [2, 5],
      [1, 4],
    ])
  })

  it('names active administrators of each organization, and those of no other', async () => {
    const orgs = [`org-${randomUUID()}`, `org-${randomUUID()}`]
    const [one, two] = [randomUUID(), randomUUID()]
    const member = (orgId: string, userId: string, roleId: string, status = 'active') =>
      sql(
        'insert into member (org_id, user_id, role_id, status, created_at) values ($1, $2, $3, $4, now())',
        orgId,
        userId,
        roleId,
        status,
      )
    await member(orgs[0]!, one, 'owner')
    await member(orgs[0]!, two, 'editor')
    await member(orgs[0]!, randomUUID(), 'admin', 'invited')
    await member(orgs[1]!, two, 'admin')
    const any = orgs.map((orgId) => ({ subject: {} as Subject, address: { orgId, place: '-', key: '-' }, data: {} }))
    const needs = await workflowNeeds(any, reads)
    expect(orgs.map((orgId) => needs.admins(orgId))).to.deep.equal([[one], [two]])
  })

  it('gives a resource the groups of its organization, and none of another that has the same uid', async () => {
    const group = async (orgId: string, name: string, ...uids: string[]) => {
      const id = randomUUID()
      await sql(
        'insert into resource_group (org_id, id, name, created_at, updated_at) values ($1, $2, $3, now(), now())',
        orgId,
        id,
        name,
      )
      for (const uid of uids)
        await sql(
          `insert into resource_group_member (org_id, group_id, resource_uid, tier, place, added_at) values ($1, $2, $3, 1, 0, now())`,
          orgId,
          id,
          uid,
        )
      return { id, name, size: uids.length }
    }
    const mine = await group(org.orgId, 'Mine', 'i-1', 'i-2')
    const theirs = await group(other, 'Theirs', 'i-1', 'i-2', 'i-3')
    const grounds = await groundsOf(
      [org.orgId, other].map((orgId) => ({ orgId, account: 'acct-1', uid: 'i-1' })),
      reads,
    )
    const alone = await groundsOf([{ orgId: org.orgId, account: 'acct-1', uid: 'i-1' }], reads)
    const i1 = { cloudAccountId: 'acct-1', resourceUid: 'i-1' }
    expect(alone(org.orgId, i1).groups).to.deep.equal([mine])
    expect([org.orgId, other].map((orgId) => grounds(orgId, i1).groups)).to.deep.equal([[mine], [theirs]])
  })
})
