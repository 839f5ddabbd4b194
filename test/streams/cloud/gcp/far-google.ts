/** Google on loopback: what a test answers to each question, and tokens for whoever asks. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { systemClock } from '#engine/clock.ts'
import { Fault } from '#engine/value/fault.ts'
import { Caller, type CallRules } from '#streams/cloud/call/call.ts'
import { bucketOf, type CloudAccount } from '#streams/cloud/connector.ts'
import type { ClusterOptions } from '#streams/cloud/gcp/cluster/cluster.ts'

export interface Question {
  method: string
  path: string
  query: URLSearchParams
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  /** The body as it was sent. */
  bytes: Buffer
  token: string
  headers: IncomingHttpHeaders
}

/** `isLost`: it was done, and nobody hears of it. Texts and bytes are sent as they stand. */
export interface Answer {
  status?: number
  body?: unknown
  headers?: Record<string, string>
  isLost?: boolean
}

export interface FarGoogle {
  options: ClusterOptions
  /** All that was asked but tokens, as `GET /compute/v1/…`. */
  asked: string[]
  questions: Question[]
  /** Questions for tokens. */
  tokens: Question[]
  close: () => Promise<void>
}

export const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
})

export const email = 'tidemark@shop-prod.iam.gserviceaccount.com'
export const serviceAccount = {
  type: 'service_account',
  project_id: 'shop-prod',
  private_key_id: 'key1',
  private_key: privateKey,
  client_email: email,
  client_id: '1',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url:
    'https://www.googleapis.com/robot/v1/metadata/x509/tidemark%40shop-prod.iam.gserviceaccount.com',
  universe_domain: 'googleapis.com',
}

export const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org-1',
  provider: 'gcp',
  externalId: 'shop-prod',
  name: 'Shop',
  regions: [],
  credentials: { serviceAccount },
}

const tokenPaths = /^\/token$|^\/v1\/token$|:generateAccessToken$/
let granted = 0

const grant = ({ path }: Question): Answer =>
  path.endsWith(':generateAccessToken')
    ? { body: { accessToken: `t${++granted}`, expireTime: new Date(Date.now() + 3_600_000).toISOString() } }
    : { body: { access_token: `t${++granted}`, expires_in: 3600, token_type: 'Bearer' } }

async function questionIn(request: IncomingMessage): Promise<Question> {
  const { url = '/', method = '', headers } = request
  const { pathname, searchParams: query } = new URL(url, 'http://google')
  const bytes = await buffer(request)
  const sent = bytes.toString()
  const body: unknown =
    headers['content-type'] === 'application/json' ? JSON.parse(sent) : Object.fromEntries(new URLSearchParams(sent))
  const token = (headers.authorization ?? '').replace('Bearer ', '')
  return { method, path: decodeURIComponent(pathname), query, body, bytes, token, headers }
}

export interface FarOptions {
  rules?: Partial<CallRules>
  /** Instead of a token for whoever asks. */
  token?: (question: Question) => Answer
  bytesMax?: number
}

export async function farGoogle(
  answer: (question: Question) => Answer,
  { rules, token = grant, bytesMax }: FarOptions = {},
): Promise<FarGoogle> {
  const questions: Question[] = []
  const tokens: Question[] = []
  const server = createServer(async (request, response) => {
    const question = await questionIn(request)
    const isToken = tokenPaths.test(question.path)
    ;(isToken ? tokens : questions).push(question)
    const { status = 200, body = {}, headers = {}, isLost = false } = isToken ? token(question) : answer(question)
    if (isLost) {
      response.destroy()
      return
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const caller = new Caller({
    clock: systemClock,
    meter: { made: () => {} },
    random: () => 1,
    rules: {
      perSecond: 10_000,
      burst: 10_000,
      pausesMs: [1, 2],
      budgetMin: 10_000,
      breakAfter: 1000,
      ...rules,
    },
  })
  return {
    options: {
      caller,
      clock: systemClock,
      allowPrivate: true,
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      ...(bytesMax !== undefined && { bytesMax }),
    },
    get asked() {
      return questions.map(({ method, path }) => `${method} ${path}`)
    },
    questions,
    tokens,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An error as Google writes it. */
export const refusing = (status: number, reason: string, message = reason): Answer => ({
  status,
  body: { error: { code: status, message, errors: [{ reason, message }], status: reason } },
})

export const denied = (permission: string): Answer =>
  refusing(403, 'forbidden', `Required '${permission}' permission for 'projects/shop-prod'`)

/** Bucket and code of what a call throws. */
export const fails = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing',
    (error: unknown) => `${bucketOf(error)} ${error instanceof Fault ? error.code : String(error)}`,
  )
