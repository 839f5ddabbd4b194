import { expect } from 'chai'
import { resolveConflict, diffFields, mergeChanges } from '#http/console/web/editing.ts'
import { deepConsole, look, type Seen } from '#test/console/browser.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'

describe('a thing that two people change', () => {
  const base = { name: 'Night', rules: ['a'], zone: 'UTC' }
  const none = { base, draft: base, meanwhile: [] }

  it('keeps what was typed, takes what others changed, and asks about what both did', () => {
    const draft = { ...base, name: 'Mine' }
    const theirs = { ...base, rules: ['b'] }
    const one = mergeChanges({ ...none, draft }, theirs)
    expect(one).to.deep.equal({
      base: theirs,
      draft: { name: 'Mine', rules: ['b'], zone: 'UTC' },
      meanwhile: [{ name: 'rules', before: ['a'], theirs: ['b'] }],
    })
    expect(diffFields(one.base, one.draft)).to.deep.equal({ name: 'Mine' })
    const both = mergeChanges(one, { ...theirs, name: 'Yours' })
    expect([both.draft.name, both.meanwhile[1]]).to.deep.equal([
      'Mine',
      { name: 'name', before: 'Night', theirs: 'Yours', both: { mine: 'Mine', chosen: undefined } },
    ])
    const yielded = resolveConflict(both, 'name', 'theirs')
    expect(diffFields(yielded.base, yielded.draft)).to.deep.equal({})
    expect(resolveConflict(yielded, 'name', 'mine').draft.name).to.equal('Mine')
  })

  it('says nothing of what was put back, and nothing stands against what both made the same', () => {
    const changed = mergeChanges(none, { ...base, zone: 'Asia/Kathmandu' })
    expect(mergeChanges(changed, base)).to.deep.equal(none)
    const same = mergeChanges({ ...none, draft: { ...base, name: 'Day' } }, { ...base, name: 'Day' })
    expect(same.meanwhile).to.deep.equal([{ name: 'name', before: 'Night', theirs: 'Day' }])
    expect(diffFields(same.base, same.draft)).to.deep.equal({})
  })
})

deepConsole('the console: two people change one thing', () => {
  let f: Fleet
  let seen: Seen
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const dialog = () => seen.page.locator('dialog.confirm')
  const note = () => seen.page.locator('.note.meanwhile')
  const schedule = async () => {
    const rules = [{ action: 'stop', cron: '0 20 * * *' }]
    const body = { name: 'Night', timezone: 'UTC', rules, resourceUIDs: [], resourceGroupIDs: [], skipDates: [] }
    const made = await f.send('POST', '/schedules', body)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.id as string
  }
  const saved = async (id: string) => {
    const { name, description, rules } = (await f.get(`/schedules/${id}`)).body.data
    return [name, description, rules.map(({ cron }: any) => cron).join()]
  }

  before(async () => {
    f = await fleet()
    seen = await look(f, { role: 'editor' })
  })
  afterEach(() => {
    expect(seen.faults).to.deep.equal([])
  })
  after(async () => {
    await seen?.close()
    await f?.end()
  })

  it('says what the other changed, field by field, before anything is sent, and sends one’s own alone', async () => {
    const id = await schedule()
    await seen.open(`schedules?schedule=${id}`)
    await button('Edit').click()
    await seen.page.getByLabel('Description').fill('Saves money')
    const rules = [{ action: 'stop', cron: '0 22 * * *' }]
    expect((await f.send('PATCH', `/schedules/${id}`, { name: 'Late night', rules })).status).to.equal(200)
    await button('Save…').click()
    await note().waitFor()
    expect(await note().locator('li').allTextContents()).to.deep.equal([
      'Name: was Night, now Late night.',
      'Rules: was 0 20 * * * stop, now 0 22 * * * stop.',
    ])
    expect([await dialog().count(), await saved(id)]).to.deep.equal([0, ['Late night', undefined, '0 22 * * *']])
    expect(await seen.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Late night')
    const sent = seen.page.waitForRequest((request) => request.method() === 'PATCH')
    await button('Save…').click()
    await button('Save changes').click()
    expect((await sent).postDataJSON()).to.deep.equal({ description: 'Saves money' })
    await dialog().waitFor({ state: 'detached' })
    expect(await saved(id)).to.deep.equal(['Late night', 'Saves money', '0 22 * * *'])
  })

  it('looks once more when it is confirmed, and asks whose is to be where both changed one field', async () => {
    const id = await schedule()
    await seen.open(`schedules?schedule=${id}`)
    await button('Edit').click()
    await seen.page.getByLabel('Name', { exact: true }).fill('Mine')
    await button('Save…').click()
    await dialog().waitFor()
    await f.send('PATCH', `/schedules/${id}`, { name: 'Theirs' })
    await button('Save changes').click()
    await note().getByText('both of you changed it').waitFor()
    expect(await seen.page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Mine')
    // Nothing goes on before it is said.
    await button('Save…').click()
    expect([await dialog().count(), (await saved(id))[0]]).to.deep.equal([0, 'Theirs'])
    await note().getByLabel('Yours: Mine').check()
    await button('Save…').click()
    await button('Save changes').click()
    await dialog().waitFor({ state: 'detached' })
    expect((await saved(id))[0]).to.equal('Mine')
  })

  it('holds of forms that save at once as well: a budget keeps the alert that another has set', async () => {
    await f.send('POST', '/teams', { name: 'Core' })
    const made = await f.send('POST', '/budgets', {
      teamName: 'Core',
      monthlyBudgetUSD: 100,
      alertThresholdPercent: 80,
    })
    const { id } = made.body.data
    await seen.open(`budgets?edit=${id}`)
    await seen.page.getByLabel(/^Monthly budget/).fill('200')
    expect((await f.send('PUT', `/budgets/${id}`, { alertThresholdPercent: 50 })).status).to.equal(200)
    await button('Save').click()
    await note().getByText('Alert at (% of budget): was 80, now 50.').waitFor()
    await button('Save').click()
    await seen.page.getByLabel(/^Monthly budget/).waitFor({ state: 'detached' })
    const [budget] = (await f.get('/budgets')).body.data
    expect([budget.monthlyBudgetUSD, budget.alertThresholdPercent]).to.deep.equal([200, 50])
  })
})
