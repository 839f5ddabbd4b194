import { jetstream } from '@nats-io/jetstream'
import { expect } from 'chai'
import { describeConsole, look, settled, type Seen } from '#test/console/browser.ts'
import { focusRow } from '#test/harness/bill-upload.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

/** Rows of one header as a CSV. */
const csvOf = (rows: readonly Record<string, string>[]): Buffer => {
  const names = Object.keys(rows[0]!)
  return Buffer.from([names.join(','), ...rows.map((row) => names.map((name) => row[name] ?? '').join(','))].join('\n'))
}

const file = (name: string, rows: readonly Record<string, string>[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: csvOf(rows),
})

describeConsole('the console: sources', () => {
  let org: Tenant
  let seen: Seen

  before(async () => {
    org = await tenant()
    seen = await look(org)
  })
  after(() => seen?.close())

  const send = async (account: string, files: ReturnType<typeof file>[]) => {
    await seen.open('sources?tab=bills')
    await seen.page.setInputFiles('input[type=file]', files)
    await seen.page.getByLabel('Account', { exact: true }).fill(account)
    await seen.page.getByRole('button', { name: 'Upload and preview' }).click()
    await seen.page.getByRole('button', { name: 'Apply…' }).waitFor()
    await settled(seen.page)
  }

  it('uploads the files of a bill, shows what is refused and why, and counts it once it is applied', async () => {
    const good = [focusRow('i-1', '40.5'), focusRow('i-2', '9.25')]
    const bad = [focusRow('i-3', 'much'), focusRow('i-4', '0.25')]
    await send('prod', [file('one.csv', good), file('<b>two.csv', bad)])
    const panel = seen.page.getByRole('region', { name: 'Upload preview' })
    expect(await panel.textContent()).to.include('4 rows: 3 accepted, 1 rejected')
    expect(await panel.getByRole('table', { name: 'Rejected rows, by reason' }).textContent()).to.include(
      '<b>two.csv line 2',
    )
    const period = await panel.getByRole('table', { name: 'Billing periods' }).locator('tbody tr').allTextContents()
    expect(period).to.have.length(1)
    expect(period[0]).to.match(/^September 2024.*none50 USD3 linesfirst bill$/)
    expect((await org.get('/reports/summary?period=2024-09')).body.data.totalCostUSD).to.equal(0)

    await panel.getByRole('button', { name: 'Apply…' }).click()
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await panel.getByText('shown in reports').waitFor()
    await until(
      'the report shows it',
      async () => (await org.get('/reports/summary?period=2024-09')).body.data.totalCostUSD === 50,
    )
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('says what a second bill replaces, and that it is less than half of it, before it is taken', async () => {
    await send('prod', [file('again.csv', [focusRow('i-1', '10')])])
    const panel = seen.page.getByRole('region', { name: 'Upload preview' })
    const [row] = await panel.getByRole('table', { name: 'Billing periods' }).locator('tbody tr').allTextContents()
    expect(row).to.match(/50 USD3 lines10 USD1 linereplaces the bill exported .*and is less than half of it$/)
    await panel.getByRole('button', { name: 'Apply…' }).click()
    expect(await seen.page.getByRole('dialog').textContent()).to.include(
      'Warning: it is less than half of the current bill.',
    )
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click()
    await panel.getByText('shown in reports').waitFor()
    await until(
      'the report shows it',
      async () => (await org.get('/reports/summary?period=2024-09')).body.data.totalCostUSD === 10,
    )
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('leads from the month of an upload to its costs', async () => {
    await seen.page.getByRole('link', { name: 'September 2024' }).click()
    await settled(seen.page)
    expect(new URL(seen.page.url()).search).to.equal('?from=2024-09-19&to=2024-09-19')
    await seen.page.getByText('$10.00').first().waitFor()
  })

  deepIt('removes a wrong bill, after which reports show the one before it [G-128]', async () => {
    await seen.open('sources?tab=bills')
    const bills = seen.page.getByRole('table', { name: 'Bills', exact: true })
    await bills.getByText('Shown in reports').waitFor()
    await seen.page
      .getByRole('button', { name: /^Remove bill .* for 2024-09$/ })
      .first()
      .click()
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await bills.getByText('Removed').waitFor()
    await until(
      'the report shows the bill before it',
      async () => (await org.get('/reports/summary?period=2024-09')).body.data.totalCostUSD === 50,
    )
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('names the account that is connected, and asks before it is disconnected', async () => {
    await seen.open('sources')
    await seen.page.getByRole('button', { name: 'Connect an account' }).click()
    await seen.page.getByLabel('Access level').selectOption('none')
    await seen.page.getByLabel('Name', { exact: true }).fill('Production')
    await seen.page.getByLabel('Account number, twelve digits').fill('sim-aws-production')
    await seen.page.getByRole('button', { name: 'Connect', exact: true }).click()
    await seen.page.getByRole('cell', { name: /^Production/ }).waitFor()
    await seen.page.getByRole('button', { name: 'Disconnect Production' }).click()
    expect(await seen.page.getByRole('dialog').textContent()).to.include('Its existing costs are kept')
    await seen.page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await seen.page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('keeps what was typed where the API refuses it, and says so at the field', async () => {
    const other = await look(org, { expected: /400|422/ })
    await other.open('sources')
    await other.page.getByRole('button', { name: 'Connect an account' }).click()
    await other.page.getByLabel('Access level').selectOption('none')
    await other.page.getByLabel('Name', { exact: true }).fill('x'.repeat(201))
    await other.page.getByLabel('Account number, twelve digits').fill('123456789012')
    await other.page.getByRole('button', { name: 'Connect', exact: true }).click()
    await other.page.getByText('Nothing was saved').waitFor()
    expect(await other.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('x'.repeat(201))
    expect(other.faults).to.deep.equal([])
    await other.close()
  })

  deepIt('shows messages that were set aside with their reason, and sends one again', async () => {
    await jetstream(org.connections.nats).publish(`ingest.billing.${org.orgId}.acct-1`, '{"no": "line"}')
    const counts = async () => (await org.get('/dead-letters/counts')).body.data as { code: string; waiting: number }[]
    await until('it is set aside', async () => (await counts()).length === 1)
    await seen.open('sources?tab=dead-letters')
    const code = (await counts())[0]!.code
    await seen.page.getByRole('table', { name: 'Messages', exact: true }).getByRole('link', { name: code }).click()
    const drawer = seen.page.getByRole('dialog')
    expect(await drawer.locator('pre').textContent()).to.equal('{"no": "line"}')
    await drawer.getByRole('button', { name: 'Replay unchanged' }).click()
    await drawer.getByText('Published again.').waitFor()
    expect(seen.faults).to.deep.equal([])
  })

  deepIt('tells a viewer which right each thing needs, and lets him look', async () => {
    const other = await look(org, { role: 'viewer', expected: /403/ })
    await other.open('sources?tab=bills')
    expect(await other.page.getByRole('button', { name: 'Upload and preview' }).isDisabled()).to.equal(true)
    await other.page.getByText('space.update').first().waitFor()
    await other.open('sources?tab=dead-letters')
    await other.page.getByText('Your role cannot view this').first().waitFor()
    expect(other.faults).to.deep.equal([])
    await other.close()
  })
})
