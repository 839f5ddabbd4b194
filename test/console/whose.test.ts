// tier: deep
import { expect } from 'chai'
import { dayOf } from '#engine/value/day.ts'
import { describeConsole, look, settled, type Seen } from '#test/console/browser.ts'
import { allocation } from '#test/harness/allocation.ts'
import { deliver } from '#test/harness/delivery.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

describeConsole('the console: whose is it', () => {
  let org: Tenant
  let seen: Seen

  before(async () => {
    org = await tenant()
    const of = allocation(org)
    const at = new Date(org.connections.clock.now())
    await of.discover(
      { resourceUid: 'i-1', tags: { team: 'data' } },
      { resourceUid: 'i-2', tags: { team: 'data-team' } },
      { resourceUid: 'i-3', tags: { team: 'shop' } },
      { resourceUid: 'i-4', tags: { env: 'prod' } },
    )
    await deliver(org, {
      id: 'e1',
      at: at.toISOString(),
      items: [
        [dayOf(at), 'i-1', '20.000000001'],
        [dayOf(at), 'i-2', '10'],
        [dayOf(at), 'i-3', '5'],
        [dayOf(at), 'i-4', '100'],
      ],
    })
    await of.calm()
    seen = await look(org, { expected: /40[09]/ })
  })
  after(() => seen?.close())

  const rowOf = (name: string) => seen.page.locator('tbody tr', { hasText: name })

  it('makes teams from the tag that says whose something is, and shows first what moves', async () => {
    await seen.open('teams')
    await seen.page.getByRole('button', { name: 'Create teams from tag team (3 values, $35.00)' }).click()
    await seen.page.locator('.preview tbody tr').first().waitFor()
    expect(await seen.page.locator('.preview tbody tr').allTextContents()).to.deep.equal([
      'Unassigneddata new2$30.00',
      'Unassignedshop new1$5.00',
    ])
    await seen.page.getByRole('button', { name: 'Create 2 teams and the rule' }).click()
    await until('the teams have their costs', async () => {
      await seen.open('teams')
      return (await rowOf('2 resources').count()) === 1 && (await rowOf('shop').count()) === 1
    })
    expect(await rowOf('2 resources').locator('a.amount').textContent()).to.equal('$30.00')
    // What has no team is last, and never hidden.
    expect(await seen.page.locator('tbody tr').last().locator('td').first().textContent()).to.contain('Unassigned')
    expect(seen.faults).to.deep.equal([])
  })

  it('leads from a team to the lines that its cost is the sum of', async () => {
    await rowOf('2 resources').locator('a.amount').click()
    await seen.page.waitForSelector('.receipt output')
    await settled(seen.page)
    expect(await seen.page.locator('.receipt output').textContent()).to.equal('30.000000001 USD')
    await seen.page.keyboard.press('Escape')
    expect(seen.faults).to.deep.equal([])
  })

  it('shows spellings that are likely one beside each other', async () => {
    await seen.open('tags?key=team')
    expect(await seen.page.locator('.side li').allTextContents()).to.deep.equal([
      'data$20.001 resource',
      'data-team$10.001 resource',
    ])
    expect(seen.faults).to.deep.equal([])
  })

  it('says what the API refuses at its field, loses nothing typed, and saves it mended', async () => {
    await seen.open('budgets?new=team')
    await seen.page.getByLabel('Team name').fill('Shop')
    await seen.page.getByLabel('Monthly budget (USD)').fill('-4')
    await seen.page.getByRole('button', { name: 'Create budget' }).click()
    expect(await seen.page.locator('.wrong').textContent()).to.equal('It must be > 0.')
    expect(await seen.page.getByLabel('Team name').inputValue()).to.equal('Shop')
    await seen.page.getByLabel('Monthly budget (USD)').fill('10')
    await seen.page.getByRole('button', { name: 'Create budget' }).click()
    await rowOf('Shop').waitFor()
    expect(await rowOf('Shop').locator('a.amount').textContent()).to.equal('$5.00')
    expect(seen.faults).to.deep.equal([])
  })

  it('saves a rule as it was previewed, and looks again at one that was changed since', async () => {
    await seen.open('allocation?new=allocation&key=env')
    await seen.page.getByLabel('Create a team for each name').check()
    await seen.page.getByRole('button', { name: 'Preview changes' }).click()
    const save = seen.page.getByRole('button', { name: 'Create rule' })
    await save.waitFor()
    expect(await save.isEnabled()).to.equal(true)
    await seen.page.getByLabel('Priority').fill('1')
    expect(await save.isEnabled()).to.equal(false)
    await seen.page.getByRole('button', { name: 'Preview changes' }).click()
    await seen.page.locator('.preview:not(.old)').waitFor()
    await save.click()
    await rowOf('Team by tag env').getByText('1 resource').waitFor()
    await until('the team of the tag is made', async () => (await org.get('/teams')).body.data.total === 3)
    expect(seen.faults).to.deep.equal([])
  })

  it('says what moves back before a rule is deleted', async () => {
    await rowOf('Team by tag env').getByRole('button', { name: 'Delete' }).click()
    const dialog = seen.page.getByRole('dialog')
    // What was answered before the team was made stands until the answer of now is there.
    const moved = () => dialog.locator('tbody tr').allTextContents()
    await until('it is told what moves back', async () => (await moved()).join('\n') === 'prodUnassigned1$100.00')
    await dialog.getByRole('button', { name: 'Delete rule' }).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf('Team by tag env').waitFor({ state: 'detached' })
    expect(seen.faults).to.deep.equal([])
  })

  it('shows a viewer what there is, and which right each change needs', async () => {
    const viewer = await look(org, { role: 'viewer', width: 360 })
    for (const [place, name, right] of [
      ['teams', 'New team', 'service.create'],
      ['budgets', 'New budget', 'service.create'],
      ['allocation', 'New rule for resources', 'service.create'],
    ] as const) {
      await viewer.open(place)
      const button = viewer.page.getByRole('button', { name })
      expect([await button.isDisabled(), await button.getAttribute('title')]).to.deep.equal([
        true,
        `Requires the ${right} permission`,
      ])
      const sideways = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
      expect(await viewer.page.evaluate(sideways), place).to.equal(0)
    }
    expect(viewer.faults).to.deep.equal([])
    await viewer.close()
  })
})
