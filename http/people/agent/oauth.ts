/** What the steps of the sign-in of an agent have in common. */
import { t } from '#engine/value/schema.ts'
import type { RefusalFormat } from '#http/edge/route.ts'
import { oauthFault } from '#http/identity/token/agent-client.ts'

const json = 'application/json'
export const tags = ['Authentication']

/** Errors as RFC 6749 and 7591 have them. Codes of the edge are all of one kind there. */
export const refusal: RefusalFormat = {
  media: json,
  schema: t.Object({ error: t.String(), error_description: t.String() }, { title: 'OAuthError' }),
  say: ({ body }, { code }) => ({
    error: code.startsWith('invalid_') && code !== 'invalid_parameter' ? code : 'invalid_request',
    error_description: body['detail'],
  }),
}

export const URI = t.String({ minLength: 1, maxLength: 1000, examples: ['https://agent.example.com/callback'] })
/** Members that clients send and that change nothing here. */
export const open = { additionalProperties: true } as const

export const clientFields = {
  client_id: t.String({ minLength: 1, maxLength: 8192, description: 'as registered' }),
  redirect_uri: URI,
}

/** @throws Fault `invalid_target` for a token of another service */
export function checkResource(resource: string | undefined, publicUrl: string): void {
  if (resource === undefined || [publicUrl, `${publicUrl}/`, `${publicUrl}/mcp`].includes(resource)) return
  throw oauthFault('invalid_target', `Tokens of this service are for ${publicUrl}/mcp, not for ${resource}.`)
}
