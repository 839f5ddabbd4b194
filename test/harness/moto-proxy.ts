/**
 * Stands before moto and answers for what moto does not implement as AWS does for what it does not offer: moto itself fails
 * with a page for people, which says nothing to a client. It also answers which snapshots are public.
 */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

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

/** Snapshots that were made public, by region: moto names all when it is asked for those that an account may restore. */
class PublicSnapshots {
  private readonly of = new Map<string, Set<string>>()

  /** Learns from a request; the answer to one that is about them, otherwise undefined. */
  take({ headers, url }: IncomingMessage, form: string): string | undefined {
    if (url === '/moto-api/reset') this.of.clear()
    const asked = new URLSearchParams(form)
    const [, region = ''] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? []
    const ids = this.of.get(region) ?? new Set()
    this.of.set(region, ids)
    if (asked.get('Action') === 'ModifySnapshotAttribute' && asked.get('UserGroup.1') === 'all')
      ids[asked.get('OperationType') === 'add' ? 'add' : 'delete'](asked.get('SnapshotId') ?? '')
    if (asked.get('Action') !== 'DescribeSnapshots' || !asked.has('RestorableBy.1')) return undefined
    const items = [...ids].map((id) => `<item><snapshotId>${id}</snapshotId></item>`)
    return `<DescribeSnapshotsResponse><snapshotSet>${items.join('')}</snapshotSet></DescribeSnapshotsResponse>`
  }
}

export async function proxyOf(moto: string): Promise<MotoProxy> {
  const { hostname, port } = new URL(moto)
  const snapshots = new PublicSnapshots()
  const server: Server = createServer(async (asked, answer) => {
    const { method, url: path, headers } = asked
    const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
    const form = isForm ? await text(asked) : undefined
    const known = snapshots.take(asked, form ?? '')
    if (known !== undefined) return void answer.writeHead(200, { 'content-type': 'text/xml' }).end(known)
    const passed = request({ hostname, port, method, path, headers }, (told) => {
      // What is missing has the type of a page where only its head is asked for.
      if (method !== 'HEAD' && isPage(told)) {
        told.resume()
        refuse(asked, answer)
        return
      }
      answer.writeHead(told.statusCode ?? 502, told.headers)
      told.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    if (form === undefined) asked.pipe(passed)
    else passed.end(form)
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
