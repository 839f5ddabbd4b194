import { expect } from 'chai'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { receiver, type Receiver } from '#test/harness/receiver.ts'

describe('commands of notifications, beside a running product', () => {
  let f: Fleet
  let of: string[]
  let chat: Receiver
  let channelID: string
  before(async () => {
    f = await fleet()
    of = ['--org', f.orgId]
    chat = await receiver()
    const body = { type: 'slack', name: '#costs', config: { webhookURL: chat.url } }
    channelID = (await f.send('POST', '/notifications/channels', body)).body.data.id
  })
  after(async () => {
    await f.end()
    await chat.end()
  })

  it('list channels without what their addresses hold', async () => {
    const [channel, ...others] = (await tidemark('notification', 'list', ...of)) as any[]
    expect(others).to.deep.equal([])
    const host = new URL(chat.url).host
    expect([channel.id, channel.config]).to.deep.equal([channelID, { webhookURL: `http://${host}/...` }])
    const { stdout } = await commanded('notification', 'list', ...of)
    expect(rowsOf(stdout)).to.deep.equal([[channelID, '#costs', 'slack', `http://${host}/...`, '-']])
  })

  it('send a test, and end with 1 where it was not taken', async () => {
    const sent = await tidemark('notification', 'test', ...of, '--id', channelID)
    expect(sent).to.deep.equal({ delivered: true, status: 200, message: '', deliveryID: sent.deliveryID })
    expect(chat.posts.map(({ headers }) => headers['x-tidemark-delivery'])).to.deep.equal([sent.deliveryID])
    chat.status = 404
    const failed = await tidemark('notification', 'test', ...of, '--id', channelID).then(
      () => expect.fail('it succeeded'),
      (error: { code: number; stdout: string }) => [error.code, JSON.parse(error.stdout).status],
    )
    expect(failed).to.deep.equal([1, 404])
  })

  it('list deliveries by channel and status, newest first', async () => {
    const created_at = (n: number) => new Date(Date.now() - n * 60_000).toISOString().slice(0, -1)
    const row = (n: number, fields: object) => {
      const kinds = { kind: 'event', category: 'budget', scope_type: 'org', event: '{}', x_Version: '1' }
      return { org_id: f.orgId, id: `d-${n}`, created_at: created_at(n), channel_id: 'c-1', ...kinds, ...fields }
    }
    const held = { status: 'held', hold: 'quiet', title: 'Spent' }
    const values = [
      row(1, held),
      row(2, { status: 'failed', message: 'The server returned HTTP 404.', title: 'Spent' }),
    ]
    await f.put('notification_delivery', values)
    const listed = async (...more: string[]) =>
      ((await tidemark('notification', 'deliveries', ...of, '--channel', 'c-1', ...more)) as any[]).map(({ id }) => id)
    expect(await listed()).to.deep.equal(['d-1', 'd-2'])
    expect(await listed('--limit', '1')).to.deep.equal(['d-1'])
    expect(await listed('--status', 'failed')).to.deep.equal(['d-2'])
    const { stdout } = await commanded('notification', 'deliveries', ...of, '--channel', 'c-1')
    expect(rowsOf(stdout).map((cells) => cells.toSpliced(1, 1))).to.deep.equal([
      ['d-1', 'held (quiet)', 'c-1', 'Spent', '-'],
      ['d-2', 'failed', 'c-1', 'Spent', 'The server returned HTTP 404.'],
    ])
  })
})
