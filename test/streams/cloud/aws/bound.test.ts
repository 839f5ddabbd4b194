import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { Fault } from '#engine/value/fault.ts'
import { answerMax } from '#streams/cloud/aws/session/answer-limit.ts'
import { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { account } from './stub.ts'

describe('an answer of AWS', () => {
  let server: Server
  let sent = 0
  let bytes = 0

  /** A list of regions that has no end before `bytes`. */
  before(async () => {
    const part = '<item><regionName>eu-west-1</regionName></item>'.repeat(20_000)
    function* list() {
      yield '<DescribeRegionsResponse><regionInfo>'
      for (sent = 0; sent < bytes; sent += part.length) yield part
      yield '</regionInfo></DescribeRegionsResponse>'
    }
    server = createServer((request, response) => {
      request.resume()
      response.setHeader('content-type', 'text/xml')
      // Whoever hangs up ends it.
      pipeline(list(), response, () => {})
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    server.close()
    server.closeAllConnections()
  })

  async function asked(): Promise<string | number> {
    const { port } = server.address() as AddressInfo
    const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random })
    const credentials = async () => ({ accessKeyId: 'AKID', secretAccessKey: 'secret' })
    const session = new AwsSession(account, { caller, endpoint: `http://127.0.0.1:${port}` }, { credentials })
    try {
      const { Regions = [] } = await session.ask('ec2', 'us-east-1', (m) => new m.DescribeRegionsCommand({}))
      return Regions.length
    } catch (error) {
      return error instanceof Fault ? error.code : `no fault: ${String(error)}`
    } finally {
      session.close()
    }
  }

  it('is read whole within 64 MiB, and beyond that left unread', async () => {
    bytes = 1000
    expect(await asked()).to.equal(20_000)
    bytes = 4 * answerMax
    expect(await asked()).to.equal('answer_too_large')
    expect(sent).to.be.below(2 * answerMax)
  })
})
