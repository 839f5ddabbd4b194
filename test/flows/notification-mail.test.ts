/** Mails that come by themselves, whom they reach, and how people get no more of them. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { outboxFile } from '#config/wiring/services.ts'
import { address, ask, colleague, mailsTo, type Founder } from '#test/harness/people.ts'
import { before as daysBefore, detect, line, publish } from '#test/harness/anomaly.ts'
import { calm, deliveriesOf, done, eventOf, mailTo, raised, spending, subscribe } from '#test/harness/chat.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

interface Written {
  to: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/** What `spending` has people told of, without budgets: test/flows/budget.test.ts shows these. */
function telling(f: Fleet): (usd: number) => Promise<void> {
  let n = 0
  return (usd) => {
    const [key, is] =
      usd < 100 ? (['budget.warning', 'nearly used up'] as const) : (['budget.exceeded', 'exceeded'] as const)
    return raised(f, eventOf(f, key, { title: `The budget of resource group Group ${++n} is ${is}` }))
  }
}

describe('built-in mails', () => {
  let f: Fleet
  let owner: Founder
  let admin: Founder
  let viewer: Founder
  let spend: (usd: number) => Promise<void>
  beforeEach(async () => {
    f = await fleet()
    const us = { accessToken: f.token, orgId: f.orgId } as Founder
    owner = await colleague(us, 'owner')
    admin = await colleague(us, 'admin')
    viewer = await colleague(us, 'viewer')
    spend = isDeep ? spending(f) : telling(f)
  })
  afterEach(() => f.end())

  const about = async ({ email }: { email: string }, words: RegExp) =>
    (await mailsTo(email)).map(({ subject }) => subject).filter((subject) => words.test(subject))
  const budgets = (who: { email: string }) => about(who, /budget/i)
  const preference = async ({ accessToken: token }: Founder, key: string, body?: object) => {
    const path = `/notifications/email-preferences/${key}`
    return (await ask(body ? 'PUT' : 'GET', path, { token, ...(body && { body }) })).body.data
  }
  /** The newest mail to the address, as it was handed over. */
  async function newest(email: string): Promise<Written> {
    const lines = (await readFile(outboxFile(f.connections.settings.dataDir), 'utf8')).trim().split('\n')
    return lines.map((text) => JSON.parse(text) as Written).findLast(({ to }) => to === email)!
  }
  const unsubscribe = ({ headers }: Written) => /^<(.*)>$/.exec(headers['List-Unsubscribe'] ?? '')![1]!

  deepIt('tell owners and admins of budgets and of anomalies, each once, and nobody else [NOTIF-56]', async () => {
    await spend(85)
    await publish(f, [...daysBefore(Array.from({ length: 14 }, () => 100)), line(0, 200)])
    await detect(f)
    await calm(f)
    for (const who of [owner, admin]) {
      expect(await budgets(who)).to.deep.equal(['The budget of resource group Group 1 is nearly used up'])
      // Of the resource, its account and the organization.
      expect((await about(who, /^Cost of/)).length).to.equal(1)
    }
    const mail = await newest(owner.email)
    expect(mail.html).to.include('<')
    expect(mail.text).to.include('200')
    expect(mail.headers['List-Unsubscribe-Post']).to.equal('List-Unsubscribe=One-Click')
    expect([await budgets(viewer), await about(viewer, /^Cost of/)]).to.deep.equal([[], []])
    const channels = new Set((await deliveriesOf(f)).map(({ channelID }) => channelID))
    expect(channels).to.deep.equal(new Set([`mail:${owner.userId}`, `mail:${admin.userId}`]))
  })

  deepIt(
    'tell of a start or stop whoever asked for it, alone or of a group, and nobody of what others did',
    async () => {
      await f.discover(['vm'])
      const act = async (who: Founder, type: 'start' | 'stop') => {
        const { body } = await ask('POST', '/actions', { token: who.accessToken, body: f.of('vm', type) })
        await f.ended(`/actions/${body.data.actionID}`)
      }
      const vm = (who: Founder) => about(who, /name of vm/)
      const counts = async () => {
        await calm(f)
        return [(await vm(owner)).length, (await vm(admin)).length, (await vm(viewer)).length]
      }
      await act(admin, 'stop')
      expect(await counts()).to.deep.equal([0, 1, 0])
      await act(owner, 'start')
      expect(await counts()).to.deep.equal([1, 1, 0])
      const groupID = (await done(f, 'POST', '/resource-groups', { name: 'G', members: [{ resourceUID: 'vm' }] })).id
      const { body } = await ask('POST', '/actions/bulk', { token: admin.accessToken, body: { type: 'stop', groupID } })
      await f.ended(`/actions/bulk/${body.data.bulkActionID}`)
      expect(await counts()).to.deep.equal([1, 2, 0])
      await f.act('vm', 'start')
      expect(await counts(), 'by a token that is nobody').to.deep.equal([1, 2, 0])
    },
  )

  it('end with a preference, for the person and the event type alone; a channel of mail tells on [S-33] [NOTIF-15] [NOTIF-16] [NOTIF-27] [NOTIF-28]', async () => {
    const fin = address()
    for (const email of [fin, owner.email]) await subscribe(f, await mailTo(f, email), 'budget.warning')
    await preference(owner, 'budget.warning', { enabled: false })
    await spend(85)
    const warned = 'The budget of resource group Group 1 is nearly used up'
    expect(await budgets({ email: fin })).to.deep.equal([warned])
    expect(await budgets(admin)).to.deep.equal([warned])
    expect(await budgets(viewer), 'no administrator').to.deep.equal([])
    expect((await newest(admin.email)).headers['List-Unsubscribe-Post']).to.equal('List-Unsubscribe=One-Click')
    expect(await budgets(owner), 'by the channel to the same address').to.deep.equal([warned])
    expect((await deliveriesOf(f)).filter(({ channelID }) => channelID === `mail:${owner.userId}`)).to.deep.equal([])
    await spend(100)
    expect(await budgets(owner)).to.deep.equal([warned, 'The budget of resource group Group 2 is exceeded'])
    await preference(owner, 'budget.warning', { enabled: true })
    await spend(85)
    expect((await budgets(owner)).length).to.equal(4)
  })

  deepIt(
    'end with their link, for the person and the event type alone; a look at its page changes nothing',
    async () => {
      await spend(85)
      const link = unsubscribe(await newest(owner.email))
      const enabled = async () => [
        (await preference(owner, 'budget.warning')).enabled,
        (await preference(owner, 'budget.exceeded')).enabled,
        (await preference(admin, 'budget.warning')).enabled,
      ]
      const page = await fetch(link)
      expect([page.status, page.headers.get('content-type')?.split(';')[0]]).to.deep.equal([200, 'text/html'])
      expect(await page.text()).to.include('Budget Warning')
      expect((await fetch(link, { method: 'HEAD' })).status).to.equal(200)
      expect(await enabled()).to.deep.equal([true, true, true])
      const token = new URL(link).searchParams.get('token')!
      const forge = (text: string) => new URL(`?token=${encodeURIComponent(text)}`, link)
      const [claim, proof] = token.split('.') as [string, string]
      const other = Buffer.from(claim, 'base64url').toString().replace(owner.userId, admin.userId)
      const flipped = `${proof.startsWith('A') ? 'B' : 'A'}${proof.slice(1)}`
      const forged = [
        `${claim}.${flipped}`,
        `${claim}.`,
        claim,
        '',
        'x.y',
        `${Buffer.from(other).toString('base64url')}.${proof}`,
        `${token}.${token}`,
      ]
      for (const text of forged) expect((await fetch(forge(text), { method: 'POST' })).status, text).to.equal(404)
      expect(await enabled()).to.deep.equal([true, true, true])
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
      expect((await fetch(link, { method: 'POST', body })).status).to.equal(200)
      expect(await enabled()).to.deep.equal([false, true, true])
      await spend(85)
      expect([(await budgets(owner)).length, (await budgets(admin)).length]).to.deep.equal([1, 2])
      await spend(100)
      expect([(await budgets(owner)).length, (await budgets(admin)).length]).to.deep.equal([2, 3])
    },
  )

  deepIt('of a channel end with its link, and the log says so', async () => {
    const fin = address()
    const id = await mailTo(f, fin)
    for (const key of ['budget.warning', 'budget.exceeded']) await subscribe(f, id, key)
    await spend(85)
    expect((await fetch(unsubscribe(await newest(fin)), { method: 'POST' })).status).to.equal(200)
    await spend(100)
    expect((await budgets({ email: fin })).length).to.equal(1)
    const [last] = await deliveriesOf(f, `&channel_id=${id}`)
    expect([last.eventType, last.status, last.message]).to.deep.equal([
      'budget.exceeded',
      'failed',
      'The recipient has unsubscribed.',
    ])
    expect((await budgets(owner)).length).to.equal(2)
  })

  deepIt('stop for who is no member any more', async () => {
    await done(f, 'DELETE', `/members/${admin.userId}`)
    await spend(85)
    expect([(await budgets(owner)).length, (await budgets(admin)).length]).to.deep.equal([1, 0])
  })
})
