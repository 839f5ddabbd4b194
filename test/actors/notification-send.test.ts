import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { budgetExceeded } from '#test/harness/notice.ts'
import { NotificationChannel, signingSealed, webhookSealed } from '#actors/notification/entity.ts'
import { recipientOf, send, type Recipient, type SendTools } from '#actors/notification/delivery/send.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { mailBody } from '#streams/delivery/format/email.ts'
import { slackBody } from '#streams/delivery/format/slack.ts'
import { linkToken, readLink } from '#streams/notification/link.ts'

const [newer, older] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const createdAt = '2026-01-16T04:30:06.000Z'
const delivery = { deliveryId: 'd-1', createdAt }

/** Tools that keep the mails, and where links lead to. */
function tools(allowPrivate = true): SendTools & { mails: { mail: Mail; id: string }[] } {
  const mails: { mail: Mail; id: string }[] = []
  return {
    mails,
    channels: { email: { send: async (mail, id) => void mails.push({ mail, id }) } },
    webhooks: { allowPrivate },
    publicUrl: () => 'https://tidemark.example',
    linkSecrets: () => [newer, older],
    now: () => new Date('2026-01-16T04:30:07Z'),
  }
}

const event = { what: 'event', orgId: 'o1', deliveryId: 'd-1', createdAt } as const
const link = `https://tidemark.example/notifications/view?token=${linkToken(event, newer)}`

describe('an event that is sent', () => {
  let server: Server
  let url = ''
  const received: { path: string; body: string }[] = []
  before(async () => {
    server = createServer((request, response) => {
      request.toArray().then((chunks) => {
        received.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString() })
        response.end('ok')
      }, console.error)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  })
  beforeEach(() => received.splice(0))
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  it('goes to a chat with a link to the delivery, and without a way out [NOTIF-56]', async () => {
    const to: Recipient = { type: 'slack', url, secret: 's', channelId: 'c-1' }
    expect(await send(tools(), to, budgetExceeded, delivery)).to.deep.equal({
      outcome: 'delivered',
      responseStatus: 200,
      message: '',
    })
    const body = JSON.stringify(slackBody({ event: budgetExceeded, deliveryId: 'd-1', link }))
    expect(received).to.deep.equal([{ path: '/hook', body }])
    expect(body).to.contain(link)
  })

  it('goes to no chat of a private network, unless the operator allows it', async () => {
    const to: Recipient = { type: 'teams', url: 'https://127.0.0.1/', secret: 's', channelId: 'c-1' }
    expect((await send(tools(false), to, budgetExceeded, delivery)).outcome).to.equal('final')
    expect((await send(tools(false), { type: 'slack', channelId: 'c-1' }, budgetExceeded, delivery)).outcome).to.equal(
      'final',
    )
  })

  for (const [whose, channelId, eventType] of [
    ['of a person says how to get no more of its type', 'mail:u-1', 'budget.exceeded'],
    ['of a channel says how to get no more at all', 'c-2', ''],
  ] as const)
    it(`goes by mail with a link to the delivery; that ${whose} [NOTIF-56]`, async () => {
      const with_ = tools()
      const to: Recipient = { type: 'email', email: 'ana@example.com', channelId }
      expect(await send(with_, to, budgetExceeded, delivery)).to.deep.equal({
        outcome: 'delivered',
        responseStatus: 0,
        message: '',
      })
      // SHA-256 of ana@example.com.
      const claim = { what: 'unsubscribe', orgId: 'o1', channelId, eventType, to: 'jkPKN3ASKOdJg-_b' } as const
      const unsubscribe = `https://tidemark.example/notifications/unsubscribe?token=${linkToken(claim, newer)}`
      const mail = mailBody({ event: budgetExceeded, deliveryId: 'd-1', link, unsubscribe })
      expect(with_.mails).to.deep.equal([{ mail: { to: 'ana@example.com', ...mail }, id: 'd-1' }])
      expect(with_.mails[0]!.mail.headers).to.have.property('List-Unsubscribe', `<${unsubscribe}>`)
      expect(readLink(unsubscribe.split('token=')[1]!, [newer])).to.deep.equal(claim)
    })

  it('goes by mail without a way out where none is wanted', async () => {
    const with_ = tools()
    const to: Recipient = { type: 'email', email: 'ana@example.com', channelId: 'c-2' }
    await send(with_, to, budgetExceeded, { ...delivery, unsubscribe: false })
    expect(with_.mails[0]!.mail).to.deep.equal({
      to: 'ana@example.com',
      ...mailBody({ event: budgetExceeded, deliveryId: 'd-1', link }),
    })
    expect(with_.mails[0]!.mail).to.not.have.property('headers')
  })

  it('has no link where nobody knows an address of the edge', async () => {
    const with_ = { ...tools(), publicUrl: () => '' }
    const to: Recipient = { type: 'email', email: 'ana@example.com', channelId: 'c-2' }
    expect((await send(with_, to, budgetExceeded, delivery)).outcome).to.equal('delivered')
    expect(with_.mails[0]!.mail).to.deep.equal({
      to: 'ana@example.com',
      ...mailBody({ event: budgetExceeded, deliveryId: 'd-1' }),
    })
  })

  it('goes where its channel says, whose secrets are opened for it', () => {
    const row = { orgId: 'o1', id: 'c-1', email: '', webhookUrl: 'sealed url', signingSecret: 'sealed key' }
    const opened: unknown[] = []
    const open = (...what: unknown[]) => {
      opened.push(what)
      return `open ${String(what[2])}`
    }
    const chat = Object.assign(new NotificationChannel(), row, { type: 'slack' as const })
    expect(recipientOf(chat, open)).to.deep.equal({
      type: 'slack',
      url: 'open sealed url',
      secret: 'open sealed key',
      channelId: 'c-1',
    })
    expect(opened).to.deep.equal([
      [webhookSealed, 'o1', 'sealed url'],
      [signingSealed, 'o1', 'sealed key'],
    ])
    const mail = Object.assign(chat, { type: 'email' as const, email: 'ana@example.com', webhookUrl: null })
    expect(recipientOf(mail, open)).to.deep.equal({ type: 'email', email: 'ana@example.com', channelId: 'c-1' })
    expect(opened).to.have.length(2)
  })
})
