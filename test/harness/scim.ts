/** The directory of an organization, as it asks by SCIM. */
import { ask, founder, proved, type Founder } from '#test/harness/people.ts'
import { certificatePEM } from '#test/harness/certificate.ts'
import type { Answer } from '#test/harness/product.ts'

export const scimJson = 'application/scim+json'
export const urnUser = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const urnPatch = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export interface Directory {
  owner: Founder
  domain: string
  token: string
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A token of the organization's directory. */
export async function scimToken(who: Founder, name = 'Directory'): Promise<string> {
  const made = await ask('POST', `/organisations/${who.orgId}/scim/tokens`, { token: who.accessToken, body: { name } })
  if (made.status !== 201) throw new Error(`cannot make a token: ${JSON.stringify(made.body)}`)
  return made.body.data.token
}

export const scimBy =
  (token: string): Directory['send'] =>
  (method, path, body, headers = {}) =>
    ask(method, `/scim/v2${path}`, {
      token,
      ...(body !== undefined && { body }),
      headers: { ...(body !== undefined && { 'Content-Type': scimJson }), ...headers },
    })

/** An organization with a proved domain and a directory. */
export async function directory(): Promise<Directory> {
  const owner = await founder('With a directory')
  const domain = `${owner.orgId.slice(0, 8)}.example`
  const saml = { entityID: 'idp', ssoURL: 'https://idp.example', certificatePEM, emailDomains: [domain] }
  const put = await ask('PUT', `/organisations/${owner.orgId}/saml`, { token: owner.accessToken, body: saml })
  await proved(owner, put.body.data.domains[0])
  const token = await scimToken(owner)
  return { owner, domain, token, send: scimBy(token) }
}

/** As Entra ID makes a person. */
export const entraUser = (userName: string, more: object = {}) => ({
  schemas: [urnUser, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: `ext-${userName}`,
  userName,
  active: true,
  displayName: `Person ${userName}`,
  emails: [{ primary: true, type: 'work', value: userName }],
  meta: { resourceType: 'User' },
  name: { formatted: 'given family', familyName: 'family', givenName: 'given' },
  title: 'Engineer',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'R&D', manager: null },
  ...more,
})

export const patchOf = (...Operations: object[]) => ({ schemas: [urnPatch], Operations })
