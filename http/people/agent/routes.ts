/**
 * How hosted agents sign in: OAuth 2.1 with PKCE and dynamic registration (RFC 7591), as the Model Context Protocol asks
 * for it. The person agrees in the console; the access token is a personal access token that they see and can revoke.
 */
import { randomUUID } from 'node:crypto'
import { t } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import {
  agentCodeMs,
  clientIdOf,
  clientOf,
  codeOf,
  isRedirectURI,
  isRegistered,
  oauthFault,
  type AgentClient,
} from '#http/identity/token/agent-client.ts'
import { hashOf } from '#http/identity/token/secret.ts'
import { clientFields, checkResource, open, refusal, tags, URI } from './oauth.ts'
import { tokenExchange } from './token.ts'

const registration = route({
  method: 'POST',
  path: '/oauth/register',
  summary: 'Register a program that asks people for access (RFC 7591)',
  description:
    'For public clients: no secret is issued, and the authorization code needs PKCE with S256. A redirect address is https, http on this machine, or a scheme of a program. Other members are ignored.',
  permission: 'public',
  limit: 'auth',
  tags,
  unkeyed: true,
  bare: true,
  status: 201,
  refusal,
  body: t.Object(
    {
      client_name: t.Optional(t.String({ maxLength: 100 })),
      redirect_uris: t.Array(URI, { minItems: 1, maxItems: 5 }),
      grant_types: t.Optional(
        t.Array(t.String({ maxLength: 100 }), {
          maxItems: 20,
          description: 'with refresh_token: access tokens are valid for an hour and come with refresh tokens',
        }),
      ),
    },
    { ...open, examples: [{ client_name: 'Agent', redirect_uris: ['https://agent.example.com/callback'] }] },
  ),
  reply: t.Object({
    client_id: t.String(),
    client_id_issued_at: t.Integer(),
    client_name: t.String(),
    redirect_uris: t.Array(t.String()),
    grant_types: t.Array(t.String()),
    response_types: t.Array(t.String()),
    token_endpoint_auth_method: t.String(),
  }),
  example: {
    client_id: 'CLIENT_ID',
    client_id_issued_at: 1_767_225_600,
    client_name: 'Agent',
    redirect_uris: ['https://agent.example.com/callback'],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  refuses: { 400: ['invalid_redirect_uri'] },
  handle: async ({ body }, { linkSecrets, now }) => {
    const { client_name: given = '', redirect_uris: redirectURIs, grant_types: grantTypes = [] } = body
    const refreshes = grantTypes.includes('refresh_token')
    const wrong = redirectURIs.find((uri) => !isRedirectURI(uri))
    if (wrong !== undefined)
      throw oauthFault('invalid_redirect_uri', `${wrong} is not an address that a code may be sent to.`)
    const name = nameOf(given)
    return {
      client_id: clientIdOf({ name, redirectURIs, ...(refreshes && { refreshes }) }, linkSecrets()),
      client_id_issued_at: Math.floor(now().getTime() / 1000),
      client_name: name,
      redirect_uris: redirectURIs,
      grant_types: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  },
})

/** What a program calls itself, without what hides or confuses. */
const nameOf = (given: string): string =>
  given
    .replaceAll(/[^\p{L}\p{N} ._()'/-]/gu, '')
    .trim()
    .slice(0, 60) || 'Agent'

/** @throws Fault `invalid_client`, `invalid_redirect_uri` */
function checkedClient(
  { client_id: clientId, redirect_uri: uri }: { client_id: string; redirect_uri: string },
  { linkSecrets }: Pick<Services, 'linkSecrets'>,
): AgentClient {
  const client = clientOf(clientId, linkSecrets())
  if (isRegistered(uri, client)) return client
  throw oauthFault('invalid_redirect_uri', `${uri} is not a redirect address of ${client.name}.`)
}

const shown = route({
  method: 'GET',
  path: '/auth/agents/client',
  summary: 'Get the name of a registered program, before a person allows it access',
  description: 'Refused if the program did not register this redirect address.',
  permission: 'session',
  secret: true,
  tags,
  query: t.Object({
    client_id: t.String({ ...clientFields.client_id, description: 'as registered' }),
    redirect_uri: t.String({ ...clientFields.redirect_uri, description: 'where its user is sent with the code' }),
  }),
  reply: t.Object({ name: t.String(), redirectHost: t.String() }),
  example: { name: 'Agent', redirectHost: 'agent.example.com' },
  refuses: { 400: ['invalid_client', 'invalid_redirect_uri'] },
  handle: async ({ query }, services) => {
    const { name } = checkedClient(query, services)
    const { host, protocol } = new URL(query.redirect_uri)
    return { name, redirectHost: host === '' ? protocol : host }
  },
})

const allowed = route({
  method: 'POST',
  path: '/auth/agents/authorizations',
  summary: 'Allow a program access to this organization, and get the address with its code',
  description:
    'The last step of the sign-in of an agent, taken by the console after its user agreed. The code is valid for a minute and once.',
  permission: 'session',
  tags,
  unkeyed: true,
  secret: true,
  body: t.Object(
    {
      ...clientFields,
      code_challenge: t.String({
        maxLength: 43,
        pattern: '^[A-Za-z0-9_-]{43}$',
        description: 'SHA-256 of the verifier, base64url',
      }),
      state: t.Optional(t.String({ maxLength: 2048, description: 'returned unchanged' })),
      resource: t.Optional(t.String({ maxLength: 1000, description: 'the address of the MCP server (RFC 8707)' })),
      role: orNull(
        t.Enum(['viewer'], {
          description: 'viewer: at most the permissions of a viewer; null: everything that the user may do',
        }),
      ),
    },
    {
      examples: [
        {
          client_id: 'CLIENT_ID',
          redirect_uri: 'https://agent.example.com/callback',
          code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
          state: 'STATE',
          role: 'viewer',
        },
      ],
    },
  ),
  reply: t.Object({ redirectURL: t.String() }),
  example: { redirectURL: 'https://agent.example.com/callback?code=CODE&state=STATE&iss=https://tidemark.example.com' },
  refuses: { 400: ['invalid_client', 'invalid_redirect_uri', 'invalid_target'] },
  handle: async ({ caller: { orgId, userId }, body }, services) => {
    const { identity, linkSecrets } = services
    const client = checkedClient(body, services)
    checkResource(body.resource, identity.publicUrl())
    const code = codeOf(
      {
        tokenId: randomUUID(),
        orgId,
        userId,
        clientName: client.name,
        client: hashOf(body.client_id),
        redirectURI: body.redirect_uri,
        challenge: body.code_challenge,
        role: body.role,
        expiresAt: identity.now().getTime() + agentCodeMs,
      },
      linkSecrets(),
    )
    const url = new URL(body.redirect_uri)
    url.searchParams.set('code', code)
    if (body.state !== undefined) url.searchParams.set('state', body.state)
    url.searchParams.set('iss', identity.publicUrl())
    return { redirectURL: url.href }
  },
})

export const agentSignIns: readonly Route[] = [registration, shown, allowed, tokenExchange]
