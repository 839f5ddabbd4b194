import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { AccessTokens } from '#http/identity/token/access-token.ts'
import { Authenticator } from '#http/identity/session/authenticate.ts'
import type { Grants } from '#http/identity/token/grant.ts'
import { KeyRing } from '#http/identity/token/key.ts'
import { permissions, systemGrants, systemRights } from '#http/identity/organization/role.ts'
import { hashOf } from '#http/identity/token/secret.ts'

const secret = `svc_pat_${'a'.repeat(43)}`
const orgId = '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01'

type Found = NonNullable<Awaited<ReturnType<Grants['token']>>>

/** An authenticator over one token, with its clock and how often the store was asked. */
function world(fields: Partial<Found> = {}) {
  const token: Found | null = {
    tokenId: 't1',
    orgId,
    userId: 'ana',
    rights: systemRights('editor'),
    expiresAt: null,
    ...fields,
  }
  const state = { token: token as Found | null, now: Date.parse('2026-01-15T10:00:00Z'), asked: 0 }
  const grants: Grants = {
    session: async () => null,
    token: async (wanted) => {
      state.asked++
      return wanted === hashOf(secret) ? state.token : null
    },
  }
  const now = () => new Date(state.now)
  const tools = { em: () => ({ find: async () => [] }) as never, now, seal: String, open: String }
  const tokens = new AccessTokens(new KeyRing(tools), () => 'http://here', now)
  const authenticator = new Authenticator(grants, tokens, () => ['x'.repeat(32)], now)
  return {
    state,
    authenticator,
    authenticate: (header: string | undefined, org?: string) => authenticator.caller(header, org),
  }
}

const refusal = async (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'let in',
    (error: Fault) => `${error.kind} ${error.code}`,
  )

describe('personal access tokens on a request', () => {
  it('say who calls, for which organization, with which rights [AUTH-22]', async () => {
    const caller = await world().authenticate(`Bearer ${secret}`)
    expect(caller).to.deep.equal({
      orgId,
      userId: 'ana',
      kind: 'pat',
      role: 'editor',
      isAdmin: false,
      permissions: systemGrants.editor,
      reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] },
      principal: 'pat:t1',
    })
    expect(await world().authenticate(`bearer ${secret}`, orgId)).to.deep.equal(caller)
  })
  it('are asked for where none is sent', async () => {
    for (const header of [undefined, '', 'Basic YTpi', secret]) {
      expect(await refusal(world().authenticate(header))).to.equal('unauthenticated unauthenticated')
    }
  })
  it('are refused when they are unknown, misshapen, expired or their user is no member', async () => {
    const unknown = [
      `Bearer svc_pat_${'b'.repeat(43)}`,
      `Bearer ${secret}x`,
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'Bearer x',
    ]
    for (const header of unknown) {
      expect(await refusal(world().authenticate(header))).to.equal('unauthenticated invalid_token')
    }
    for (const fields of [{ expiresAt: new Date('2026-01-15T10:00:00Z') }, { rights: null }]) {
      expect(await refusal(world(fields).authenticate(`Bearer ${secret}`))).to.equal('unauthenticated invalid_token')
    }
  })
  it('belong to one organization [AUTH-28]', async () => {
    const other = '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02'
    expect(await refusal(world().authenticate(`Bearer ${secret}`, other))).to.equal('forbidden not_a_member')
  })
  it('are looked up once in five seconds, however many requests come at once', async () => {
    const { state, authenticate } = world()
    await Promise.all([1, 2, 3].map(() => authenticate(`Bearer ${secret}`)))
    state.now += 4_999
    await authenticate(`Bearer ${secret}`)
    expect(state.asked).to.equal(1)
    state.token = null
    state.now += 1
    expect(await refusal(authenticate(`Bearer ${secret}`))).to.equal('unauthenticated invalid_token')
    expect(state.asked).to.equal(2)
  })
  it('are looked up anew once a change of theirs, their user or their organization is told', async () => {
    for (const changed of [{ tokenId: 't1' }, { userId: 'ana' }, { orgId }]) {
      const { state, authenticate, authenticator } = world()
      await authenticate(`Bearer ${secret}`)
      state.token = null
      authenticator.forget({ userId: 'ben' })
      await authenticate(`Bearer ${secret}`)
      authenticator.forget(changed)
      await new Promise((resolve) => setImmediate(resolve))
      expect(await refusal(authenticate(`Bearer ${secret}`))).to.equal('unauthenticated invalid_token')
    }
  })
  it('expire to the millisecond, although they are kept', async () => {
    const { state, authenticate } = world({ expiresAt: new Date('2026-01-15T10:00:01Z') })
    await authenticate(`Bearer ${secret}`)
    state.now += 1_000
    expect(await refusal(authenticate(`Bearer ${secret}`))).to.equal('unauthenticated invalid_token')
    expect(state.asked).to.equal(1)
  })
  it('that are unknown are looked up again: they may have been made since', async () => {
    const { state, authenticate } = world()
    const header = `Bearer svc_pat_${'c'.repeat(43)}`
    await refusal(authenticate(header))
    await refusal(authenticate(header))
    expect(state.asked).to.equal(2)
  })
})

describe('system roles', () => {
  it('are made of the 16 permissions [RBAC-01] [RBAC-02]', () => {
    expect(permissions).to.have.length(16)
    expect([...systemGrants.owner]).to.deep.equal([...permissions])
    expect([...systemGrants.admin]).to.deep.equal([...permissions])
    expect([...systemGrants.viewer]).to.have.members([
      'space.view',
      'provisioning.view',
      'service.view',
      'deployment.view',
    ])
    expect(systemGrants.editor.size).to.equal(13)
    expect([...systemGrants.editor].filter((p) => p.endsWith('.delete'))).to.deep.equal(['service.delete'])
  })
})
