/** A far side on loopback whose answers a test gives, by method and path: Entra, the resource manager, metrics and storage in one. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Caller, type CallerOptions } from '#streams/cloud/call/call.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import type { ClusterOptions } from '#streams/cloud/azure/cluster/cluster.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'

export const subscription = '11111111-2222-3333-4444-555555555555'
export const tenant = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'

export const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'azure',
  externalId: subscription,
  name: 'Production',
  regions: [],
  credentials: { tenantID: tenant, clientID: '99999999-8888-7777-6666-555555555555', clientSecret: 'secret~1' },
}

export interface Question {
  method: string
  path: string
  query: Readonly<Record<string, string>>
  token: string
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  /** The body as it was sent. */
  bytes: Buffer
  headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Answer {
  status?: number
  /** JSON, unless it is text or bytes. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
  /** Nothing is answered: the connection breaks, when it was done. */
  isLost?: boolean
}

export interface AnswerServer {
  options: ClusterOptions
  url: string
  /** All that was asked, signing in left out; repeats too. */
  asked: Question[]
  /** Bodies with which tokens were asked for. */
  signIns: URLSearchParams[]
  close: () => Promise<void>
}

/** An error as the resource manager writes it. */
export const armError = (status: number, code: string, message = code, headers = {}): Answer => ({
  status,
  headers,
  body: { error: { code, message } },
})

export interface ServerOptions {
  rules?: CallerOptions['rules']
  /** What Entra answers, instead of a token of an hour. */
  signIn?: (times: number, asked: URLSearchParams) => Answer
  federated?: ClusterOptions['federated']
}

const token = (times: number, asked: URLSearchParams): Answer => ({
  body: { token_type: 'Bearer', expires_in: 3600, access_token: `token-${times + 1}-${asked.get('scope')}` },
})

export async function answerServer(
  answers: (question: Question, times: number) => Answer | Promise<Answer>,
  { rules = {}, signIn = token, federated }: ServerOptions = {},
): Promise<AnswerServer> {
  const asked: Question[] = []
  const signIns: URLSearchParams[] = []
  const reply = async (question: Question): Promise<Answer> => {
    if (question.path === `/${tenant}/oauth2/v2.0/token`) {
      const form = new URLSearchParams(String(question.body))
      signIns.push(form)
      return signIn(signIns.length - 1, form)
    }
    const times = asked.filter(({ method, path }) => method === question.method && path === question.path).length
    asked.push(question)
    return answers(question, times)
  }
  const server: Server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const bytes = await buffer(request)
    const sent = bytes.toString()
    const isJson = String(request.headers['content-type']).startsWith('application/json')
    const answer = await reply({
      method: request.method ?? '',
      path: decodeURIComponent(url.pathname),
      query: Object.fromEntries(url.searchParams),
      token: String(request.headers.authorization ?? '').replace('Bearer ', ''),
      body: isJson ? (JSON.parse(sent) as unknown) : sent,
      bytes,
      headers: request.headers,
    })
    if (answer.isLost) {
      request.socket.destroy()
      return
    }
    const { status = 200, body, headers = {} } = answer
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body)
    response.writeHead(status, headers)
    response.end(isRaw ? body : body === undefined ? '' : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = new VirtualClock()
  const meter = { made: () => {} }
  const usual = { perSecond: 10_000, burst: 10_000, pausesMs: { first: 1, doubledTo: 10_000 } }
  const caller = new Caller({ clock, meter, random: () => 0.5, rules: { ...usual, ...rules } })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    options: { caller, endpoint, clock, allowPrivate: true, ...(federated && { federated }) },
    url: endpoint,
    asked,
    signIns,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** `<bucket> <code>` of what was thrown. */
export const fails = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    (found) => `nothing: ${JSON.stringify(found)}`,
    ({ code, detail }: { code: string; detail: { bucket?: string } }) => `${detail?.bucket} ${code}`,
  )
