/** An API server on loopback that answers what a test says, and what asks it. */
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { systemClock } from '#engine/clock.ts'
import { Caller, type CallRules } from '#streams/cloud/call/call.ts'
import { KubernetesApi, type KubernetesOptions, type KubernetesServer } from '#streams/cloud/kubernetes/api/api.ts'
import type { Cluster } from '#streams/cloud/kubernetes/object/kind.ts'

export const cluster: Cluster = {
  uid: 'arn:aws:eks:eu-west-1:123456789012:cluster/prod',
  type: 'aws-eks',
  region: 'eu-west-1',
}

/** The day on which the tests are. */
export const today = new Date('2026-01-15T12:00:00.000Z')

export interface Asked {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  body: any
}

export interface Answer {
  status?: number
  headers?: Record<string, string>
  /** Left out: the connection is cut. */
  body?: unknown
}

export interface FixedServer {
  url: string
  asked: Asked[]
  /** What it answers; 404 where this says nothing. */
  answer: (asked: Asked) => Answer | undefined
  close: () => void
}

/** `<METHOD> <path>` of each. */
export const lines = ({ asked }: FixedServer): string[] => asked.map(({ method, path }) => `${method} ${path}`)

export async function fixedServer(
  answer: FixedServer['answer'],
  tls?: { key: string; cert: string },
): Promise<FixedServer> {
  const fixed: FixedServer = { url: '', asked: [], answer, close: () => {} }
  const server = tls ? createTlsServer(tls) : createServer()
  server.on('request', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url!, 'http://here')
    const text = Buffer.concat(chunks).toString()
    const asked = {
      method: request.method!,
      path: decodeURIComponent(url.pathname),
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    fixed.asked.push(asked)
    const { status = 200, headers = {}, body } = fixed.answer(asked) ?? failure(404, 'there is no such path')
    if (body === undefined) {
      request.socket.destroy()
      return
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  fixed.url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
  fixed.close = () => {
    server.closeAllConnections()
    server.close()
  }
  return fixed
}

/** As Kubernetes says no. */
export const failure = (code: number, message: string, more: object = {}): Answer => ({
  status: code,
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code, ...more },
})

export const list = (kind: string, items: readonly unknown[], token = ''): Answer => ({
  body: { kind: `${kind}List`, apiVersion: 'v1', metadata: { resourceVersion: '1', continue: token }, items },
})

/** Calls are not paced, and pauses between tries take no time. */
export const unpaced = (rules: Partial<CallRules> = {}, slept: number[] = []): Caller =>
  new Caller({
    clock: { now: () => Date.now(), sleep: async (ms) => void slept.push(ms) },
    meter: { made: () => {} },
    random: () => 0,
    rules: { perSecond: 1e6, burst: 1e6, breakAfter: 1000, ...rules },
  })

export function apiOf(
  url: string,
  server: Partial<KubernetesServer> = {},
  options: Partial<KubernetesOptions> = {},
  signal?: AbortSignal,
): KubernetesApi {
  return new KubernetesApi(
    { accountId: 'acct-1', cluster: 'prod' },
    { url, token: async () => 'secret-token', ...server },
    { caller: unpaced(), clock: { ...systemClock, now: () => today.getTime() }, allowPrivate: true, ...options },
    signal,
  )
}
