/**
 * What the edge is measured against: node:http and nothing else, answering the bytes it is given, in a process of its own.
 * Its parent sends it the answers by method and path; it tells the port. It ends with its parent.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Canned {
  status: number
  headers: Record<string, string>
  body: string
}

const answers = new Map<string, Canned>()

const server = createServer((request, response) => {
  const { status, headers, body } = answers.get(`${request.method} ${request.url}`)!
  const answer = () => response.writeHead(status, headers).end(body)
  if (request.method === 'GET') answer()
  else request.resume().on('end', answer)
})

process.on('disconnect', () => process.exit(0))
process.on('message', (given: Record<string, Canned>) => {
  for (const [request, answer] of Object.entries(given)) answers.set(request, answer)
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
})
