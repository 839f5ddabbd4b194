/** The endpoint for agents (Model Context Protocol). */
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { sameCaller, type Within } from '#http/edge/inner-request.ts'
import { reply } from '#http/store/reply.ts'
import { toolsOf } from './tool.ts'

/** Where agents without a token find out how to sign in. */
export const mcpMetadataPath = '/.well-known/oauth-protected-resource/mcp'

const Message = t.Object(
  {
    jsonrpc: t.Literal('2.0'),
    id: t.Optional(t.Union([t.String(), t.Number()])),
    method: t.String({ examples: ['tools/list'] }),
    params: t.Optional(t.Object({}, { additionalProperties: true })),
  },
  { title: 'McpMessage', examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] },
)

const McpReply = t.Object({}, { title: 'McpAnswer', description: 'A JSON-RPC response.', additionalProperties: true })

/** `routes`: those that tools are made of; `within` sends requests to this edge as the caller. */
export function mcp(routes: readonly Route[], version: string, within: Within): readonly Route[] {
  let made: ReturnType<typeof toolsOf> | undefined
  const tools = () => (made ??= toolsOf(routes))
  return [messages(tools, version, within), toolList(tools)]
}

type Tools = () => ReturnType<typeof toolsOf>

const messages = (tools: Tools, version: string, within: Within): Route =>
  route({
    method: 'POST',
    path: '/mcp',
    summary: 'Call the MCP server: one Model Context Protocol message, with a JSON response',
    description:
      'Streamable HTTP without sessions. Tools correspond to API operations and have the permissions and rate limit of the token; tools that make changes require `confirm`.',
    permission: 'user',
    hidden: true,
    bare: true,
    unkeyed: true,
    body: Message,
    reply: McpReply,
    refuses: { 403: ['cross_site'] },
    resourceMetadata: mcpMetadataPath,
    handle: async ({ body, client, headers, url }, { settings }) => {
      if (headers.origin !== undefined) checkOrigin(String(headers.origin), settings)
      const { answer } = await import('./server.ts')
      const given = Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as [string, string]] : [],
      )
      const as = sameCaller({ client, headers })
      const message = new Request(new URL(url, 'http://localhost'), { method: 'POST', headers: given })
      const response = await answer(message, body, tools(), {
        version,
        publicUrl: settings.publicUrl,
        dispatch: (ask, isRehearsal = false) => within(ask, { ...as, isRehearsal }),
      })
      const media = response.headers.get('content-type') ?? 'application/json'
      return reply((await response.text()) as never, { status: response.status, media })
    },
  })

/**
 * Agents send no Origin. Pages may only call if they are our own, or allowed to call the API: otherwise any page could
 * reach a product on this machine under a host name that resolves to it.
 * @throws Fault `forbidden` `cross_site`
 */
function checkOrigin(origin: string, { publicUrl, corsOrigins = [] }: Services['settings']): void {
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return
  if (URL.canParse(publicUrl) && new URL(publicUrl).origin === origin) return
  throw Fault.forbidden(
    'cross_site',
    'Pages of this origin may not call this. The operator lists the allowed origins in CORS_ORIGINS.',
  )
}

const ToolView = t.Object(
  {
    name: t.String(),
    title: t.String({ description: 'what the tool does' }),
    needs: t.String({ description: 'the permission that the token needs' }),
    changes: t.Enum(['nothing', 'adds', 'takesAway'], {
      description: 'effect of a call; all except nothing require confirm',
    }),
  },
  { title: 'McpTool' },
)

const toolList = (tools: Tools): Route =>
  route({
    method: 'GET',
    path: '/mcp/tools',
    summary: 'List the tools for agents',
    description: 'The same list as `tools/list` of the protocol, for people.',
    permission: 'user',
    hidden: true,
    reply: t.Array(ToolView),
    handle: async () =>
      [...tools().values()].map(({ name, route: { summary, permission }, isWrite, change }) => ({
        name,
        title: summary,
        needs: permission,
        changes: !isWrite ? ('nothing' as const) : change.takesAway ? ('takesAway' as const) : ('adds' as const),
      })),
  })
