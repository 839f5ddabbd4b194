// tier: deep
/** An account of 60 types behind a proxy that answers wrongly: whatever a scan could not see stays as it was. */
import { expect } from 'chai'
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { systemClock } from '#engine/clock.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import type { ScanCoverage } from '#streams/refresh.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { owning } from './account.ts'
import { scan, sixtyTypes, type Scan } from './sixty-types.ts'

type Fault = 'throttled' | 'unavailable' | 'garbage' | 'silence' | 'cut'

interface Proxy {
  url: string
  /** What the call gets in place of an answer; undefined: its answer. */
  rule: (call: { region: string; text: string; nth: number }) => Fault | undefined
  faults: number
  calls: number
  close: () => Promise<void>
}

async function faultProxy(target: string): Promise<Proxy> {
  const proxy: Proxy = { url: '', rule: () => undefined, faults: 0, calls: 0, close: () => ended(server) }
  const server = createServer((from, to) => void serve(proxy, target, from, to))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}

async function ended(server: Server): Promise<void> {
  server.close()
  server.closeAllConnections()
  await once(server, 'close')
}

async function serve(proxy: Proxy, target: string, from: IncomingMessage, to: ServerResponse): Promise<void> {
  const body = await buffer(from)
  const { method, url = '', headers } = from
  const [, region = ''] = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '') ?? []
  const text = `${url} ${body.toString('latin1')}`
  const fault = text.includes('Action=AssumeRole') ? undefined : proxy.rule({ region, text, nth: ++proxy.calls })
  if (fault !== undefined) {
    proxy.faults++
    answerWrongly(fault, to, headers['x-amz-target'] !== undefined)
    return
  }
  const passed = ask(`${target}${url}`, { method, headers }, (answer) => {
    to.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(to)
  })
  passed.on('error', () => to.destroy())
  passed.end(body)
}

function answerWrongly(fault: Fault, to: ServerResponse, isJson: boolean): void {
  if (fault === 'silence') return
  if (fault === 'cut') return void to.destroy()
  if (fault === 'garbage') return void to.writeHead(200, { 'content-type': 'text/plain' }).end('<<< {"not": an answer')
  const [status, code] = fault === 'throttled' ? [429, 'ThrottlingException'] : [503, 'ServiceUnavailable']
  const body = isJson
    ? JSON.stringify({ __type: code, message: code })
    : `<Response><Errors><Error><Code>${code}</Code><Message>${code}</Message></Error></Errors><Error><Code>${code}</Code></Error></Response>`
  to.writeHead(status, { 'content-type': isJson ? 'application/x-amz-json-1.1' : 'text/xml', 'x-amzn-errortype': code })
  to.end(body)
}

/** Whether a part of a scan says that it saw all resources like this one. */
const covers = ({ types, regions, outsideOf = [], parents = [] }: ScanCoverage, one: DiscoveredResource): boolean =>
  (types.length === 0 || types.includes(one.type)) &&
  (regions.length === 0 || regions.includes(one.region ?? '')) &&
  !outsideOf.includes(one.region ?? '') &&
  (parents.length === 0 || parents.includes(one.parentUID ?? ''))

/** The inventory after a scan: what it found, and what it does not say that it would have seen. */
function inventoryAfter(before: readonly DiscoveredResource[], { found, seen }: Scan): string[] {
  const kept = before.filter((one) => !seen.some((part) => covers(part, one)))
  return [...new Set([...found, ...kept].map(({ type, resourceUid }) => `${type} ${resourceUid}`))].toSorted()
}

/** More than a page of log groups, and of tables. */
async function longLists(session: AwsSession): Promise<void> {
  const place = 'eu-west-1'
  for (let n = 0; n < 110; n++) {
    await session.ask('cloudwatch-logs', place, (m) => new m.CreateLogGroupCommand({ logGroupName: `/long/${n}` }))
    await session.ask(
      'dynamodb',
      place,
      (m) =>
        new m.CreateTableCommand({
          TableName: `long-${n}`,
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          BillingMode: 'PAY_PER_REQUEST',
        }),
    )
  }
}

describeMoto('an account of 60 types, answered for wrongly', (moto) => {
  let proxy: Proxy
  let whole: Scan
  before(async () => {
    await sixtyTypes(moto())
    await owning(moto(), longLists)
    proxy = await faultProxy(moto().url)
    whole = await scanned()
    expect([proxy.faults, whole.lostTypes]).to.deep.equal([0, ['aws-dms-instance', 'aws-flink-app', 'aws-msk']])
  })
  after(() => proxy.close())

  /** Repeats take no time. */
  const scanned = (timeoutMs = 60_000): Promise<Scan> => {
    Object.assign(proxy, { faults: 0, calls: 0 })
    const rules = { perSecond: 1e5, burst: 1e5, timeoutMs, breakMs: 50, pausesMs: { first: 1, doubledTo: 10 } }
    const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: () => 0, rules })
    return scan({ ...moto().options, caller, endpoint: proxy.url })
  }
  const keepsAll = async (rule: Proxy['rule'], timeoutMs?: number) => {
    proxy.rule = rule
    const now = await scanned(timeoutMs)
    proxy.rule = () => undefined
    expect(proxy.faults).to.be.above(0)
    const [after, known] = [inventoryAfter(whole.found, now), inventoryAfter(whole.found, whole)]
    const [isAfter, isKnown] = [new Set(after), new Set(known)]
    const lost = known.filter((one) => !isAfter.has(one))
    expect([lost, after.filter((one) => !isKnown.has(one))]).to.deep.equal([[], []])
    return now
  }
  const some: readonly [Fault, number][] = [
    ['throttled', 3],
    ['unavailable', 4],
    ['garbage', 5],
    ['silence', 50],
    ['cut', 7],
  ]
  for (const [fault, each] of some)
    it(`is in the inventory as before where one of ${each} calls gets this: ${fault}`, async () => {
      await keepsAll(({ nth }) => (nth % each === 0 ? fault : undefined), fault === 'silence' ? 3000 : undefined)
    })

  it('is in the inventory as before while a region is away', async () => {
    const now = await keepsAll(({ region }) => (region === 'us-west-2' ? 'cut' : undefined))
    expect(now.found.filter(({ region }) => region === 'us-west-2')).to.deep.equal([])
    expect(now.message).to.contain('us-west-2')
  })

  it('is in the inventory as before where no second page arrives', async () => {
    await keepsAll(({ text }) => (/NextToken|nextToken|Marker|ExclusiveStart/.test(text) ? 'unavailable' : undefined))
  })

  it('is as it was seen at first once all is answered again', async () => {
    const now = await scanned()
    expect(now.counts).to.deep.equal(whole.counts)
  })
})
