/**
 * Stands before moto and answers for what moto does not implement as AWS does for what it does not offer: moto itself fails
 * with a page for people, which says nothing to a client.
 */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const isPage = ({ statusCode = 0, headers }: IncomingMessage): boolean =>
  (statusCode === 500 || statusCode === 501 || statusCode === 404) &&
  (headers['content-type'] ?? '').startsWith('text/html')

/** Services with errors in XML; those of form requests are told by the type of the request. */
const inXml = /\bapi\/(s3-control|cloudfront|route-53)#/

function refuse(asked: IncomingMessage, answer: ServerResponse): void {
  const { 'content-type': type = '', 'user-agent': agent = '' } = asked.headers
  const message = 'This operation is not implemented.'
  if (type.startsWith('application/x-www-form-urlencoded') || inXml.test(agent)) {
    answer.writeHead(400, { 'content-type': 'text/xml' })
    const error = `<Error><Code>InvalidAction</Code><Message>${message}</Message></Error>`
    answer.end(`<ErrorResponse>${error}<RequestId>0</RequestId></ErrorResponse>`)
    return
  }
  answer.writeHead(400, { 'content-type': 'application/json', 'x-amzn-errortype': 'UnknownOperationException' })
  answer.end(JSON.stringify({ __type: 'UnknownOperationException', message }))
}

export interface MotoProxy {
  url: string
  stop: () => Promise<void>
}

export async function proxyOf(moto: string): Promise<MotoProxy> {
  const { hostname, port } = new URL(moto)
  const server: Server = createServer((asked, answer) => {
    const { method, url: path, headers } = asked
    const passed = request({ hostname, port, method, path, headers }, (told) => {
      if (isPage(told)) {
        told.resume()
        refuse(asked, answer)
        return
      }
      answer.writeHead(told.statusCode ?? 502, told.headers)
      told.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
