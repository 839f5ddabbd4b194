import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { dayOf } from '#engine/day.ts'
import { views } from '#http/console/web/view/index.ts'
import { describeConsole, findings, look, looks, type Seen } from '#test/console/browser.ts'
import { billingLine } from '#streams/billing.ts'
import { deliver, lineOf } from '#test/harness/delivery.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** What can be reached and cannot be told from what Tab reaches. */
async function unreached(page: Page): Promise<string[]> {
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('a[href], button, select, input, summary, [tabindex="0"]')]
    const isShown = (one: HTMLElement) => one.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })
    const shown = all.filter((one) => isShown(one) && !one.matches(':disabled, [tabindex="-1"]'))
    shown.forEach((one, at) => one.setAttribute('data-at', String(at)))
    return shown.length
  })
  const reached = new Set<string>()
  // Fields of a date hold several stops each.
  for (let press = 0; press < wanted * 3 && reached.size < wanted; press++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => document.activeElement?.getAttribute('data-at'))
    if (at !== null && at !== undefined) reached.add(at)
  }
  return page.evaluate(
    (known) =>
      [...document.querySelectorAll('[data-at]')]
        .filter((one) => !known.includes(one.getAttribute('data-at')!))
        .map((one) => one.outerHTML.slice(0, 200)),
    [...reached],
  )
}

describeConsole('every view of the console', () => {
  let org: Tenant

  before(async () => {
    org = await tenant()
    const at = new Date(org.connections.clock.now())
    await deliver(org, {
      id: 'e1',
      at: at.toISOString(),
      items: [
        [dayOf(at), 'i-1', 12],
        [dayOf(at), 'i-2', 30, { serviceName: 'database' }],
      ],
    })
    await org.send('POST', '/teams', { name: 'Data' })
  })

  for (const { theme, width } of looks)
    it(`is accessible to all, ${theme} and ${width} wide: axe-core, no sideways scroll, no fault`, async () => {
      const seen = await look(org, { theme, width })
      const wrong: string[] = []
      for (const { name } of views) {
        await seen.open(name)
        wrong.push(...(await findings(seen.page)).map((text) => `${name} ${text}`))
        if ((await sideways(seen.page)) > 0) wrong.push(`${name} scrolls sideways`)
      }
      await seen.close()
      expect([...wrong, ...seen.faults]).to.deep.equal([])
    })

  it('keeps within its width, whatever people, teams and services are called', async () => {
    const wide = await tenant()
    const [long, at] = ['ש<script>W'.repeat(102), new Date(wide.connections.clock.now())]
    const line = lineOf({ id: 'none', at: at.toISOString() }, [
      dayOf(at),
      'i-1',
      5,
      { serviceName: long.slice(0, 900) },
    ])
    await wide.publish(billingLine, [{ ...line, exportId: '' }])
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

  it('is reached by the keyboard alone, from link to link', async () => {
    const seen: Seen = await look(org)
    for (const { name } of views) {
      await seen.open(name)
      expect(await unreached(seen.page), name).to.deep.equal([])
    }
    await seen.close()
  })

  it('is one key away, and the keys are listed', async () => {
    const seen = await look(org)
    for (const { name, key, title } of views.filter(({ hidden }) => !hidden)) {
      await seen.page.keyboard.press('g')
      await seen.page.keyboard.press(key)
      await seen.page.waitForFunction((wanted) => document.title.startsWith(wanted), title)
      expect(new URL(seen.page.url()).pathname, name).to.equal(name === 'overview' ? '/console/' : `/console/${name}`)
    }
    await seen.page.keyboard.press('?')
    expect(await seen.page.locator('dialog dd').count()).to.be.greaterThan(views.length)
    await seen.close()
  })

  it('has a name, a title and a key of its own', () => {
    for (const member of ['name', 'title'] as const)
      expect(new Set(views.map((view) => view[member])).size, member).to.equal(views.length)
    const keys = views.filter(({ hidden }) => !hidden).map(({ key }) => key)
    expect(new Set(keys).size).to.equal(keys.length)
    expect(keys).to.not.include('')
  })
})
