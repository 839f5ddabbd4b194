/**
 * The gate's connection to ClickHouse: to the embedded one by its socket, or to the operator's as the analysts' user.
 */
import http from 'node:http'
import https from 'node:https'
import { placeOf, socketOf } from '#config/embedded/clickhouse/address.ts'
import type { Question } from '#config/analyst/question.ts'

export interface UpstreamAnswer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: http.IncomingMessage
  /** The engine's error code; undefined if the query succeeded. */
  readonly code: number | undefined
}

export interface Upstream {
  /** Resolves when the engine answers, even if the client has disconnected. */
  ask(question: Question, database: string, encoding: string | undefined): Promise<UpstreamAnswer>
  close(): void
}

const connectionsMax = 32
/** Longer than any query may run. */
const silentMs = 60_000

/** The ClickHouse at an address. */
export function upstreamAt(url: string): Upstream {
  const isEmbedded = socketOf(url) !== undefined
  const { protocol, username, password } = new URL(url)
  const transport = protocol === 'https:' ? https : http
  const agent = new transport.Agent({ keepAlive: true, maxSockets: connectionsMax })
  const user = isEmbedded ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }
  return {
    ask: ({ sql, fields }, database, encoding) =>
      new Promise((resolve, reject) => {
        const asked = new URLSearchParams([...fields, ['database', database]])
        if (!isEmbedded) {
          asked.set('readonly', '1')
          // Otherwise an error during the query would come at the end of a partly sent answer; the error must be known
          // before.
          asked.set('wait_end_of_query', '1')
        }
        const request = transport.request(
          {
            ...placeOf(url),
            ...user,
            agent,
            method: 'POST',
            path: `${isEmbedded ? '/analyst' : '/'}?${asked.toString()}`,
            headers: {
              'Content-Type': 'text/plain',
              'Content-Length': Buffer.byteLength(sql),
              ...(encoding !== undefined && { 'Accept-Encoding': encoding }),
            },
            timeout: silentMs,
          },
          (body) => {
            const code = body.headers['x-clickhouse-exception-code']
            resolve({
              status: body.statusCode ?? 500,
              headers: body.headers,
              body,
              code: code === undefined ? undefined : Number(code),
            })
          },
        )
        request.once('timeout', () => request.destroy(new Error('ClickHouse is not responding.')))
        request.once('error', reject)
        request.end(sql)
      }),
    close: () => agent.destroy(),
  }
}
