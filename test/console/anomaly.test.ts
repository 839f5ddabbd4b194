// tier: deep
import { expect } from 'chai'
import { dayText } from '#http/console/web/day.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { anomalies, day, detect, line, publish } from '#test/harness/anomaly.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import type { BillingLine } from '#streams/billing/messages.ts'

const month = `from=${day(-29)}&to=${day(0)}`

/** So many hours at a dollar each on a day. */
const used = (offset: number, hours: number, more: Partial<BillingLine> = {}) =>
  line(offset, hours, { usageHours: hours, hourlyRateUSD: 1, ...more })
/** The fourteen days before, the same on each, and the day itself. */
const fortnight = (hours: number, then: number, more: Partial<BillingLine> = {}) => [
  ...Array.from({ length: 14 }, (_, at) => used(at - 14, hours, more)),
  used(0, then, more),
]

describeConsole('the console: anomalies', () => {
  let org: Tenant
  let seen: Seen

  before(async () => {
    org = await tenant()
    // r1 rises by 14 because nobody stopped it, r3 of another account by 12; r2 stays as it is.
    await publish(org, [
      ...fortnight(10, 24),
      ...fortnight(5, 5, { resourceUid: 'r2' }),
      ...fortnight(8, 20, { resourceUid: 'r3', cloudAccountId: 'acct-2' }),
    ])
    const stop = { org_id: org.orgId, resource_uid: 'r1', action: 'stop', event_id: 'e1', x_Version: '1' }
    await org.put('scheduler_event', [
      { ...stop, triggered_at: `${day(0)} 18:00:00.000`, schedule_id: 'nights', status: 'failed' },
    ])
    await detect(org)
    seen = await look(org)
  })
  after(() => seen?.close())

  const stories = () => seen.page.locator('.stories > li')
  const panel = (title: string, of = seen) => of.page.locator(`section.panel[aria-label="${title}"]`)
  const idOf = async (key: string): Promise<string> =>
    (await anomalies(org, '&type=resource')).find(({ anomalyKey }) => anomalyKey === key).id
  const said = async (key: string) =>
    (await anomalies(org, '&type=resource')).find(({ anomalyKey }) => anomalyKey === key).review

  it('lists causes by dollars of excess, with the figures of the API', async () => {
    await seen.open(`anomalies?${month}`)
    const { body } = await org.get(`/reports/anomalies?${month}&fold=story&sort_by=excess`)
    expect(body.data.items.map((one: any) => [one.label, one.excessUsd, one.deviationPercent])).to.deep.equal([
      ['r1', 14, 140],
      ['r3', 12, 150],
    ])
    expect(await stories().locator('.what').allTextContents()).to.deep.equal(['r1', 'r3'])
    expect(await stories().locator('.end').allTextContents()).to.deep.equal(['+$14.00 +140%', '+$12.00 +150%'])
    expect(await stories().locator('.cause').first().textContent()).to.equal(body.data.items[0].rootCause)
    expect(await stories().locator('.badge').allTextContents()).to.deep.equal(['critical', 'open', 'critical', 'open'])
    expect(seen.faults).to.deep.equal([])
  })

  it('leads from an anomaly to its cause, to the resource behind it, and to the lines that sum to its cost', async () => {
    await stories().getByRole('link', { name: 'r1', exact: true }).click()
    await panel('Explanation').waitFor()
    await settled(seen.page)
    expect(new URL(seen.page.url()).searchParams.get('anomaly')).to.equal(await idOf('r1'))
    expect(await seen.page.locator('.sentence').textContent()).to.match(/^Schedule failure: .*14\.00 of the 14\.00/)
    expect(await panel('Activity on these resources').locator('.note').textContent()).to.equal(
      'Schedule nights should have stopped r1 but did not.',
    )
    const row = panel('Explanation').locator('tbody tr')
    expect(await row.locator('td').allTextContents()).to.deep.equal(['r1', '$24.00', '+$14.00', ''])
    await row.locator('a.amount').click()
    await seen.page.waitForSelector('.receipt output')
    await settled(seen.page)
    expect(await seen.page.locator('.receipt output').textContent()).to.equal('24 USD')
    expect(await seen.page.locator('.receipt .note').count()).to.equal(0)
    await seen.page.keyboard.press('Escape')
    await seen.page.waitForSelector('dialog', { state: 'detached' })
    expect(seen.faults).to.deep.equal([])
  })

  it('shows the rows of the same cause, each with its own dollars, and is there again when the page is loaded anew', async () => {
    await seen.page.reload()
    await settled(seen.page)
    const rows = panel('Rows of the same cause').locator('tbody tr')
    const { label } = (await anomalies(org, '&type=cloud_account')).find(({ anomalyKey }) => anomalyKey === 'acct-1')
    const own = (await anomalies(org, '&type=org'))[0]
    // acct-1: 15 a day and 29 then; all: 23 and 49.
    expect(await rows.locator('td:nth-child(2) .clip').allTextContents()).to.deep.equal(['r1', label, own.label])
    expect(await rows.locator('td:nth-child(4)').allTextContents()).to.deep.equal(['+$14.00', '+$14.00', '+$26.00'])
  })

  it('is acknowledged with a note, which everybody sees at once, and is taken back', async () => {
    const other = await look(org)
    await other.open(`anomalies?${month}&anomaly=${await idOf('r1')}`)
    await other.page.waitForSelector('.live.live')
    const form = panel('Review')
    await form.getByLabel('Note (visible to everyone who can see this anomaly)').fill('I look at <b>nights</b>')
    await form.getByRole('button', { name: 'Acknowledge' }).click()
    await form.getByText('set by you').waitFor()
    expect(await said('r1')).to.include({ state: 'acknowledged', note: 'I look at <b>nights</b>' })
    await panel('Review', other).getByText('set by someone else').waitFor()
    expect(await panel('Review', other).locator('blockquote').textContent()).to.equal('I look at <b>nights</b>')
    await form.getByRole('button', { name: 'Clear status' }).click()
    await form.locator('.badge', { hasText: 'open' }).waitFor()
    expect(await said('r1')).to.equal(undefined)
    expect([...seen.faults, ...other.faults]).to.deep.equal([])
    await other.close()
  })

  it('keeps what is typed while another says something, and what the API refuses', async () => {
    const id = await idOf('r3')
    const person = await look(org, { expected: /400.*\/review/ })
    await person.open(`anomalies?${month}&anomaly=${id}`)
    await person.page.waitForSelector('.live.live')
    const form = panel('Review', person)
    const note = form.getByLabel('Note (visible to everyone who can see this anomaly)')
    await note.fill('Load tests')
    await org.send('PUT', `/reports/anomalies/${id}/review`, { state: 'acknowledged', note: 'Mine' })
    await form.getByText('In the meantime').waitFor()
    expect(await note.inputValue()).to.equal('Load tests')
    // Past the bounds of the field, as somebody may send who has no such field.
    await form.locator('form').evaluate((one: any) => Object.assign(one, { noValidate: true }))
    await form.getByLabel('Expected until').fill(day(-1))
    await form.getByRole('button', { name: 'Mark as expected' }).click()
    await form.locator('.failed li', { hasText: `must not be before ${day(0)}` }).waitFor()
    expect([await note.inputValue(), (await said('r3')).state]).to.deep.equal(['Load tests', 'acknowledged'])
    await form.getByLabel('Expected until').fill(day(300))
    await form.getByRole('button', { name: 'Mark as expected' }).click()
    await form.locator('.badge', { hasText: 'expected until' }).waitFor()
    expect(await said('r3')).to.include({ state: 'expected', until: day(300), note: 'Load tests' })
    expect(await note.inputValue()).to.equal('')
    expect(person.faults).to.deep.equal([])
    await person.close()
  })

  it('tells a viewer which right is missing', async () => {
    const viewer = await look(org, { role: 'viewer' })
    await viewer.open(`anomalies?${month}&anomaly=${await idOf('r1')}`)
    const form = panel('Review', viewer)
    expect(await form.locator('.note code').textContent()).to.equal('service.update')
    expect(await form.getByRole('button', { name: 'Acknowledge' }).isDisabled()).to.equal(true)
    expect(viewer.faults).to.deep.equal([])
    await viewer.close()
  })

  it('says which filter leaves everything out, and how many there are without it', async () => {
    await seen.open(`anomalies?${month}&type=resource&min_usd=13&severity=warning`)
    const removes = seen.page.getByRole('button', { name: /^Remove filter/ })
    await removes.nth(2).waitFor()
    await settled(seen.page)
    expect(await removes.allTextContents()).to.deep.equal([
      'Remove filter: 1 cause',
      'Remove filter: still nothing',
      'Remove filter: still nothing',
    ])
    await removes.first().click()
    await stories().first().waitFor()
    expect(await stories().locator('.what').allTextContents()).to.deep.equal(['r1'])
    expect(new URL(seen.page.url()).searchParams.get('severity')).to.equal(null)
  })

  it('says how many days were judged where nothing was unusual, and that there are no bills where none are', async () => {
    await seen.open(`anomalies?from=${day(-29)}&to=${day(-1)}`)
    // Of fourteen days in a row the first four have fewer than four before them.
    await seen.page.getByText(/^10 days evaluated, starting /).waitFor()
    await seen.open('anomalies?from=2025-01-01&to=2025-01-31')
    await seen.page.getByText(/^No bills for /).waitFor()
    expect(seen.faults).to.deep.equal([])
  })

  it('stands on the overview with its dollars, its cause and the way to it, until somebody has looked at it', async () => {
    const fresh = await tenant()
    const today = dayOf(new Date(fresh.connections.clock.now()))
    const on = (back: number, hours: number) => {
      const usageDate = addDays(today, -back)
      return used(0, hours, { usageDate, lineId: `${usageDate}/r1` })
    }
    await publish(fresh, [...Array.from({ length: 7 }, (_, at) => on(at + 2, 10)), on(1, 24)])
    await detect(fresh, addDays(today, -1))
    const person = await look(fresh)
    const rows = panel('Anomalies', person).locator('.stories > li')
    expect(await rows.locator('.end').allTextContents()).to.deep.equal(['+$14.00 +140%'])
    expect(await rows.locator('.cause').textContent()).to.match(
      /^Usage spike: usage of r1 was 24 h, up from 10 h a day/,
    )
    const tile = person.page.locator('.tile', { hasText: 'Open anomalies' })
    expect(await tile.locator('.big').textContent()).to.equal('1')
    expect(await tile.locator('.small').textContent()).to.equal(
      `latest ${dayText(addDays(today, -1))}: $14.00 above expected`,
    )
    await rows.getByRole('link', { name: 'r1' }).click()
    await person.page.locator('.sentence').waitFor()
    await panel('Review', person).getByRole('button', { name: 'Acknowledge' }).click()
    await panel('Detected anomalies', person).getByText('No anomalies in this period match these filters.').waitFor()
    await person.open('')
    await person.page.getByText('No open anomalies.').waitFor()
    expect(await tile.locator('.big').textContent()).to.equal('0')
    expect(person.faults).to.deep.equal([])
    await person.close()
  })

  it('shows one to all: axe-core, and 360 px without sideways scroll, in both themes', async () => {
    for (const theme of ['light', 'dark'] as const) {
      const narrow = await look(org, { theme, width: 360 })
      await narrow.open(`anomalies?${month}&anomaly=${await idOf('r1')}`)
      const beyond = await narrow.page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement
        return scrollWidth - clientWidth
      })
      expect([beyond, await findings(narrow.page), narrow.faults]).to.deep.equal([0, [], []])
      await narrow.close()
    }
  })
})
