/** The HTTP server: listening, slow clients, invalid requests, and shutdown. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type Koa from 'koa'
import { bodyMs, watchBody } from '#http/edge/request/deadline.ts'

/**
 * Slow clients are disconnected: 5 s for headers, 5 s between requests. `deadline.ts` watches the body, because the
 * server's own limit is the same for all requests.
 */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 0,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
} as const

/** Maximum headers of a request; more are dropped. */
const headersMax = 100

/** Milliseconds that running requests may take after the server starts closing. */
const drainMs = 10_000

export interface Serving {
  readonly url: string
  readonly port: number
  /** Accepts no more requests, lets running ones finish, and disconnects the rest after ten seconds. */
  close(): Promise<void>
}

interface Listening {
  port: number
  host: string
  /** Time limits for what a client sends, milliseconds; for tests. */
  slow?: { headersTimeout: number; bodyMs: number; connectionsCheckingInterval: number }
}

/** Starts listening; port 0 uses any free port. @throws Error naming the address, if it is in use or not permitted */
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
  return { url: `http://${name}:${bound}`, port: bound, close: () => closeServer(server) }
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

/** Kept-alive connections are closed as soon as their last request is answered. */
async function closeServer(server: Server): Promise<void> {
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

/** A client that already has its response is disconnected. */
function tooSlow(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (!response.headersSent) refuse(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.destroySoon()
}

/** Responds to invalid or slow requests that never reach the application. */
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
