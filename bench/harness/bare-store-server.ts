/**
 * What the edge is measured against where a request needs PostgreSQL: node:http, one pool, and the statements that the edge asked,
 * prepared, one behind the other; then the bytes it is given. In a process of its own, which ends with its parent.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import type { Canned } from './bare-server.ts'

export interface Asked {
  text: string
  values: unknown[]
}

export interface Stored extends Canned {
  /** What the edge asked for it. */
  asked: Asked[]
}

/** As many as an edge has. */
const connections = 10

const answers = new Map<string, Stored>()
const names = new Map<string, string>()
let pool: pg.Pool

const nameOf = (text: string): string => {
  if (!names.has(text)) names.set(text, `s${names.size}`)
  return names.get(text)!
}

async function answered({ asked }: Stored): Promise<void> {
  if (asked.length === 0) return
  const client = await pool.connect()
  try {
    for (const { text, values } of asked) await client.query({ name: nameOf(text), text, values })
  } finally {
    client.release()
  }
}

const server = createServer((request, response) => {
  const stored = answers.get(`${request.method} ${request.url}`)!
  const answer = () =>
    void answered(stored).then(
      () => response.writeHead(stored.status, stored.headers).end(stored.body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  if (request.method === 'GET') answer()
  else request.resume().on('end', answer)
})

process.on('disconnect', () => process.exit(0))
process.on('message', ({ url, stored }: { url: string; stored: Record<string, Stored> }) => {
  pool = new pg.Pool({ connectionString: url, max: connections })
  for (const [request, answer] of Object.entries(stored)) answers.set(request, answer)
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
})
