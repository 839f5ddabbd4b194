/** What is read of schedules and of the resources that they name, of two organizations that have the same ids. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { fireNeeds } from '#actors/schedule/fire.ts'
import { isFull } from '#actors/schedule/queries.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { scheduleDue, scheduleRemoved, scheduleSaved } from '#streams/schedule.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const other = `org-${randomUUID()}`

describe('schedules as they are read', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))

  const sql = (text: string, ...params: unknown[]) => org.connections.store.pool.query(text, params)
  const schedule = (orgId: string, id: string, ...uids: string[]) =>
    sql(
      `insert into schedule (org_id, id, name, timezone, rules, resource_uids, resource_group_ids, skip_dates, enabled, revision,
         created_at, updated_at)
       values ($1, $2, 'Night', 'UTC', '[]', $3, '[]', '[]', true, 1, now(), now())`,
      orgId,
      id,
      JSON.stringify(uids),
    )
  const resource = (orgId: string, account: string, uid: string, isDeleted = false) =>
    sql(
      `insert into resource (org_id, cloud_account_id, uid, id, name, type, provider, region, status, schedulable, tags,
         observed_at, seen_at, created_at, updated_at, deleted_at)
       values ($1, $2, $3, gen_random_uuid(), 'web', 'aws-ec2', 'aws', 'eu-west-1', 'running', true, '{}', now(), now(), now(), now(),
         case when $4 then now() end)`,
      orgId,
      account,
      uid,
      isDeleted,
    )
  const due = (orgId: string, id: string, subject: unknown = scheduleDue): Waiting => ({
    subject: subject as Subject,
    address: { orgId, place: id, key: id },
    data: {},
  })

  it('act on resources that are there, at each account that has them, in their own organization', async () => {
    await schedule(org.orgId, 's-1', 'i-1', 'i-gone', 'i-moved', 'i-foreign')
    await schedule(org.orgId, 's-2', 'i-2')
    await schedule(other, 's-1', 'i-1')
    await resource(org.orgId, 'acct-2', 'i-1')
    await resource(org.orgId, 'acct-1', 'i-1')
    await resource(org.orgId, 'acct-1', 'i-2')
    await resource(org.orgId, 'acct-1', 'i-gone', true)
    await resource(org.orgId, 'acct-1', 'i-moved', true)
    await resource(org.orgId, 'acct-2', 'i-moved')
    await resource(other, 'acct-9', 'i-1')
    await resource(other, 'acct-9', 'i-foreign')
    let read = 0
    const plain = (text: string, params: readonly unknown[], { maxAgeMs }: { maxAgeMs: number }) => {
      read++
      expect(maxAgeMs).to.equal(0)
      return org.connections.store.rows<object>(text, params)
    }
    const find = async (...waiting: Waiting[]) => {
      const found = await fireNeeds(waiting, { plain } as unknown as TurnReads)
      return [...found].map(([orgId, accounts]) => [orgId, Object.fromEntries(accounts)])
    }
    expect(await find(due(org.orgId, 's-1'))).to.deep.equal([
      [org.orgId, { 'i-1': ['acct-1', 'acct-2'], 'i-moved': ['acct-2'] }],
    ])
    expect(await find(due(other, 's-1'), due(org.orgId, 's-2', scheduleSaved))).to.have.deep.members([
      [other, { 'i-1': ['acct-9'] }],
      [org.orgId, { 'i-2': ['acct-1'] }],
    ])
    expect(read).to.equal(2)
    expect(await find(due(org.orgId, 's-1', scheduleRemoved))).to.deep.equal([])
    expect(read, 'nothing for what fires nothing').to.equal(2)
  })

  it('are full with as many as are allowed, counted by organization', async () => {
    const [full, empty] = [`org-${randomUUID()}`, `org-${randomUUID()}`]
    for (const n of [1, 2, 3]) await schedule(full, `f-${n}`)
    await schedule(empty, 'e-1')
    const em = org.connections.orm.em.fork()
    expect([await isFull(em, full, 2), await isFull(em, full, 3), await isFull(em, full, 4)]).to.deep.equal([
      true,
      true,
      false,
    ])
    expect([await isFull(em, empty, 1), await isFull(em, empty, 2)]).to.deep.equal([true, false])
  })
})
