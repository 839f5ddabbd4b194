/** What sessions and tokens are good for, as PostgreSQL says. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { grantsIn, type Grants } from '#http/identity/token/grant.ts'
import { systemGrants } from '#http/identity/organization/role.ts'
import { methods } from '#http/identity/session/session-entity.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const other = `org-${randomUUID()}`
const now = new Date('2026-01-15T10:00:00Z')

describe('what the store grants', () => {
  let org: Tenant
  let grants: Grants
  before(async () => {
    org = await tenant()
    grants = grantsIn(
      () => org.connections.orm.em.fork(),
      () => now,
    )
  })

  const sql = (text: string, ...params: unknown[]) => org.connections.store.pool.query(text, params)
  /** A person who is a member of the organizations. */
  const person = async (roles: Record<string, string>, status = 'active') => {
    const userId = randomUUID()
    await sql(
      `insert into app_user (id, email, name, created_at, updated_at) values ($1, $2, 'Ana', now(), now())`,
      userId,
      `${userId}@example.com`,
    )
    for (const [orgId, roleId] of Object.entries(roles))
      await sql(
        'insert into member (org_id, user_id, role_id, status, created_at) values ($1, $2, $3, $4, now())',
        orgId,
        userId,
        roleId,
        status,
      )
    return userId
  }

  describe('to a session', () => {
    const session = async (
      userId: string,
      { method = 'email', boundTo = null as string | null, secondFactor = false } = {},
    ) => {
      const id = randomUUID()
      await sql(
        `insert into session (id, user_id, org_id, bound_to, method, second_factor, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, now(), '2026-01-15T11:00:00Z')`,
        id,
        userId,
        org.orgId,
        boundTo,
        method,
        secondFactor,
      )
      return id
    }
    const roleIn = async (orgId: string, id: string, userId: string) =>
      (await grants.session(id, userId, orgId, false))?.rights?.role

    it('are rights in every organization of its person; one bound to an organization has none in others', async () => {
      const ana = await person({ [org.orgId]: 'editor', [other]: 'owner' })
      const [free, bound] = [await session(ana), await session(ana, { method: 'saml', boundTo: org.orgId })]
      const rolesOf = async (id: string) => [await roleIn(org.orgId, id, ana), await roleIn(other, id, ana)]
      expect([await rolesOf(free), await rolesOf(bound)]).to.deep.equal([
        ['editor', 'owner'],
        ['editor', undefined],
      ])
      // It is alive all the same: who is refused in one organization is not signed out.
      expect((await grants.session(bound, ana, other, false))?.rights).to.equal(null)
    })

    it('are no rights in an organization of which its person is invited, or no member', async () => {
      const ana = await person({ [org.orgId]: 'editor' }, 'invited')
      const id = await session(ana)
      expect([await roleIn(org.orgId, id, ana), await roleIn(other, id, ana)]).to.deep.equal([undefined, undefined])
    })

    it('lack a second factor that is required, unless it was shown or a provider of the organization vouches', async () => {
      await sql(
        'insert into organization_setting (org_id, require_second_factor, updated_at) values ($1, true, now())',
        org.orgId,
      )
      const ana = await person({ [org.orgId]: 'editor', [other]: 'editor' })
      const lacking = async (orgId: string, secondFactor: boolean) => {
        const found: string[] = []
        for (const method of methods) {
          const id = await session(ana, { method, secondFactor })
          if ((await grants.session(id, ana, orgId, false))!.lacksSecondFactor) found.push(method)
        }
        return found
      }
      expect(await lacking(org.orgId, false)).to.deep.equal(['email', 'google', 'github', 'link'])
      expect([await lacking(org.orgId, true), await lacking(other, false)]).to.deep.equal([[], []])
    })

    it('end when it expires, is revoked, or is not of the person', async () => {
      const ana = await person({ [org.orgId]: 'editor' })
      const [expired, revoked, alive] = [await session(ana), await session(ana), await session(ana)]
      await sql(`update session set expires_at = $2 where id = $1`, expired, now)
      await sql(`update session set revoked_at = now() where id = $1`, revoked)
      const found = (id: string, userId = ana) => grants.session(id, userId, org.orgId, false)
      expect([await found(expired), await found(revoked), await found(alive, randomUUID())]).to.deep.equal([
        null,
        null,
        null,
      ])
      expect((await found(alive))?.rights?.role).to.equal('editor')
    })
  })

  describe('to a token', () => {
    const token = async (userId: string, { role = null as string | null, scope = 'api' } = {}) => {
      const id = randomUUID()
      const hash = id.replaceAll('-', '').repeat(2)
      await sql(
        `insert into personal_access_token (id, org_id, user_id, name, role, scope, hash, last_four, created_at)
         values ($1, $2, $3, 'T', $4, $5, $6, 'abcd', now())`,
        id,
        org.orgId,
        userId,
        role,
        scope,
        hash,
      )
      return hash
    }
    const rightsBy = async (...of: Parameters<typeof token>) => (await grants.token(await token(...of), now))!.rights

    it('are the rights of its person while they are an active member of its organization', async () => {
      const ana = await person({ [org.orgId]: 'editor' })
      const [own, narrowed] = [await token(ana), await token(ana, { role: 'viewer' })]
      const rights = async () => [(await grants.token(own, now))!.rights, (await grants.token(narrowed, now))!.rights]
      const [full, less] = await rights()
      expect([full?.permissions, less?.permissions]).to.deep.equal([systemGrants.editor, systemGrants.viewer])
      await sql(`update member set status = 'invited' where user_id = $1`, ana)
      expect(await rights()).to.deep.equal([null, null])
      await sql(`delete from member where user_id = $1`, ana)
      expect(await rights()).to.deep.equal([null, null])
    })

    it('are none by what its person is in another organization', async () => {
      const ana = await person({ [other]: 'owner' })
      expect([await rightsBy(ana), await rightsBy(ana, { role: 'owner' })]).to.deep.equal([null, null])
    })

    it('of a machine or a directory are those of its role', async () => {
      const ana = await person({})
      const [machine, directory] = [
        await rightsBy('token:ci', { role: 'editor' }),
        await rightsBy(ana, { role: 'admin', scope: 'scim' }),
      ]
      expect([machine?.role, directory?.role]).to.deep.equal(['editor', 'admin'])
    })
  })
})
