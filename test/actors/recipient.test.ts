import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { recipients, type RecipientTools } from '#actors/notification/delivery/recipient.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('the recipient of a mail, right before it is sent', () => {
  let org: Tenant
  const sql = (text: string, ...params: unknown[]) => org.connections.store.pool.query(text, params)
  const member = async (status: 'active' | 'invited', orgId = org.orgId) => {
    const userId = randomUUID()
    await sql(
      `insert into app_user (id, email, name, created_at, updated_at) values ($1, $2, 'Ana', now(), now())`,
      userId,
      `${userId}@example.com`,
    )
    await sql(
      `insert into member (org_id, user_id, role_id, status, created_at) values ($1, $2, 'viewer', $3, now())`,
      orgId,
      userId,
      status,
    )
    return userId
  }

  it('is an active member of the organization; anyone else is told nothing', async () => {
    org = await tenant()
    const [active, invited, foreign] = [
      await member('active'),
      await member('invited'),
      await member('active', (await tenant()).orgId),
    ]
    const rows = (text: string, params: readonly unknown[]) => org.connections.store.rows<object>(text, [...params])
    const find = recipients({ reads: { rows }, clock: org.connections.clock } as unknown as RecipientTools)
    const found = await Promise.all([active, invited, foreign].map((id) => find(org.orgId, `mail:${id}`)))
    const gone = { gone: 'The person is no longer a member of the organization.' }
    expect(found).to.deep.equal([
      { type: 'email', email: `${active}@example.com`, channelId: `mail:${active}` },
      gone,
      gone,
    ])
  })
})
