/** What it costs to know who calls, and how soon a token that is taken back is refused by another process. */
import { PersonalAccessToken } from '#http/identity/entity.ts'
import type { Identity } from '#http/identity/index.ts'
import { addToken } from '#http/identity/token/pat.ts'
import { logout } from '#http/identity/session/session.ts'
import { memberOf } from '#test/harness/member.ts'

const client = { ip: '', userAgent: 'bench', requestId: '' }
const calls = 100_000
const fresh = 300

/** Microseconds of the processor a request. */
export interface AuthenticationCost {
  token: number
  session: number
  /** The first request of a session's token: its signature is checked and its session looked up. */
  first: number
}

/** The cost in this process, over `secret`, a personal access token. */
export async function costOf(identity: Identity, orgId: string, secret: string): Promise<AuthenticationCost> {
  const { signIn } = await memberOf(identity, orgId)
  const { accessToken } = await signIn()
  const token = await eachOf(calls, () => identity.authenticator.caller(`Bearer ${secret}`))
  const session = await eachOf(calls, () => identity.authenticator.caller(`Bearer ${accessToken}`))
  const tokens: string[] = []
  for (let i = 0; i < fresh; i++) tokens.push((await signIn()).accessToken)
  const first = await eachOf(fresh, (i) => identity.authenticator.caller(`Bearer ${tokens[i]}`))
  return { token, session, first }
}

async function eachOf(count: number, work: (i: number) => Promise<unknown>): Promise<number> {
  await work(0)
  const before = process.cpuUsage()
  for (let i = 0; i < count; i++) await work(i)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

/** Milliseconds from a logout and from a revocation here until the edge at `url` refuses; the greatest of ten each. */
export async function revocationOf(identity: Identity, orgId: string, url: string): Promise<number> {
  const { userId, signIn } = await memberOf(identity, orgId)
  let slowest = 0
  for (let i = 0; i < 10; i++) {
    const { accessToken } = await signIn()
    const { sid } = JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString()) as { sid: string }
    slowest = Math.max(slowest, await refusedAfter(url, accessToken, () => logout(identity, sid, client)))
    const request = { name: 'bench', userId, role: null }
    const { token, secret } = await addToken(identity.em(), orgId, request, identity.now())
    const revoke = async () => {
      await identity.em().nativeUpdate(PersonalAccessToken, { id: token.id }, { revokedAt: identity.now() })
      identity.changed({ tokenId: token.id })
    }
    slowest = Math.max(slowest, await refusedAfter(url, secret, revoke))
  }
  return slowest
}

async function refusedAfter(url: string, token: string, revoke: () => Promise<unknown>): Promise<number> {
  const status = async () =>
    (await fetch(`${url}/resources/count`, { headers: { Authorization: `Bearer ${token}` } })).status
  if ((await status()) !== 200) throw new Error('the token does not work')
  await revoke()
  const began = performance.now()
  while ((await status()) !== 401) if (performance.now() - began > 20_000) throw new Error('it is never refused')
  return performance.now() - began
}
