/** Mails to people who have not asked for them are few, and are quoted. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { confirmMail, invitedMail } from '#http/identity/person/mail.ts'
import { countOutsideMail } from '#http/identity/person/outside-mail.ts'
import { address, ask, founder, mailsTo, type Founder } from '#test/harness/people.ts'
import { testProduct, until, type Answer } from '#test/harness/product.ts'

const codeOf = ({ status, body }: Answer) => [status, body?.code ?? 'ok']
const reverse = '\u202E'
const nothing = '\u200B'

describe('mails to people who have not asked for them', () => {
  let own: Founder
  before(async () => {
    own = await founder()
  })

  const invite = (email: string, as = own) =>
    ask('POST', '/members', { token: as.accessToken, body: { email, roleID: 'viewer' } })

  it('are a hundred a day of an organization, then invitations and channels are refused [G-14]', async () => {
    const { store } = (await testProduct()).connections
    const sent = (count: number, hours: number) =>
      store.rows(
        `insert into outside_mail (id, org_id, recipient, sent_at)
         select gen_random_uuid(), $1, n::text, now() - $3 * interval '1 hour' from generate_series(1, $2::int) as n`,
        [own.orgId, count, hours],
      )
    await sent(99, 23)
    await sent(50, 25)
    expect(codeOf(await invite(address()))).to.deep.equal([201, 'ok'])
    const refused = await invite(address())
    expect(codeOf(refused)).to.deep.equal([429, 'too_many_mails'])
    expect(refused.body.detail).to.equal(
      'An organization sends at most 100 invitations and address confirmations per day. Try again tomorrow.',
    )
    expect(refused.headers.get('retry-after')).to.equal('3600')
    const body = { type: 'email', name: 'A', config: { email: address() } }
    const channel = () => ask('POST', '/notifications/channels', { token: own.accessToken, body })
    expect(codeOf(await channel())).to.deep.equal([429, 'too_many_mails'])
    body.config.email = own.email
    expect(codeOf(await channel()), 'a member is not asked').to.deep.equal([201, 'ok'])
    expect(codeOf(await invite(address(), await founder())), 'another organization').to.deep.equal([201, 'ok'])
  })

  it('are few to one mailbox from all organizations, however it is spelled, and few of the installation [G-14]', async () => {
    const em = (await testProduct()).product.get(tokens.identity).em()
    const now = new Date('2020-01-02T00:00:00Z')
    const to = address()
    const none = { perOrganization: 0, perRecipient: 0, perInstallation: 0 }
    const count = (email: string, limits: object, at = now) =>
      em
        .fork()
        .transactional((tx) =>
          countOutsideMail(tx, { orgId: randomUUID(), to: email, limits: { ...none, ...limits }, now: at }),
        )
        .then(
          () => 'sent',
          (error: Error) => error.message.split(' at most')[0],
        )
    const two = { perRecipient: 2 }
    expect(await count(to, two)).to.equal('sent')
    expect(await count(to.toUpperCase(), two)).to.equal('sent')
    expect(await count(to.replace('@', '+x@'), two)).to.equal('This address receives')
    expect(await count(address(), two)).to.equal('sent')
    const all = await em.fork().execute<{ n: number }[]>('select count(*)::int as n from outside_mail')
    expect(await count(address(), { perInstallation: all[0]!.n })).to.equal('This service sends')
  })

  it('are not sent to several addresses in one, nor to one that cannot be seen [G-14]', async () => {
    for (const email of [
      `x,${address()}`,
      `x;${address()}`,
      `a:${address()}`,
      `(x)${address()}`,
      `a${nothing}@example.com`,
      `a@exa${reverse}mple.com`,
    ])
      expect(codeOf(await invite(email)), email).to.deep.equal([400, 'validation_failed'])
  })

  it('are of organizations whose name is one line without invisible characters [G-14]', async () => {
    for (const name of [
      'A\r\nBcc: b@c.example',
      'A\nB',
      `A${reverse}B`,
      `A${nothing}B`,
      'A\u2028B',
      'A\u0007B',
      nothing,
    ]) {
      const answer = await ask('POST', '/organisations', { token: own.accessToken, body: { name } })
      expect(codeOf(answer), JSON.stringify(name)).to.deep.equal([400, 'validation_failed'])
    }
    const named = await founder('Pay at evil.example/x')
    const email = address()
    await invite(email, named)
    await until('the mail', async () => (await mailsTo(email)).length > 0)
    expect((await mailsTo(email))[0]!.subject).to.equal('You have been invited to “Pay at evil. example x” on Tidemark')
  })

  it('quote names as one line in which no mail program finds an address [G-14]', () => {
    const subjectOf = (name: string) =>
      invitedMail('a@b.example', name, '').subject.slice('You have been invited to '.length, -12)
    for (const [name, quoted] of [
      ['Acme', '“Acme”'],
      ['Acme v1.2', '“Acme v1. 2”'],
      ['https://evil.example', '“https evil. example”'],
      ['a@evil。example', '“a evil. example”'],
      [`A\r\nBcc: x${reverse}${nothing}`, '“A Bcc x”'],
      ['“A” and “B', '“A and B”'],
      ['x'.repeat(100), `“${'x'.repeat(59)}…”`],
    ] as const)
      expect(subjectOf(name), name).to.equal(quoted)
    expect(confirmMail('a@b.example', 'A', 'B\n\nhttps://evil.example', 'LINK').text.split('\n')).to.have.length(6)
  })
})
