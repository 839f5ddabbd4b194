import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { expect } from 'chai'
import { sendDiskEvent } from '#config/upkeep/disk-event.ts'
import { startNats, type StartedNats } from '#config/embedded/nats.ts'
import { root } from '#config/process/root.ts'
import { NatsLog } from '#engine/store/nats/nats.ts'
import { natsAt, testFolder } from '#test/harness/stores.ts'

const quiet = { info: () => {}, warn: () => {}, error: () => {} }
const disk = { store: 'clickhouse', path: '/data', freeBytes: 14 * 2 ** 30, totalBytes: 100 * 2 ** 30 } as const
/** 2026-03-01T10:00:00Z */
const at = Date.UTC(2026, 2, 1, 10)

describe('an event of a disk', () => {
  const posts: unknown[] = []
  const server = http.createServer((req, res) => {
    let text = ''
    req
      .on('data', (some) => (text += some))
      .on('end', () => {
        posts.push(JSON.parse(text))
        res.end()
      })
  })
  let url: string
  let own: StartedNats
  let nats: NatsConnection
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const places = { cache: path.join(root, '.cache'), path: process.env['PATH'], bin: process.env['NATS_SERVER_BIN'] }
    own = await startNats(testFolder(), { ...places, lanes: 1, log: () => {} })
    nats = await connect(natsAt(own.url))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  after(async () => {
    server.close()
    await nats.close()
    await own.stop()
  })

  it('is posted to the operator by one of all processes that see it, and again in the next hour', async () => {
    const log = await NatsLog.open(nats)
    await log.createStreams(1, { laneBytesMax: 2 ** 20 })
    const send = (now: number) =>
      sendDiskEvent(
        { log, report: quiet, settings: { operatorWebhookUrl: url }, clock: { now: () => now } },
        'low',
        disk,
      )
    await Promise.all([send(at), send(at + 9_000), send(at + 10_000)])
    expect(posts).to.have.length(1)
    expect(posts[0]).to.deep.include({
      type: 'installation.disk_low',
      text: 'The disk is filling up: clickhouse at /data: 14.0 GiB of 100.0 GiB free',
      store: 'clickhouse',
      path: '/data',
      freeBytes: 15_032_385_536,
      totalBytes: 107_374_182_400,
    })
    await send(at + 3_600_000)
    expect(posts).to.have.length(2)
  })

  it('is posted by every process while the stream cannot store it, and a webhook that is away is only logged', async () => {
    posts.length = 0
    const warnings: string[] = []
    const report = { ...quiet, warn: (_: object, message: string) => void warnings.push(message) }
    const log = { publish: () => Promise.reject(new Error('No space left on device')) }
    const send = (operatorWebhookUrl: string | undefined) =>
      sendDiskEvent({ log, report, settings: { operatorWebhookUrl }, clock: { now: () => at } }, 'full', disk)
    await Promise.all([send(url), send(url), send(undefined)])
    expect(posts).to.have.length(2)
    await send('http://127.0.0.1:9/')
    expect(warnings).to.deep.equal(["the operator's webhook did not take an event"])
  })
})
