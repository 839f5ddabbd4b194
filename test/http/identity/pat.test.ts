import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Fault } from '#engine/fault.ts'
import { authenticator, type Known } from '#http/identity/pat.ts'
import { granted, permissions } from '#http/identity/role.ts'

const secret = `svc_pat_${'a'.repeat(43)}`
const hash = createHash('sha256').update(secret).digest('hex')

/** An authenticator over one token, with its clock and how often the store was asked. */
function world(fields: Partial<Known> = {}) {
  const token: Known = {
    id: 't1',
    orgId: 'o1',
    userId: 'ana',
    role: 'editor',
    expiresAt: null,
    revokedAt: null,
    ...fields,
  }
  const state = { token, now: Date.parse('2026-01-15T10:00:00Z'), asked: 0 }
  const store = {
    use: async (wanted: string) => {
      state.asked++
      return wanted === hash ? state.token : null
    },
  }
  return { state, authenticate: authenticator(store, () => new Date(state.now)) }
}

const refusal = async (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'let in',
    (error: Fault) => `${error.kind} ${error.code}`,
  )

describe('http personal access tokens', () => {
  it('say who calls, for which organization, with which rights', async () => {
    const caller = await world().authenticate(`Bearer ${secret}`)
    expect(caller).to.deep.equal({
      orgId: 'o1',
      userId: 'ana',
      role: 'editor',
      permissions: granted.editor,
      principal: 'pat:t1',
    })
    expect(await world().authenticate(`bearer ${secret}`, 'o1')).to.deep.equal(caller)
  })
  it('are asked for where none is sent', async () => {
    for (const header of [undefined, '', 'Basic YTpi', secret]) {
      expect(await refusal(world().authenticate(header))).to.equal('unauthenticated unauthenticated')
    }
  })
  it('are refused when they are unknown, misshapen, expired or revoked', async () => {
    const at = new Date('2026-01-15T10:00:00Z')
    const unknown = [
      `Bearer svc_pat_${'b'.repeat(43)}`,
      `Bearer ${secret}x`,
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'Bearer x',
    ]
    for (const header of unknown) {
      expect(await refusal(world().authenticate(header))).to.equal('unauthenticated invalid_token')
    }
    for (const fields of [{ expiresAt: at }, { revokedAt: at }]) {
      expect(await refusal(world(fields).authenticate(`Bearer ${secret}`))).to.equal('unauthenticated invalid_token')
    }
  })
  it('belong to one organization', async () => {
    expect(await refusal(world().authenticate(`Bearer ${secret}`, 'o2'))).to.equal('forbidden not_a_member')
  })
  it('are looked up once in five seconds, however many requests come at once', async () => {
    const { state, authenticate } = world()
    await Promise.all([1, 2, 3].map(() => authenticate(`Bearer ${secret}`)))
    state.now += 4_999
    await authenticate(`Bearer ${secret}`)
    expect(state.asked).to.equal(1)
    state.token = { ...state.token, revokedAt: new Date(0) }
    state.now += 1
    expect(await refusal(authenticate(`Bearer ${secret}`))).to.equal('unauthenticated invalid_token')
    expect(state.asked).to.equal(2)
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

describe('http roles', () => {
  it('are made of the 16 permissions', () => {
    expect(permissions).to.have.length(16)
    expect([...granted.owner]).to.deep.equal([...permissions])
    expect([...granted.admin]).to.deep.equal([...permissions])
    expect([...granted.viewer]).to.have.members(['space.view', 'provisioning.view', 'service.view', 'deployment.view'])
    expect(granted.editor.size).to.equal(13)
    expect([...granted.editor].filter((p) => p.endsWith('.delete'))).to.deep.equal(['service.delete'])
  })
})
