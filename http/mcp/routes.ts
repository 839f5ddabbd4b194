/** Where agents ask, by the Model Context Protocol. */
import { Fault } from '#engine/fault.ts'
import { t } from '#engine/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Within } from '#http/edge/within.ts'
import { reply } from '#http/store/reply.ts'
import { toolsOf } from './tool.ts'

const Message = t.Object(
  {
    jsonrpc: t.Literal('2.0'),
    id: t.Optional(t.Union([t.String(), t.Number()])),
    method: t.String({ examples: ['tools/list'] }),
    params: t.Optional(t.Object({}, { additionalProperties: true })),
  },
  { title: 'McpMessage', examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] },
)

const Said = t.Object({}, { title: 'McpAnswer', description: 'One answer of JSON-RPC.', additionalProperties: true })

/** Of whoever asks: a tool may do no more than they. */
const passed = ['authorization', 'x-org-id', 'user-agent', 'accept-language'] as const

/** `routes` are those that tools are made of; `within` asks the edge as whoever asked. */
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
    summary: 'Ask as an agent does: one message of the Model Context Protocol, answered in JSON',
    description:
      'Streamable HTTP without sessions. Tools are what the API does, with the rights and the rate of the token; those that change something want `confirm`.',
    permission: 'user',
    hidden: true,
    bare: true,
    unkeyed: true,
    body: Message,
    reply: Said,
    refuses: { 403: ['cross_site'] },
    handle: async ({ body, client, headers, url }, { settings }) => {
      if (headers.origin !== undefined) checkOrigin(String(headers.origin), settings)
      const { answer } = await import('./server.ts')
      const given = Object.entries(headers).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value] as [string, string]] : [],
      )
      const own = Object.fromEntries(given.filter(([name]) => (passed as readonly string[]).includes(name)))
      const as = { ip: client.ip, headers: { ...own, 'x-request-id': client.requestId } }
      const message = new Request(new URL(url, 'http://localhost'), { method: 'POST', headers: given })
      const response = await answer(message, body, tools(), {
        version,
        dispatch: (ask, isRehearsal = false) => within(ask, { ...as, isRehearsal }),
      })
      const media = response.headers.get('content-type') ?? 'application/json'
      return reply((await response.text()) as never, { status: response.status, media })
    },
  })

/**
 * Agents send none. A page has no business here unless it is ours, or one that may call: by a name that leads to this machine any page
 * could reach a product on it.
 * @throws Fault `forbidden` `cross_site`
 */
function checkOrigin(origin: string, { publicUrl, corsOrigins = [] }: Services['settings']): void {
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return
  if (URL.canParse(publicUrl) && new URL(publicUrl).origin === origin) return
  throw Fault.forbidden(
    'cross_site',
    'Pages of this origin may not call: the operator names those that may (CORS_ORIGINS).',
  )
}

const Listed = t.Object(
  {
    name: t.String(),
    title: t.String({ description: 'what it does' }),
    needs: t.String({ description: 'the right that its token needs' }),
    changes: t.Enum(['nothing', 'adds', 'takesAway'], {
      description: 'what a call may do; all but nothing want confirm',
    }),
  },
  { title: 'McpTool' },
)

const toolList = (tools: Tools): Route =>
  route({
    method: 'GET',
    path: '/mcp/tools',
    summary: 'The tools that agents have, and what each does',
    description: 'As `tools/list` of the protocol names them, for people.',
    permission: 'user',
    hidden: true,
    reply: t.Array(Listed),
    handle: async () =>
      [...tools().values()].map(({ name, route: { summary, permission }, isWrite, change }) => ({
        name,
        title: summary,
        needs: permission,
        changes: !isWrite ? ('nothing' as const) : change.takesAway ? ('takesAway' as const) : ('adds' as const),
      })),
  })
