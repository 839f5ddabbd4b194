/** The directory of an organization, as it asks by SCIM. */
import { ask, founder, proved, type Founder } from '#test/harness/people.ts'
import { certificatePEM } from '#test/harness/certificate.ts'
import { oidcOff } from '#test/harness/openid.ts'
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

/** Sets an OpenID provider and removes it, and has a directory change what changes no role: what is told of the owner in it. */
export async function providerTold(
  who: Founder,
  domain: string,
  member: string,
  asking: (who: Founder, method: string, path: string, body?: unknown) => Promise<Answer>,
) {
  const path = `/organisations/${who.orgId}/oidc`
  const { clientSecret, ...given } = oidcOff(domain)
  await asking(who, 'PUT', path, { ...given, clientSecret })
  await asking(who, 'DELETE', path)
  const made = await asking(who, 'POST', `/organisations/${who.orgId}/scim/tokens`, { name: 'Directory' })
  const { token, id: tokenID } = made.body.data
  const send = scimBy(token)
  for (const op of ['add', 'remove'])
    await send('PATCH', '/Groups/editor', patchOf({ op, path: 'members', value: [{ value: member }] }))
  await send('PATCH', `/Users/${member}`, patchOf({ op: 'replace', value: { displayName: 'Ben' } }))
  const { issuer, clientID } = given
  return [
    ['oidc_changed', null, { issuer, clientID, emailDomains: domain, enabled: 'false', clientSecret: 'given' }],
    ['oidc_removed', null, {}],
    ['token_created', null, { tokenID, name: 'Directory', scope: 'scim' }],
  ] as const
}

/** What is asked again and again of the directory of an organization that stands for all. */
export const quoted = (text: string): string => encodeURIComponent(`"${text}"`)
export const refusalOf = ({ status, body }: Answer): unknown[] => [status, body.scimType ?? body.detail]

let last = 0
export const addressIn = (d: Directory): string => `p${(last += 1)}@${d.domain}`

/** A person whom the directory makes. */
export async function madeBy(d: Directory, userName = addressIn(d), more: object = {}): Promise<any> {
  const { status, body } = await d.send('POST', '/Users', entraUser(userName, more))
  if (status !== 201) throw new Error(`cannot make a person: ${JSON.stringify(body)}`)
  return body
}

export async function memberOf(d: Directory, userId: string): Promise<any> {
  const { body } = await ask('GET', '/members', { token: d.owner.accessToken })
  return body.data.find((one: { userID: string }) => one.userID === userId)
}

export async function eventsOf(d: Directory, type: string): Promise<any[]> {
  return (await ask('GET', `/security-events?type=${type}`, { token: d.owner.accessToken })).body.data.items
}
