import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type Koa from 'koa'
import { bodyMs, watchBody } from '#http/edge/request/deadline.ts'

/**
 * Slow clients are cut off: headers within 5 s, 5 s between requests; the body is watched by `deadline.ts`, for the server's own
 * limit is one for all requests.
 */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
} as const

/** Headers of a request; more are dropped. */
const headersMax = 100

/** How long running requests may take to end once the server closes. */
const drainMs = 10_000

export interface Serving {
  readonly url: string
  readonly port: number
  /** Takes no more requests, lets the running ones end, and cuts off what is left after ten seconds. */
  close(): Promise<void>
}

interface Listening {
  port: number
  host: string
  /** How long what a client sends may take, milliseconds; for tests. */
  slow?: { headersTimeout: number; bodyMs: number; connectionsCheckingInterval: number }
}

/** Listens; port 0 takes any free one. @throws Error naming the address, when it is taken or not ours to use */
export async function serve(app: Koa, { port, host, slow }: Listening): Promise<Serving> {
  const handle = app.callback() as (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer({ ...limits, ...slow }, (request, response) => {
    watchBody(request, slow?.bodyMs ?? bodyMs, () => tooSlow(request, response))
    handle(request, response)
  })
  server.maxHeadersCount = headersMax
  server.on('clientError', refuse)
  await listening(server, port, host)
  const bound = (server.address() as AddressInfo).port
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${bound}`, port: bound, close: () => closed(server) }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new Error(`cannot listen on ${host} port ${port}: ${reason(error)}`, { cause: error }))
    })
    server.listen(port, host, resolve)
  })
}

function reason({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'another process is using this port; stop it or choose another port'
  if (code === 'EACCES') return 'this user is not permitted to use this port; choose one above 1023'
  return message
}

/** Connections kept alive for a next request are ended as soon as their last one is answered. */
async function closed(server: Server): Promise<void> {
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const late = setTimeout(() => server.closeAllConnections(), drainMs)
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  clearInterval(idle)
  clearTimeout(late)
}

const refusals: Readonly<Record<string, readonly [number, string, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'headers_too_large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'request_timeout', 'The request took too long to arrive.'],
}

/** Who has an answer already is hung up on. */
function tooSlow(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (!response.headersSent) refuse(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.destroySoon()
}

/** Answers what is no HTTP request, or came too slowly: the application never sees it. */
function refuse(error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, phrase, code, detail] = refusals[error.code ?? ''] ?? [
    400,
    'Bad Request',
    'malformed_request',
    'This is not a valid HTTP request.',
  ]
  const body = JSON.stringify({
    type: `urn:tidemark:problem:${code}`,
    title: phrase,
    status,
    detail,
    instance: '',
    code,
  })
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(
    [
      `HTTP/1.1 ${status} ${phrase}`,
      'Content-Type: application/problem+json',
      'Connection: close',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      isHead ? '' : body,
    ].join('\r\n'),
  )
}
