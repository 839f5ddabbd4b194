// tier: deep
/** The first case, of a view that is saved and led to, is in `npm test` too: test/console/costs.test.ts. */
import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { outboxFile } from '#config/wiring/services.ts'
import { dayOf } from '#engine/value/day.ts'
import { describeConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { sendLoneLines } from '#test/harness/delivery.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

describeConsole('the console: saved views', () => {
  let org: Tenant
  let seen: Seen
  const name = 'Weekly <script>alert(1)</script> خدمات'

  before(async () => {
    org = await tenant()
    const at = new Date(org.connections.clock.now())
    await sendLoneLines(org, [
      [dayOf(at), 'i-1', 12],
      [dayOf(at), 'i-2', 30, { serviceName: 'database' }],
    ])
    seen = await look(org, { expected: /40[039]/ })
  })
  after(() => seen?.close())

  const button = (label: string) => seen.page.getByRole('button', { name: label, exact: true })
  const menu = () => seen.page.getByRole('navigation', { name: 'Views' })
  const mails = async (): Promise<any[]> => {
    const text = await readFile(outboxFile(org.connections.settings.dataDir), 'utf8').catch(() => '')
    return text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object)
  }

  it('saves the view that is shown under a name, and leads to it from the menu', async () => {
    await seen.move('costs?range=month&dims=service_name')
    await button('Save view').click()
    await seen.page.getByRole('dialog').getByLabel('Name').fill(name)
    await seen.page.getByLabel('Visible to').selectOption('organization')
    await button('Save').click()
    await button('Done').click()
    await seen.move('')
    await menu().getByRole('link', { name }).click()
    await settled(seen.page)
    expect(new URL(seen.page.url()).search).to.equal('?range=month&dims=service_name')
    expect(await seen.page.locator('.costs-total .big').textContent()).to.equal('$42.00')
    const { body } = await org.get('/saved-views')
    expect(body.data.map(({ name }: { name: string }) => name)).to.deep.equal([name])
    expect(seen.faults).to.deep.equal([])
  })

  it('says what is wrong with a name in place, keeps what was typed, and saves it mended', async () => {
    await button('Save view').click()
    await seen.page.getByRole('dialog').getByLabel('Name').fill(name)
    await seen.page.getByLabel('Visible to').selectOption('organization')
    await button('Save').click()
    await seen.page.getByRole('alert').waitFor()
    expect(await seen.page.getByRole('dialog').getByLabel('Name').inputValue()).to.equal(name)
    await seen.page.getByRole('dialog').getByLabel('Name').fill('Mine')
    await seen.page.getByLabel('Visible to').selectOption('me')
    await button('Save').click()
    await button('Done').click()
    expect(await menu().getByRole('link', { name: 'Mine' }).count()).to.equal(1)
    expect(seen.faults).to.deep.equal([])
  })

  it('mails it to whoever asks for a test, and by a schedule; what became of it stands there', async () => {
    await seen.open('saved')
    await button(`Email ${name}`).click()
    await button('Send me a test').click()
    await seen.page.getByText('Sent to').waitFor()
    const email = (await seen.page.locator('.who .pop p').first().textContent())!
    const own = async () => (await mails()).filter(({ to }) => to === email)
    await until('the test', async () => (await own()).length === 1)
    expect((await own())[0].text).to.include('Total: $42.00')
    await button('New schedule').click()
    await seen.page.getByLabel('Time zone').fill('Mars/Olympus')
    await button('Create schedule').click()
    await seen.page.getByText('is not an IANA time zone').waitFor()
    await seen.page.getByLabel('Time zone').fill('Asia/Kathmandu')
    await button('Create schedule').click()
    await seen.page.locator('td', { hasText: 'Every Monday at 08:00, Asia/Kathmandu' }).waitFor()
    await org.connections.store.pool.query(
      `update report_schedule set next_due_at = now() - interval '1 minute' where org_id = $1`,
      [org.orgId],
    )
    const ran = await org.send('POST', '/internal/jobs/report-mailing/run', { orgId: org.orgId })
    expect(ran.status, JSON.stringify(ran.body)).to.equal(202)
    await until('the report', async () => (await own()).length === 2)
    await until('what became of it', async () => {
      await seen.open(new URL(seen.page.url()).pathname.split('/').at(-1)! + new URL(seen.page.url()).search)
      return (await seen.page.getByText('sent to 1 address').count()) === 1
    })
    expect(await findings(seen.page)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('says what it shows by the title of the view, and how a mail is had again that somebody wanted no more', async () => {
    await seen.open('allocation')
    await button('Save view').click()
    await seen.page.getByRole('dialog').getByLabel('Name').fill('Who pays')
    await button('Save').click()
    await button('Done').click()
    await seen.open('saved')
    const row = seen.page.getByRole('table', { name: 'Saved views' }).locator('tr', { hasText: 'Who pays' })
    expect(await row.locator('td').nth(1).textContent()).to.equal('Allocation rules')
    await button(`Email ${name}`).click()
    await seen.page.getByRole('table', { name: 'Schedules' }).waitFor()
    expect(await seen.page.getByText('opted out by email').count()).to.equal(0)
    await org.connections.store.pool.query(
      `update report_schedule set unsubscribed = jsonb_build_array(recipients -> 0 ->> 'email') where org_id = $1`,
      [org.orgId],
    )
    await seen.open('saved')
    await button(`Email ${name}`).click()
    await seen.page.locator('.badge', { hasText: 'unsubscribed' }).waitFor()
    await seen.page.getByText('create a new schedule with that address').waitFor()
    expect(seen.faults).to.deep.equal([])
  })

  it('renames and deletes it, having said what goes', async () => {
    await seen.open('saved')
    await button('Edit Mine').click()
    await seen.page.getByLabel('Name', { exact: true }).fill('Renamed')
    await button('Save').click()
    await menu().getByRole('link', { name: 'Renamed' }).waitFor()
    await button('Delete Renamed').click()
    await seen.page.getByText('It is removed from your menu').waitFor()
    await button('Delete view').click()
    await menu().getByRole('link', { name: 'Renamed' }).waitFor({ state: 'detached' })
    expect(seen.faults).to.deep.equal([])
  })
})
