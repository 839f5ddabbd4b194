/** Channels of mail to people outside the organization send nothing before these agree. */
import { expect } from 'chai'
import { linkToken, readLink } from '#streams/notification/link.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { calm, deliveriesOf, eventOf, raised, subscribe } from '#test/harness/chat.ts'
import { address, ask, colleague, mailsTo } from '#test/harness/people.ts'
import { tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'

const codeOf = ({ status, body }: Answer) => [status, body?.code ?? 'ok']

describe('a channel of mail to an address outside the organization', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
  })

  const make = async (email: string, name = 'Costs') =>
    (await org.send('POST', '/notifications/channels', { type: 'email', name, config: { email } })).body.data
  const shown = async (id: string) =>
    (await org.get('/notifications/channels')).body.data.find((one: any) => one.id === id)
  const linkTo = async (email: string, count = 1): Promise<string> => {
    await until(`mail ${count} to ${email}`, async () => (await mailsTo(email)).length >= count)
    return /http\S+\/notifications\/confirm\S+/.exec((await mailsTo(email)).at(-1)!.text)![0]
  }
  const follow = async (link: string, method: 'GET' | 'POST') => (await fetch(link, { method })).status
  const test = async (id: string) => codeOf(await org.send('POST', `/notifications/channels/${id}/test`))

  it('sends nothing, by no way, before its recipient has followed the link of the mail that asks, once [G-94] [NOTIF-20]', async () => {
    const email = address()
    const { id, confirmation } = await make(email)
    expect(confirmation).to.equal('pending')
    await subscribe(org, id, 'budget.warning')
    await raised(org, eventOf(org, 'budget.warning'))
    await calm(org)
    expect((await deliveriesOf(org)).map(({ status, message }) => [status, message])).to.deep.equal([
      ['failed', 'The recipient has not confirmed the address.'],
    ])
    expect(await test(id)).to.deep.equal([422, 'recipient_unconfirmed'])
    const link = await linkTo(email)
    expect(await follow(link, 'GET')).to.equal(200)
    expect((await shown(id)).confirmation, 'a look changes nothing').to.equal('pending')
    expect(await follow(link, 'POST')).to.equal(200)
    expect((await shown(id)).confirmation).to.equal('confirmed')
    expect(await test(id)).to.deep.equal([200, 'ok'])
    expect(await follow(link, 'POST'), 'used').to.equal(410)
    const { items } = (await org.get('/security-events?type=channel_changed')).body.data
    expect(items.map(({ detail }: any) => detail)).to.deep.equal([
      { channelID: id, change: 'confirmed' },
      { channelID: id, change: 'created' },
    ])
  })

  it('asks again for another address and for one that had said no; a link of before is worth nothing [G-94]', async () => {
    const [first, second] = [address(), address()]
    const { id } = await make(first)
    const old = await linkTo(first)
    const lead = (email: string) => org.send('PUT', `/notifications/channels/${id}`, { config: { email } })
    expect((await lead(second)).body.data.confirmation).to.equal('pending')
    expect(await follow(old, 'POST'), 'of the address before').to.equal(410)
    expect((await lead(first)).body.data.confirmation).to.equal('pending')
    expect(await follow(old, 'POST'), 'of the question before').to.equal(410)
    expect(await follow(await linkTo(first, 2), 'POST')).to.equal(200)
    const kept = await org.send('PUT', `/notifications/channels/${id}`, { name: 'Other', config: { digest: 'daily' } })
    expect(kept.body.data.confirmation).to.equal('confirmed')
    expect((await lead(first)).body.data.confirmation, 'the same address').to.equal('confirmed')
    await org.connections.store.rows('update notification_channel set unsubscribed_at = now() where id = $1', [id])
    expect((await lead(first)).body.data.confirmation, 'who had said no').to.equal('pending')
  })

  it('is confirmed by nobody who changes a link, and not after seven days [G-94]', async () => {
    const email = address()
    const { id } = await make(email)
    const link = new URL(await linkTo(email))
    const linkSecrets = org.product.get(tokens.notices).linkSecrets()
    const token = link.searchParams.get('token')!
    const claim = readLink(token, linkSecrets)!
    const at = (text: string) => `${link.origin}/notifications/confirm?token=${encodeURIComponent(text)}`
    const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000).toISOString()
    const changed = { ...claim, createdAt: eightDaysAgo } as typeof claim
    for (const [text, status] of [
      [token.slice(0, -2), 404],
      [linkToken(claim, Buffer.alloc(32)), 404],
      [linkToken(changed, linkSecrets[0]!), 410],
      [linkToken({ ...claim, nonce: '' } as typeof claim, linkSecrets[0]!), 410],
    ] as const)
      expect(await follow(at(text), 'POST'), text).to.equal(status)
    expect((await shown(id)).confirmation).to.equal('pending')
  })

  it('of a member, or in a verified domain, needs nobody’s word [G-94]', async () => {
    const { email } = await colleague(org, 'viewer')
    expect((await make(email.toUpperCase())).confirmation).to.equal('confirmed')
    const domain = `${address().split('@')[0]}.example`
    await org.connections.store.rows(
      `insert into saml_domain (org_id, domain, token, verified_at) values ($1, $2, 't', null)`,
      [org.orgId, domain],
    )
    expect((await make(`fin@${domain}`)).confirmation).to.equal('pending')
    await org.connections.store.rows('update saml_domain set verified_at = now() where org_id = $1', [org.orgId])
    expect((await make(`fin@${domain}`)).confirmation).to.equal('confirmed')
    const other = await tenant()
    const body = { type: 'email', name: 'A', config: { email: `fin@${domain}` } }
    expect((await other.send('POST', '/notifications/channels', body)).body.data.confirmation).to.equal('pending')
  })

  it('quotes the names of organization and channel, in which nothing is a link or a line of its own [G-94]', async () => {
    const email = address()
    const { accessToken } = await colleague(org, 'admin')
    await org.connections.store.rows('update organization set name = $2 where id = $1', [
      org.orgId,
      'Pay at https://evil.example/x\r\nBcc: a@b.example',
    ])
    const body = { type: 'email', name: 'Win www.evil.example', config: { email } }
    await ask('POST', '/notifications/channels', { token: accessToken, body })
    await linkTo(email)
    const { subject, text } = (await mailsTo(email)).at(-1)!
    expect(subject).to.equal('“Pay at https evil. example x Bcc a b. example” wants to send you notifications')
    expect(text).to.contain('through its channel “Win www. evil. example” on Tidemark')
    expect(text.match(/https?:/g)).to.have.length(1)
  })
})
