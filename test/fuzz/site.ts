/** The product's own edge on a port of its own, with every reply held to its schema, and what its answers must be. */
import { Agent, request } from 'node:http'
import { pino } from 'pino'
import { edge } from '#http/edge/edge.ts'
import { tokenScope } from '#http/edge/scope.ts'
import { routes, site } from '#http/index.ts'
import { serve } from '#http/edge/serve.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { readiness } from '#config/state/readiness.ts'
import { version } from '#config/process/version.ts'
import type { Asked, Document } from '#test/fuzz/request.ts'
import { testProduct } from '#test/harness/product.ts'

export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  ms: number
}

export interface FuzzSite {
  url: string
  document: Document
  /** What the edge logged of its own failures, by request id. */
  defects: Map<string, string>
  ask(asked: Asked): Promise<Answered>
  close(): Promise<void>
}

/** Milliseconds after which a request counts as hung. */
const hungMs = 30_000

export async function fuzzSite(): Promise<FuzzSite> {
  const { connections, product } = await testProduct()
  const defects = new Map<string, string>()
  const { authenticator } = product.get(tokens.identity)
  const all = site(routes, { version, ready: readiness(connections) })
  const log = pino({ level: 'warn' }, { write: (line: string) => note(defects, line) })
  const app = edge(all, tokenScope(authenticator, product.get(tokens.services)), { verifyReplies: true, log })
  const serving = await serve(app, { port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const document = (await (await fetch(`${serving.url}/openapi.json`)).json()) as Document
  return {
    url: serving.url,
    document,
    defects,
    ask: (asked) => send(serving.port, agent, asked),
    close: async () => {
      agent.destroy()
      await serving.close()
    },
  }
}

function note(defects: Map<string, string>, line: string): void {
  const { requestId, err } = JSON.parse(line) as { requestId?: string; err?: { stack?: string } }
  if (requestId !== undefined) defects.set(requestId, err?.stack ?? line)
}

/** @throws Error when the connection breaks or no answer comes */
function send(port: number, agent: Agent, { method, path, headers, body }: Asked): Promise<Answered> {
  const began = performance.now()
  const whole = { ...headers, ...(body !== undefined && { 'content-length': String(body.length) }) }
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, agent, method, path, headers: whole, timeout: hungMs },
      (answer) => {
        const chunks: Buffer[] = []
        const done = () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, ms: performance.now() - began })
        }
        answer.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          // A stream of events has no end to wait for.
          if (!answer.headers['content-type']?.startsWith('text/event-stream')) return
          done()
          answer.destroy()
        })
        answer.on('error', reject)
        answer.on('end', done)
      },
    )
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${hungMs} ms`)))
    sent.on('error', reject)
    sent.end(body)
  })
}

/** What links in messages open is for people: a page says what is wrong with it. */
const isPage = (path: string, headers: Answered['headers']): boolean =>
  /^(\/api)?\/notifications\/(view|unsubscribe|confirm)\b/.test(path) &&
  String(headers['content-type']).startsWith('text/html')

/** Directories are told in the form of SCIM. */
const isScim = (path: string, headers: Answered['headers']): boolean =>
  /^(\/api)?\/scim\/v2\//.test(path) && String(headers['content-type']).startsWith('application/scim+json')

/** What is wrong with an answer; undefined when it is as every answer must be. */
export function wrong({ method, path }: Asked, { status, headers, text }: Answered): string | undefined {
  if (status >= 500) return `answers ${status}`
  if (status >= 400) return method === 'HEAD' ? undefined : wrongRefusal(path, status, headers, text)
  if (status === 204) return text === '' ? undefined : 'has a body with 204'
  if (method === 'HEAD' || !String(headers['content-type']).startsWith('application/json')) return undefined
  return parsed(text) === undefined ? 'is no JSON' : undefined
}

function wrongRefusal(path: string, status: number, headers: Answered['headers'], text: string): string | undefined {
  if (isPage(path, headers)) return undefined
  return isScim(path, headers) ? wrongScim(status, text) : wrongProblem(status, headers, text)
}

function wrongProblem(status: number, headers: Answered['headers'], text: string): string | undefined {
  if (headers['content-type'] !== 'application/problem+json') return `has the type ${String(headers['content-type'])}`
  const found = parsed(text) as Record<string, unknown> | undefined
  if (typeof found !== 'object' || found === null) return 'is no problem document'
  const { type, title, status: told, detail, code } = found
  if (told !== status) return `says status ${String(told)}`
  const isWhole = [type, title, detail, code].every((member) => typeof member === 'string' && member !== '')
  if (!isWhole || !/^[a-z_]+$/.test(String(code))) return 'lacks a member'
  return type === `urn:tidemark:problem:${String(code)}` ? undefined : `has the type ${String(type)}`
}

/** RFC 7644, 3.12. */
function wrongScim(told: number, text: string): string | undefined {
  const found = parsed(text) as { schemas?: unknown; status?: unknown; detail?: unknown } | undefined
  if (typeof found !== 'object' || found === null) return 'is no refusal of SCIM'
  const { schemas, status, detail } = found
  if (status !== String(told)) return `says status ${String(status)}`
  const isWhole = typeof detail === 'string' && detail !== '' && Array.isArray(schemas)
  return isWhole && schemas.join() === 'urn:ietf:params:scim:api:messages:2.0:Error' ? undefined : 'lacks a member'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
