/** Saved views by mail: what they say, whom they reach, by whose rights, and how people get no more of them. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { outboxFile } from '#config/wiring/services.ts'
import { anomalyFound } from '#streams/anomaly.ts'
import type { Mail } from '#streams/delivery/email.ts'
import { line } from '#test/harness/anomaly.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { billingLine } from '#streams/billing/messages.ts'

const query = 'from=2026-03-01&to=2026-03-31&dims=service_name'

describe('saved views by mail', function () {
  this.timeout(180_000)
  let org: Tenant
  let owner: Founder
  let editor: Founder
  let viewer: Founder
  /** Mails written before the test began. */
  let earlier = 0
  const people = async (isBilled = true) => {
    org = await tenant()
    owner = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'owner')
    editor = await colleague(owner, 'editor')
    viewer = await colleague(owner, 'viewer')
    if (!isBilled) return
    const of = (n: number, name = `s${n}`) => ({ resourceUid: `r${n}`, serviceName: name })
    await org.publish(billingLine, [
      ...Array.from({ length: 11 }, (_, i) => line(-10, (i + 1) * 10, of(i + 1))),
      line(-10, 120.5, of(12, '=<b>1&2</b>')),
      line(-40, 60, of(11)),
    ])
  }

  const send = async ({ accessToken: token }: Founder, method: string, path: string, body?: unknown) => {
    const answer = await ask(method, path, { token, ...(body !== undefined && { body }) })
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.lessThan(300)
    return answer.body?.data
  }
  const mailsEver = async (): Promise<Mail[]> => {
    const text = await readFile(outboxFile(org.connections.settings.dataDir), 'utf8').catch(() => '')
    return text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((one) => JSON.parse(one) as Mail)
  }
  const mails = async () => (await mailsEver()).slice(earlier)
  const to = async ({ email }: { email: string }) =>
    (await mails()).filter((mail) => mail.to === email && /^(Services|Your scheduled report)/.test(mail.subject))
  const saved = (who: Founder, more: object = {}) =>
    send(who, 'POST', '/saved-views', { name: 'Services', view: 'costs', query, shared: 'organization', ...more })
  const weekly = { every: 'week', weekday: 1, hour: 8, timezone: 'Europe/Berlin' }
  const scheduled = async (who: Founder, recipients: readonly string[], more: object = {}) => {
    const view = await saved(owner, more)
    const path = `/saved-views/${view.id}/schedules`
    const { id } = await send(who, 'POST', path, { ...weekly, recipients })
    return { id, one: `${path}/${id}`, shown: async () => (await send(who, 'GET', path))[0] }
  }
  /** Makes it due a minute ago, and mails what is due. */
  const run = () => send(owner, 'POST', '/internal/jobs/report-mailing/run', { orgId: org.orgId })
  const due = async (id: string) => {
    await org.connections.store.pool.query(
      `update report_schedule set next_due_at = date_trunc('minute', now()) - interval '1 minute' where id = $1`,
      [id],
    )
    await run()
  }
  const settledMails = (shown: () => Promise<any>) =>
    until('the mails', async () => (await shown()).last?.mails.every(({ state }: any) => state !== 'waiting'))

  describe('of one organization', () => {
    before(() => people())
    beforeEach(async () => void (earlier = (await mailsEver()).length))

    it('say the total beside before, the ten dearest, unusual days and how fresh they are, as the API has them; the file adds up to the total', async () => {
      const found = { type: 'resource', key: 'r12', cloudAccountId: 'acct-1', date: '2026-03-15' } as const
      await org.publish(anomalyFound, [{ ...anomalyFound.examples[0]!, ...found }])
      const view = await saved(viewer, { shared: 'me' })
      expect(await send(viewer, 'POST', `/saved-views/${view.id}/test`)).to.deep.equal({ sentTo: viewer.email })
      await until('the test', async () => (await to(viewer)).length === 1)
      const [mail] = await to(viewer)
      expect(mail!.subject).to.equal('Services: $780.50, 2026-03-01 to 2026-03-31')
      expect(mail!.headers).to.equal(undefined)
      const [head, total, groups, more, unusual, fresh, link] = mail!.text.split('\n\n')
      expect(head!.split('\n')[1]).to.match(/^“test .*”, 2026-03-01 to 2026-03-31$/)
      expect(total).to.equal('Total: $780.50\n+$720.50 (+1200.83%) vs $60.00 from 2026-02-01 to 2026-02-28')
      expect(groups!.split('\n')).to.deep.equal([
        'By service:',
        '- =<b>1&2</b>: $120.50, +$120.50 (new)',
        '- s11: $110.00, +$50.00 (+83.33%)',
        ...[100, 90, 80, 70, 60, 50, 40, 30].map((usd) => `- s${usd / 10}: $${usd}.00, +$${usd}.00 (new)`),
      ])
      expect(more).to.equal('And 2 more: the attached file has the top 50 by cost and the total of all others.')
      expect(unusual).to.match(/^Anomalies:\n- 2026-03-15, .*: \$[\d.]+, \$[\d.]+ expected\. /)
      expect(fresh).to.equal(
        'Bills are available through 2026-03-10. All figures are billed cost in US dollars, days in UTC.',
      )
      expect(link).to.equal(`Open in Tidemark: ${org.url}/console/costs?${query}\n`)
      expect(mail!.html)
        .to.include('=&lt;b&gt;1&amp;2&lt;/b&gt;')
        .and.not.match(/<(?:img|script|link|style)|<b>/)
      const [file] = mail!.attachments!
      expect([file!.filename, file!.contentType]).to.deep.equal([
        'costs_2026-03-01_2026-03-31.csv',
        'text/csv; charset=utf-8',
      ])
      const lines = file!.content.trim().split('\r\n')
      expect(lines.slice(0, 3)).to.deep.equal([
        'service_name,label,cost_usd,previous_usd,delta_usd,delta_percent',
        "'=<b>1&2</b>,'=<b>1&2</b>,120.5,0,120.5,",
        's11,s11,110,60,50,83.33',
      ])
      expect(lines.slice(1).reduce((sum, one) => sum + Number(one.split(',')[2]), 0)).to.equal(780.5)
    })

    it('are mailed once a due moment to each recipient, however often and by however many it is looked for', async () => {
      const schedule = await scheduled(editor, [viewer.email, editor.email])
      await due(schedule.id)
      await Promise.all(Array.from({ length: 8 }, run))
      await settledMails(schedule.shown)
      expect([(await to(viewer)).length, (await to(editor)).length]).to.deep.equal([1, 1])
      const { last, nextDueAt } = await schedule.shown()
      expect(last.mails).to.deep.equal([
        { email: viewer.email, state: 'sent', message: '' },
        { email: editor.email, state: 'sent', message: '' },
      ])
      expect(last.reason).to.equal('')
      expect(Date.parse(nextDueAt)).to.be.above(Date.now())
    })

    it('on a dashboard come in one mail: each with its figures and its file, and why others have none', async () => {
      const ids: string[] = []
      for (const more of [{ name: 'March' }, { name: 'Tags', view: 'tags' }, { name: 'Two' }])
        ids.push((await saved(viewer, { shared: 'me', ...more })).id)
      const board = await send(viewer, 'POST', '/dashboards', { name: 'Services on Monday', viewIDs: ids })
      const path = `/dashboards/${board.id}/schedules`
      const { id } = await send(viewer, 'POST', path, { ...weekly, recipients: [viewer.email] })
      await due(id)
      await settledMails(async () => (await send(viewer, 'GET', path))[0])
      const [mail, ...others] = await to(viewer)
      expect(others).to.deep.equal([])
      expect(mail!.subject).to.equal('Services on Monday: March, 2026-03-01 to 2026-03-31 $780.50')
      const parts = mail!.text.split('\n\n')
      expect(parts.filter((part) => part.startsWith('== '))).to.deep.equal([
        '== March, 2026-03-01 to 2026-03-31 ==',
        '== Two, 2026-03-01 to 2026-03-31 ==',
      ])
      expect(parts[3]!.split('\n').length).to.equal(6)
      expect(parts).to.include('Without figures:\n- Tags: This view cannot be sent by email.')
      expect(parts).to.include(`Open the dashboard: ${org.url}/console/dashboards?dashboard=${board.id}`)
      expect(mail!.attachments!.map(({ filename }) => filename)).to.deep.equal([
        '1_costs_2026-03-01_2026-03-31.csv',
        '2_costs_2026-03-01_2026-03-31.csv',
      ])
      expect(mail!.headers).to.have.property('List-Unsubscribe')
    })

    deepIt('say at the schedule why a view cannot be made, and hold no other', async () => {
      const broken = await scheduled(editor, [viewer.email], { name: 'Broken', query: 'dims=nonsense' })
      const fine = await scheduled(editor, [viewer.email], { name: 'Services that work' })
      for (const { id } of [broken, fine]) await due(id)
      await settledMails(fine.shown)
      expect((await to(viewer)).length).to.equal(1)
      const { last, isOn, nextDueAt } = await broken.shown()
      expect([last.mails, isOn, Date.parse(nextDueAt) > Date.now()]).to.deep.equal([[], true, true])
      expect(last.reason).to.match(/dims/)
    })

    for (const view of ['overview', 'teams', 'anomalies'])
      deepIt(`have something to say of ${view}`, async () => {
        const { id } = await saved(viewer, { name: `Services by ${view}`, shared: 'me', view, query: 'range=12m' })
        await send(viewer, 'POST', `/saved-views/${id}/test`)
        await until('the test', async () => (await to(viewer)).length === 1)
        const { costUSD } = (await send(viewer, 'GET', '/reports/costs/series?granularity=monthly')).total
        expect(costUSD).to.be.a('number')
        expect((await to(viewer))[0]!.text).to.include('Total: $')
      })
  })

  describe('of people who change', () => {
    beforeEach(() => people(false))

    it('are of what the person may see at that moment', async () => {
      const roleID = (
        await send(owner, 'POST', '/roles', {
          name: 'One account',
          permissions: ['service.view'],
          reportScope: { all: false, cloudAccountIDs: ['acct-2'], teamIDs: [] },
        })
      ).id
      await org.publish(billingLine, [
        line(-10, 780.5),
        line(-10, 7, { cloudAccountId: 'acct-2', resourceUid: 'x', serviceName: 'sx' }),
      ])
      const schedule = await scheduled(editor, [viewer.email])
      await due(schedule.id)
      await until('the first', async () => (await to(viewer)).length === 1)
      await send(owner, 'PATCH', `/members/${editor.userId}`, { roleID })
      await due(schedule.id)
      await until('the second', async () => (await to(viewer)).length === 2)
      expect((await to(viewer)).map(({ subject }) => subject)).to.deep.equal([
        'Services: $787.50, 2026-03-01 to 2026-03-31',
        'Services: $7.00, 2026-03-01 to 2026-03-31',
      ])
    })

    it('end for whoever follows the link, of this report alone; whoever is no member any more gets none', async () => {
      const schedule = await scheduled(owner, [viewer.email, editor.email, 'cfo@partner.example'])
      await due(schedule.id)
      await settledMails(schedule.shown)
      const [mail] = await to(viewer)
      expect(mail!.headers!['List-Unsubscribe-Post']).to.equal('List-Unsubscribe=One-Click')
      const link = /^<(.*)>$/.exec(mail!.headers!['List-Unsubscribe']!)![1]!
      expect(mail!.text).to.include(link)
      expect((await fetch(link)).status).to.equal(200)
      const unsubscribed = async () =>
        (await schedule.shown()).recipients.filter((one: any) => one.unsubscribed).map(({ email }: any) => email)
      expect(await unsubscribed(), 'a look changes nothing').to.deep.equal([])
      const forged = link.replace('token=', 'token=x')
      expect((await fetch(forged, { method: 'POST' })).status).to.equal(404)
      for (let n = 0; n < 2; n++) expect((await fetch(link, { method: 'POST' })).status).to.equal(200)
      expect(await unsubscribed()).to.deep.equal([viewer.email])
      await send(owner, 'PATCH', schedule.one, { recipients: [viewer.email, editor.email, 'cfo@partner.example'] })
      await send(owner, 'DELETE', `/members/${editor.userId}`)
      await due(schedule.id)
      await settledMails(schedule.shown)
      expect((await schedule.shown()).last.mails.map(({ email, state }: any) => [email, state])).to.deep.equal([
        [viewer.email, 'unsubscribed'],
        [editor.email, 'left'],
        ['cfo@partner.example', 'sent'],
      ])
      expect([(await to(viewer)).length, (await to(editor)).length]).to.deep.equal([1, 1])
    })

    it('are not sent for who has lost the right or left: the schedule is switched off, and they are told why once', async () => {
      const { id: roleID } = await send(owner, 'POST', '/roles', {
        name: 'Inventory',
        permissions: ['space.view'],
        reportScope: { all: true, cloudAccountIDs: [], teamIDs: [] },
      })
      const view = await saved(owner)
      const path = `/saved-views/${view.id}/schedules`
      const make = async (who: Founder) => (await send(who, 'POST', path, { ...weekly, recipients: [owner.email] })).id
      const [lost, left] = [await make(editor), await make(viewer)]
      await send(owner, 'PATCH', `/members/${editor.userId}`, { roleID })
      await send(owner, 'DELETE', `/members/${viewer.userId}`)
      for (const id of [lost, left]) await due(id)
      await run()
      for (const who of [editor, viewer]) await until('word', async () => (await to(who)).length > 0)
      const shown = (await send(owner, 'GET', path)).map((one: any) => [
        one.id,
        one.isOn,
        one.nextDueAt,
        one.last.mails,
      ])
      expect(shown).to.deep.equal([
        [lost, false, null, []],
        [left, false, null, []],
      ])
      expect(
        (await to(editor)).map(({ text }) => text.includes('does not have the permission service.view')),
      ).to.deep.equal([true])
      expect((await to(viewer)).map(({ text }) => text.includes('has left the organization'))).to.deep.equal([true])
      expect(await to(owner)).to.deep.equal([])
    })
  })
})
