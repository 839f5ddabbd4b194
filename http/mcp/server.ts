/** The server that an agent talks to, a new one for each message: it stores nothing in between. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Inner } from '#http/edge/inner-request.ts'
import { askOf, incomplete, linkOf, shortenAnswer, toToolResult, toUnconfirmedResult } from './call.ts'
import { promptOf, prompts } from './prompt.ts'
import { resourcesOf, toolOfResource } from './resource.ts'
import type { Tool } from './tool.ts'

/** Sends a request to the edge of this process, as the caller of the message. */
export type Dispatch = (ask: Inner, isRehearsal?: boolean) => Promise<{ status: number; text: string }>

const instructions =
  'Cloud cost and infrastructure of one organization. Amounts are in US dollars unless their name says otherwise; days ' +
  'are UTC, ranges are inclusive. Start with get_cost_drivers for why costs rose, get_cost_receipt for the bill lines ' +
  'behind a figure, and list_anomalies for cost anomalies. Savings: report verified (get_savings) first, then observed, ' +
  'then estimated, with the realization rate; never add them up. totalSavingsUSD of get_cost_summary counts observed ' +
  'savings, or estimated ones if there are none observed, unless savings says otherwise. Tools that make changes only ' +
  'make them with confirm: true.'

/** Answers one JSON-RPC message. */
export async function answer(
  message: Request,
  parsedBody: unknown,
  tools: ReadonlyMap<string, Tool>,
  { version, dispatch, publicUrl }: { version: string; dispatch: Dispatch; publicUrl: string },
): Promise<Response> {
  // Loaded on use: they take a tenth of a second, which installations without agents save.
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  const wrong = findCallProblem(parsedBody)
  if (wrong !== undefined) return toErrorResponse(parsedBody, types.ErrorCode.InvalidParams, wrong)
  const server = new Server(
    { name: 'tidemark', title: 'Tidemark', version },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions },
  )
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: [...tools.values()].map(toToolEntry) }))
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }) => {
    const tool = tools.get(params.name)
    if (!tool) throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown tool: ${params.name}.`)
    return callTool(tool, params.arguments ?? {}, dispatch, publicUrl)
  })
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({ prompts: [...prompts] }))
  server.setRequestHandler(types.GetPromptRequestSchema, ({ params }) => {
    const prompt = promptOf(params.name, params.arguments)
    if (!prompt) throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown prompt: ${params.name}.`)
    return prompt
  })
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({ resources: resourcesOf(tools) }))
  server.setRequestHandler(types.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const tool = toolOfResource(uri, tools)
    if (!tool) throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown resource: ${uri}.`)
    const { status, text } = await dispatch(askOf(tool, {}))
    if (status >= 400) throw new types.McpError(types.ErrorCode.InternalError, text)
    return { contents: [{ uri, mimeType: 'application/json', text: shortenAnswer(text) }] }
  })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(withAccept(message), { parsedBody: withArguments(parsedBody) })
  } finally {
    await server.close()
  }
}

/** Every answer is JSON, so whoever takes JSON, or anything, is answered; the transport wants both types named. */
function withAccept(message: Request): Request {
  const asked = message.headers.get('accept') ?? '*/*'
  if (!/\*\/\*|application\/(?:json|\*)/i.test(asked)) return message
  const headers = new Headers(message.headers)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(message, { headers })
}

/** Some clients send null for no arguments. */
function withArguments(message: unknown): unknown {
  const { params, ...rest } = message as RpcMessage
  if (params?.arguments !== null) return message
  const { arguments: _, ...given } = params
  return { ...rest, params: given }
}

interface RpcMessage {
  id?: unknown
  method?: unknown
  params?: { name?: unknown; arguments?: unknown }
}

/** The error in the parameters of a call, as a sentence; undefined if there is none. */
function findCallProblem(message: unknown): string | undefined {
  const { method, params } = message as RpcMessage
  if (method !== 'tools/call') return undefined
  if (typeof params?.name !== 'string') return 'params.name must be the name of a tool.'
  const given = params.arguments ?? {}
  return typeof given === 'object' && !Array.isArray(given) ? undefined : 'params.arguments must be an object.'
}

function toErrorResponse(message: unknown, code: number, text: string): Response {
  const { id = null } = message as RpcMessage
  return Response.json({ jsonrpc: '2.0', id, error: { code, message: text } })
}

const toToolEntry = ({ name, description, inputSchema, isWrite, change, route }: Tool) => ({
  name,
  title: route.summary,
  description,
  inputSchema,
  annotations: {
    readOnlyHint: !isWrite,
    destructiveHint: change.takesAway,
    idempotentHint: change.isRepeatable,
    // Tools only affect one organization and what belongs to it, including its clouds.
    openWorldHint: false,
  },
})

async function callTool(
  tool: Tool,
  given: Record<string, unknown>,
  dispatch: Dispatch,
  publicUrl: string,
): Promise<CallToolResult> {
  const lacking = incomplete(tool, given)
  if (lacking) return lacking
  const ask = askOf(tool, given)
  const isUnconfirmed = tool.isWrite && given['confirm'] !== true
  const { status, text } = await dispatch(ask, isUnconfirmed)
  // An impossible request is refused instead of asking for a confirmation.
  if (isUnconfirmed && status < 400) return toUnconfirmedResult(ask)
  if (text === '' || status >= 400) return toToolResult(text === '' ? JSON.stringify({ status }) : text, status >= 400)
  return toToolResult(shortenAnswer(text), false, linkOf(tool, given, publicUrl))
}
