/** Documents for verifiers of access tokens: OpenID Connect Discovery and RFC 7517. */
import { t } from '#engine/value/schema.ts'
import { reply } from '#http/store/reply.ts'
import { route, type Route } from '#http/edge/route.ts'

const routeBase = { method: 'GET', permission: 'public', bare: true, tags: ['Authentication'] } as const
const cacheOptions = { headers: { 'Cache-Control': 'public, max-age=300' } }
const Texts = t.Array(t.String())

export const wellKnown: readonly Route[] = [
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
