import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { asService } from '#http/store/tenant.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { deepConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { portionsOf } from '#http/console/web/view/inventory/portion.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { until } from '#test/harness/product.ts'

const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

const script = '<script>alert(1)</script>'
const rtl = 'خادم الويب'
const long = 'n'.repeat(1024)

describe('what stands beside resources', () => {
  it('is asked for in as many addresses as hold their uids', () => {
    expect(portionsOf([])).to.deep.equal([[]])
    expect(portionsOf(['a', 'b', 'a'])).to.deep.equal([['a', 'b']])
    // 3,030 bytes each: the second does not fit beside the first, one alone always does.
    const [one, two, huge] = ['x'.repeat(3000), 'y'.repeat(3000), 'ü'.repeat(2000)]
    expect(portionsOf([one, two, huge])).to.deep.equal([[one], [two], [huge]])
  })
})

deepConsole('the console: inventory', () => {
  let org: Fleet
  let seen: Seen
  const today = new Date().toISOString().slice(0, 10)

  before(async () => {
    org = await fleet()
    await org.discover(['web-1', 'web-2'], 'running', { hourlyRateUSD: 0.25, tags: { env: 'prod' } })
    await org.discover(['odd-1'], 'running', { name: script })
    await org.discover(['odd-2'], 'running', { name: rtl })
    await org.discover([long], 'running', { name: long })
    await org.publish(resourceDiscovered, [
      {
        resourceUid: 'store',
        name: 'store',
        type: 'aws-s3-bucket',
        provider: 'aws',
        cloudAccountId: org.accountId,
        region: 'eu',
      },
    ])
    const line = {
      cloudAccountId: org.accountId,
      provider: 'aws' as const,
      resourceUid: 'web-1',
      resourceType: 'aws-ec2',
      serviceName: 'compute',
      region: 'us-east-1',
      usageDate: today,
      exportedAt: `${today}T00:00:00Z`,
    }
    await org.publish(billingLine, [
      { ...line, lineId: 'l-1', costUSD: '12.34' },
      { ...line, lineId: 'l-2', costUSD: '0.66' },
    ])
    seen = await look(org)
  })
  after(async () => {
    await seen?.close()
    await org?.end()
  })

  it('finds a resource by a part of its name, with the cost that the API says, and its receipt', async () => {
    const { page } = seen
    await seen.open('inventory')
    await page.getByRole('searchbox').fill('OF WEB-1')
    await page.waitForFunction(() => location.search.includes('search=OF'))
    await settled(page)
    const rows = page.getByRole('table', { name: 'Resources' }).locator('tbody tr')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
    await settled(page)
    expect(await rows.first().textContent()).to.match(
      /name of web-1.*aws-ec2.*running.*Production.*unassigned.*\$13\.00/,
    )
    await page.getByRole('link', { name: 'name of web-1', exact: true }).click()
    await page.getByRole('heading', { name: 'name of web-1', level: 1 }).waitFor()
    await settled(page)
    const series = await org.get(`/reports/costs/series?from=${today}&to=${today}&filter[resource_uid]=web-1`)
    expect(series.body.data.total.costUSD).to.equal(13)
    await page.getByRole('link', { name: 'Cost of this period $13.00: show receipt' }).click()
    await page.getByRole('dialog').getByText('Sum of 2 lines').waitFor()
    expect(await page.getByRole('dialog').locator('output').textContent()).to.equal('13 USD')
    expect(seen.faults).to.deep.equal([])
  })

  it('says what a stop does, saves and undoes, stops the machine and shows it stop, then starts it again', async () => {
    const { page } = seen
    await seen.open(`resource?uid=web-2`)
    const panel = page.getByRole('region', { name: 'Start and stop' })
    for (const [verb, state, said] of [
      ['Stop', 'stopped', 'Stopped.'],
      ['Start', 'running', 'Started.'],
    ] as const) {
      await panel.getByRole('button', { name: `${verb}…` }).click()
      const sure = page.getByRole('dialog')
      const text = await sure.textContent()
      expect(text).to.include('name of web-2 (aws-ec2, Production, us-east-1)').and.include('To undo')
      expect(text).to.include(verb === 'Stop' ? 'Saves $0.25 an hour' : 'Costs $0.25 an hour')
      await sure.getByRole('button', { name: verb }).click()
      await panel.getByText(said).waitFor()
      await panel.locator('> p .badge', { hasText: state }).waitFor()
      expect((await org.get('/resources/by-uids?uids=web-2')).body.data[0].status).to.equal(state)
    }
    expect(org.calls().filter((call) => call.endsWith('web-2'))).to.deep.equal(['stop web-2', 'start web-2'])
    const happened = page.getByRole('table', { name: 'Events' })
    await happened.getByText('Done: running.').waitFor()
    expect(seen.faults).to.deep.equal([])
  })

  it('keeps a machine in a state until a time, and ends that', async () => {
    const { page } = seen
    await seen.open('resource?uid=web-1')
    await page.getByRole('button', { name: 'New override…' }).click()
    await page.getByLabel('State', { exact: true }).selectOption('stopped')
    await page.getByLabel('Reason (visible to others)').fill('Nobody needs it')
    await page.getByRole('button', { name: 'Keep stopped' }).click()
    await page.getByText('Nobody needs it').waitFor()
    const list = async () => (await org.get('/overrides?active=true')).body.data
    expect((await list()).map(({ scopeID, desiredState }: any) => [scopeID, desiredState])).to.deep.equal([
      ['web-1', 'stopped'],
    ])
    await page.getByRole('button', { name: 'End this override' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End override' }).click()
    await page.getByText('None: schedules apply.').waitFor()
    expect(await list()).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('says why what cannot be stopped cannot', async () => {
    await seen.open('resource?uid=store')
    await seen.page.getByText('A resource of type aws-s3-bucket cannot be started or stopped').waitFor()
    expect(await seen.page.getByRole('button', { name: 'Stop…' }).count()).to.equal(0)
  })

  it('shows names with markup, from right to left and of 1,024 letters, without sideways scroll', async () => {
    const narrow = await look(org, { width: 360, theme: 'dark' })
    for (const place of ['inventory', 'resource?uid=odd-1', 'resource?uid=odd-2', `resource?uid=${long}`, 'live']) {
      await narrow.open(place)
      expect(await sideways(narrow.page), place).to.equal(0)
      expect(await findings(narrow.page), place).to.deep.equal([])
    }
    await narrow.open('inventory')
    const names = await narrow.page
      .getByRole('table', { name: 'Resources' })
      .locator('tbody tr a.clip[href^=resource]')
      .allTextContents()
    expect(names).to.include.members([script, rtl, long])
    expect(narrow.faults).to.deep.equal([])
    await narrow.close()
  })

  it('keeps its filters and its page in the address', async () => {
    const { page } = seen
    await seen.open('inventory?type=aws-s3-bucket&sort_by=updated_at')
    expect(await page.getByRole('table', { name: 'Resources' }).locator('tbody tr').count()).to.equal(1)
    await page.getByRole('button', { name: 'Remove Type aws-s3-bucket' }).click()
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 6)
    await page.getByLabel('Filter Provider').selectOption('tag')
    await page.getByRole('combobox', { name: 'KEY or KEY:VALUE' }).fill('env:prod')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 2)
    expect(new URL(page.url()).search).to.equal('?sort_by=updated_at&tag=env%3Aprod')
    await seen.open('inventory?search=nothing+like+it')
    await page.getByText('No resources match these filters.').waitFor()
    expect(seen.faults).to.deep.equal([])
  })

  it('shows a page of 50,000 resources at once, the last one too', async () => {
    const { page } = seen
    const copies = `INSERT INTO resource SELECT copy.* FROM generate_series(?::int, ?::int) AS n, resource AS r,
      LATERAL jsonb_populate_record(r, jsonb_build_object(
        'uid', 'bulk-' || n, 'id', gen_random_uuid(), 'name', 'bulk ' || lpad(n::text, 5, '0'))) AS copy
      WHERE r.org_id = ? AND r.uid = 'web-1'`
    for (let from = 1; from < 50_000; from += 2_500)
      await asService(() => org.connections.orm.em.fork().execute(copies, [from, from + 2_499, org.orgId]))
    await seen.open('inventory?search=bulk&page=1000')
    await page.getByText('49951–50000 of 50000').waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(50)
    expect(await page.getByRole('link', { name: 'bulk 50000', exact: true }).count()).to.equal(1)
    await page.getByRole('button', { name: 'Name' }).click()
    await page.getByRole('link', { name: 'bulk 50000', exact: true }).waitFor()
    await page.getByText('1–50 of 50000').waitFor()
    await seen.open('inventory?page=2000')
    await page.getByRole('button', { name: 'Go to first page' }).waitFor()
    expect(seen.faults).to.deep.equal([])
  })

  it('tells a viewer which right he lacks', async () => {
    const viewer = await look(org, { role: 'viewer' })
    await viewer.open('resource?uid=web-1')
    const panel = viewer.page.getByRole('region', { name: 'Start and stop' })
    expect(await panel.getByRole('button', { name: 'Stop…' }).isDisabled()).to.equal(true)
    expect(await panel.textContent()).to.include('requires service.create')
    expect(viewer.faults).to.deep.equal([])
    await viewer.close()
  })

  it('tells events as they come, holds them while it is paused, and how fresh bills are', async () => {
    const { page } = seen
    await seen.open('live')
    await page.getByText('changes appear here immediately').waitFor()
    const table = page.getByRole('table', { name: 'Events' })
    await org.discover(['web-9'])
    await table.getByText('inventory.changed').first().waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    const before = await table.locator('tbody tr').count()
    await org.discover(['web-10'])
    await page.getByText(/[1-9]\d* events? since then/).waitFor()
    expect(await table.locator('tbody tr').count()).to.equal(before)
    await page.getByRole('button', { name: 'Resume' }).click()
    await until('they are shown', async () => (await table.locator('tbody tr').count()) > before)
    const fresh = page.getByRole('table', { name: 'Freshness by account' })
    expect(await fresh.locator('tbody tr').count()).to.equal(1)
    expect(seen.faults).to.deep.equal([])
  })
})
