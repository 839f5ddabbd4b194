/** What programs of people's own machines start to reach the product as an agent: messages of stdin go to /mcp, answers to stdout. */
import { currentProfile } from '#config/settings/profile.ts'
import { readFileSync } from 'node:fs'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { command } from '#config/command/line/build.ts'
import { UsageError } from '#config/command/line/command.ts'
import { optional } from '#config/command/line/flag.ts'
import { runningInstance } from '#config/embedded/stores.ts'
import { readSettings, type Settings } from '#config/settings/settings.ts'

const usage = 'tidemark mcp [--url URL] [--token-file FILE]'

/** What JSON-RPC calls an error of the server's own (JSON-RPC 2.0, 5.1). */
const serverError = -32_000

export const mcpCommand = command({
  name: 'mcp',
  summary: 'Run an MCP (Model Context Protocol) server over stdin and stdout',
  takes: {
    url: optional(
      'URL',
      'Address of Tidemark; default: the selected profile, otherwise the instance running on this data folder',
    ),
    'token-file': optional(
      'FILE',
      'File with the access token; default: that of the profile, otherwise TIDEMARK_TOKEN',
    ),
  },
  run: async ({ url: given, 'token-file': file }) => {
    const settings = readSettings()
    const profile = given === undefined && file === undefined ? currentProfile() : undefined
    if (profile) {
      await bridge(new URL('mcp', `${profile.url}/`), profile.token)
      return { text: '' }
    }
    const url = new URL('mcp', `${urlOf(given, settings).replace(/\/$/, '')}/`)
    await bridge(url, tokenOf(file, settings))
    return { text: '' }
  },
})

/** @throws UsageError where none is known */
function urlOf(given: string | undefined, settings: Settings): string {
  const running = runningInstance(settings.dataDir)
  const known = [given, running?.['publicUrl'], running?.['url'], settings.publicUrl].find(
    (one) => typeof one === 'string',
  )
  if (typeof known !== 'string')
    throw new UsageError(`Tidemark is not running on ${settings.dataDir}. Give its address with --url. Usage: ${usage}`)
  if (!URL.canParse(known) || !/^https?:/.test(known))
    throw new UsageError(`--url must start with http:// or https://, got ${known}`)
  return known
}

/** @throws UsageError where there is none */
function tokenOf(file: string | undefined, settings: Settings): string {
  const token = file !== undefined ? readFileSync(file, 'utf8').trim() : settings.token
  if (token === undefined || token === '')
    throw new UsageError(`No access token. Set TIDEMARK_TOKEN to a token from "tidemark pat create". Usage: ${usage}`)
  return token
}

/** Until stdin ends. What cannot be asked is answered with what is in the way, so that no agent waits for ever. */
async function bridge(url: URL, token: string): Promise<void> {
  const [{ StdioServerTransport }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ])
  const near = new StdioServerTransport()
  const far = new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
  far.onmessage = (message) => void near.send(message)
  const waiting = new Set<Promise<void>>()
  near.onmessage = (message) => {
    const sent = far.send(message).catch(async (error: Error) => {
      process.stderr.write(`${error.message}\n`)
      if ('method' in message && 'id' in message) await near.send(toErrorResponse(message.id, error))
    })
    waiting.add(sent)
    void sent.finally(() => waiting.delete(sent))
  }
  near.onerror = (error) => {
    const isOfLine = error instanceof SyntaxError || error.name === 'ZodError'
    const why = isOfLine ? 'Skipped a line on stdin that is not a JSON-RPC 2.0 message.' : error.message
    process.stderr.write(`${why}\n`)
  }
  await far.start()
  await near.start()
  await new Promise<void>((resolve) => process.stdin.once('end', resolve))
  await Promise.all(waiting)
  await far.close()
  await near.close()
}

const toErrorResponse = (id: RequestId, { message }: Error): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: serverError, message },
})
