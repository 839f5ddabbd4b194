import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { dayOf } from '#engine/value/day.ts'
import { views } from '#http/console/web/view/index.ts'
import { describeConsole, findings, look, looks, type Seen } from '#test/console/browser.ts'
import { sendLoneLines } from '#test/harness/delivery.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** What can be focused, but not with Tab. */
async function unreached(page: Page): Promise<string[]> {
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('a[href], button, select, input, summary, [tabindex="0"]')]
    const isShown = (one: HTMLElement) => one.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })
    const shown = all.filter((one) => isShown(one) && !one.matches(':disabled, [tabindex="-1"]'))
    for (const one of shown) one.setAttribute('data-unreached', '')
    addEventListener('focusin', ({ target }) => (target as Element).removeAttribute('data-unreached'))
    return shown.length
  })
  const left = () =>
    page.evaluate(() => [...document.querySelectorAll('[data-unreached]')].map((one) => one.outerHTML.slice(0, 200)))
  // Fields of a date hold several stops each.
  for (let round = 0; round < 3 && (await left()).length > 0; round++)
    await Promise.all(Array.from({ length: wanted }, () => page.keyboard.down('Tab')))
  await page.keyboard.up('Tab')
  return left()
}

/** Views of the main journeys: `npm test` checks these, always the same, and the deep tier checks all. */
const main = new Set(['overview', 'costs', 'workflows', 'sources', 'saved'])
const chosen = isDeep ? views : views.filter(({ name }) => main.has(name))
const which = isDeep ? 'all views' : 'views of the main journeys'

describeConsole('every view of the console', () => {
  let org: Tenant
  let seen: Seen

  before(async () => {
    org = await tenant()
    const at = new Date(org.connections.clock.now())
    await sendLoneLines(org, [
      [dayOf(at), 'i-1', 12],
      [dayOf(at), 'i-2', 30, { serviceName: 'database' }],
    ])
    await org.send('POST', '/teams', { name: 'Data' })
    seen = await look(org)
  })
  after(() => seen?.close())

  it(`is accessible in each theme and width: axe-core, no sideways scroll, no fault (${which})`, async () => {
    const wrong: string[] = []
    for (const { theme, width } of looks) {
      await seen.page.emulateMedia({ colorScheme: theme })
      await seen.page.setViewportSize({ width, height: 900 })
      for (const { name } of chosen) {
        await seen.move(name)
        wrong.push(...(await findings(seen.page)).map((text) => `${name} at ${width} ${text}`))
        if ((await sideways(seen.page)) > 0) wrong.push(`${name} at ${width} scrolls sideways`)
      }
    }
    expect([...wrong, ...seen.faults]).to.deep.equal([])
  })

  deepIt('keeps within its width, whatever people, teams and services are called', async () => {
    const wide = await tenant()
    const [long, at] = ['ש<script>W'.repeat(102), new Date(wide.connections.clock.now())]
    await sendLoneLines(wide, [[dayOf(at), 'i-1', 5, { serviceName: long.slice(0, 900) }]])
    const { body } = await wide.send('POST', '/teams', { name: 'W'.repeat(100) })
    const wrong: string[] = []
    for (const width of [1440, 360]) {
      const seen = await look(wide, { width, name: long })
      for (const place of [...views.map(({ name }) => name), `teams?team=${body.data.id}`]) {
        await seen.open(place)
        if ((await sideways(seen.page)) > 0) wrong.push(`${place} at ${width}`)
      }
      wrong.push(...seen.faults)
      await seen.close()
    }
    expect(wrong).to.deep.equal([])
  })

  it(`is reached by the keyboard alone, from link to link (${which})`, async () => {
    await seen.page.setViewportSize({ width: 1440, height: 900 })
    for (const { name } of chosen) {
      await seen.move(name)
      expect(await unreached(seen.page), name).to.deep.equal([])
    }
  })

  it(`is one key away, and the keys are listed (${which})`, async () => {
    for (const { name, key, title } of chosen.filter(({ hidden }) => !hidden)) {
      // Both in one step: `g` waits 1.5 s for its letter, which two keys pressed from here can miss on a busy machine.
      await seen.page.evaluate((letter) => {
        for (const one of ['g', letter]) dispatchEvent(new KeyboardEvent('keydown', { key: one }))
      }, key)
      await seen.page.waitForFunction((wanted) => document.title.startsWith(wanted), title)
      expect(new URL(seen.page.url()).pathname, name).to.equal(name === 'overview' ? '/console/' : `/console/${name}`)
    }
    await seen.page.keyboard.press('?')
    expect(await seen.page.locator('dialog dd').count()).to.be.greaterThan(views.length)
  })
})

describe('views of the console', () => {
  it('have each a name, a title and a key of their own', () => {
    for (const member of ['name', 'title'] as const)
      expect(new Set(views.map((view) => view[member])).size, member).to.equal(views.length)
    const keys = views.filter(({ hidden }) => !hidden).map(({ key }) => key)
    expect(new Set(keys).size).to.equal(keys.length)
    expect(keys).to.not.include('')
  })
})
