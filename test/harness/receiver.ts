/** A chat that takes posts, on a port of this machine. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Posted {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Receiver {
  url: string
  posts: Posted[]
  /** What it answers from now on. */
  status: number
  end(): Promise<void>
}

export async function receiver(): Promise<Receiver> {
  const posts: Posted[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      posts.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
      response.writeHead(made.status).end('ok')
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const made: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/T0/secret`,
    posts,
    status: 200,
    end: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return made
}
