/**
 * A chat that takes what it is posted, in a process of its own: what came, when, by delivery id. `/hang` answers after ten
 * seconds. Its parent asks for what has come since it asked last. It ends with its parent.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Delivery id, path and milliseconds since 1970, one post after the other. */
export type Received = [id: string, path: string, at: number][]

let received: Received = []

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const at = Date.now()
  const { url = '', headers } = request
  received.push([String(headers['x-tidemark-delivery'] ?? ''), url, at])
  const answer = () => response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
  request.resume().on('end', () => void (url === '/hang' ? setTimeout(answer, 10_000) : answer()))
})

process.on('disconnect', () => process.exit(0))
process.on('message', () => {
  process.send!(received)
  received = []
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
