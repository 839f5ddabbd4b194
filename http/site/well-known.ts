/**
 * Documents for verifiers of access tokens (OpenID Connect Discovery, RFC 7517), and for agents that sign in (RFC 8414,
 * RFC 9728).
 */
import { t } from '#engine/value/schema.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'
import { mcpMetadataPath } from '#http/mcp/routes.ts'

const routeBase = { method: 'GET', permission: 'public', bare: true, tags: ['Authentication'] } as const
const cacheOptions = { headers: { 'Cache-Control': 'public, max-age=300' } }
const Texts = t.Array(t.String())

const authorizationServer = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/console/authorize`,
  token_endpoint: `${url}/oauth/token`,
  registration_endpoint: `${url}/oauth/register`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  scopes_supported: ['read', 'all'],
  authorization_response_iss_parameter_supported: true,
})

const resourceMetadata = (path: string): Route =>
  route({
    ...routeBase,
    path,
    summary: 'Get where agents sign in for the MCP server (RFC 9728)',
    description: 'A response of 401 from POST /mcp names this address.',
    reply: t.Object({
      resource: t.String(),
      resource_name: t.String(),
      authorization_servers: Texts,
      scopes_supported: Texts,
      bearer_methods_supported: Texts,
    }),
    example: {
      resource: 'https://tidemark.example.com/mcp',
      resource_name: 'Tidemark',
      authorization_servers: ['https://tidemark.example.com'],
      scopes_supported: ['read', 'all'],
      bearer_methods_supported: ['header'],
    },
    handle: async (_request, { identity }) =>
      reply(
        {
          resource: `${identity.publicUrl()}/mcp`,
          resource_name: 'Tidemark',
          authorization_servers: [identity.publicUrl()],
          scopes_supported: ['read', 'all'],
          bearer_methods_supported: ['header'],
        },
        cacheOptions,
      ),
  })

export const wellKnown: readonly Route[] = [
  resourceMetadata('/.well-known/oauth-protected-resource'),
  resourceMetadata(mcpMetadataPath),
  route({
    ...routeBase,
    path: '/.well-known/oauth-authorization-server',
    summary: 'Get how agents sign in (RFC 8414)',
    description: 'Authorization codes with PKCE (S256), for public clients that register themselves.',
    reply: t.Object({
      issuer: t.String(),
      authorization_endpoint: t.String(),
      token_endpoint: t.String(),
      registration_endpoint: t.String(),
      response_types_supported: Texts,
      grant_types_supported: Texts,
      code_challenge_methods_supported: Texts,
      token_endpoint_auth_methods_supported: Texts,
      scopes_supported: Texts,
      authorization_response_iss_parameter_supported: t.Boolean(),
    }),
    example: authorizationServer('https://tidemark.example.com'),
    handle: async (_request, { identity }) => reply(authorizationServer(identity.publicUrl()), cacheOptions),
  }),
  route({
    ...routeBase,
    path: '/.well-known/openid-configuration',
    summary: 'Get the issuer of access tokens and the URL of its keys',
    description: 'For offline verification of access tokens. OpenID Connect flows cannot be started here.',
    reply: t.Object({
      issuer: t.String(),
      jwks_uri: t.String(),
      response_types_supported: Texts,
      subject_types_supported: Texts,
      id_token_signing_alg_values_supported: Texts,
      claims_supported: Texts,
    }),
    example: {
      issuer: 'https://tidemark.example.com',
      jwks_uri: 'https://tidemark.example.com/.well-known/jwks.json',
      response_types_supported: ['none'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      claims_supported: ['sub', 'sid', 'email', 'name', 'tenant-id', 'org_id', 'role'],
    },
    handle: async (_request, { identity }) =>
      reply(
        {
          issuer: identity.publicUrl(),
          jwks_uri: `${identity.publicUrl()}/.well-known/jwks.json`,
          response_types_supported: ['none'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          claims_supported: ['sub', 'sid', 'email', 'name', 'tenant-id', 'org_id', 'role'],
        },
        cacheOptions,
      ),
  }),
  route({
    ...routeBase,
    path: '/.well-known/jwks.json',
    summary: 'Get the keys to verify access tokens, by kid',
    description:
      'RSA keys as a JSON Web Key Set. Keys are rotated every 30 days and two of them are published, so that tokens of the previous key can be verified. Cache them for as long as Cache-Control allows.',
    reply: t.Object({
      keys: t.Array(
        t.Object({
          kty: t.String(),
          n: t.String(),
          e: t.String(),
          kid: t.String(),
          use: t.String(),
          alg: t.String(),
        }),
      ),
    }),
    example: { keys: [{ kty: 'RSA', n: 'MODULUS', e: 'AQAB', kid: '2026-01-01', use: 'sig', alg: 'RS256' }] },
    handle: async (_request, { identity }) => reply({ keys: await identity.keys.published() }, cacheOptions),
  }),
]
