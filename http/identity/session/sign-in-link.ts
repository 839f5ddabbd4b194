/**
 * Links that sign a person in once: given by an operator with access to the machine to a person who cannot sign in
 * another way yet.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault } from '#engine/value/fault.ts'
import { User } from '#http/identity/entity.ts'
import { LoginCode } from '#http/identity/provider/entity.ts'
import { enter } from '#http/identity/second-factor/second-factor.ts'
import { hashOf, newSecret } from '#http/identity/token/secret.ts'
import type { SignedIn } from './session.ts'
import type { Client, IdentityTools } from '#http/identity/tools.ts'

/** The person that a link signs in, and the organization of the session, if they are active there. */
export interface LinkFor {
  userId: string
  orgId: string
  expiresAt: Date
}

/** Creates the token of a link, in the transaction of `em`: it is only returned here, and stored as its hash. */
export async function makeLinkToken(em: EntityManager, link: LinkFor): Promise<string> {
  const token = newSecret()
  await em.insert(LoginCode, { hash: hashOf(token), purpose: 'link', verifierHash: null, ...link })
  return token
}

/** Revokes unused links of a person. */
export const dropLinks = (em: EntityManager, userId: string): Promise<number> =>
  em.nativeDelete(LoginCode, { userId, purpose: 'link' })

/** @throws Fault `invalid_link`; `mfa_required`, which uses up the link as well */
export async function linkLogIn(tools: IdentityTools, token: string, client: Client): Promise<SignedIn> {
  const link = { hash: hashOf(token), purpose: 'link', expiresAt: { $gt: tools.now() } } as const
  const found = await tools.em().findOne(LoginCode, link)
  const user = found && (await tools.em().findOne(User, { id: found.userId, emailVerifiedAt: { $ne: null } }))
  if (!user) throw invalidLink()
  // Of two requests with the same link, one deletes it.
  const proof = async (em: EntityManager) => {
    if ((await em.nativeDelete(LoginCode, link)) === 0) throw invalidLink()
  }
  return enter(tools, user, 'link', client, { orgId: found.orgId, proof })
}

const invalidLink = (): Fault =>
  Fault.unauthenticated(
    'invalid_link',
    'The link is wrong, expired or already used. An operator can create a new one with the command: tidemark console.',
  )
