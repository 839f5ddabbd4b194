// tier: deep
import { expect } from 'chai'
import { describeConsole, look, type Seen } from '#test/console/browser.ts'
import { tenant } from '#test/harness/product.ts'

/** Views of an organization with nothing in it, and what their next step is called. */
const places: readonly (readonly [place: string, step: string])[] = [
  ['overview', 'Connect a cloud account or upload a bill'],
  ['costs', 'Connect a cloud account or upload a bill'],
  ['kubernetes', 'add a Prometheus source with POST /kubernetes/sources'],
  ['anomalies', 'Connect a cloud account or upload a bill'],
  ['teams', 'Connect a cloud account or upload a bill'],
  ['tags', 'Connect a cloud account or upload a bill'],
  ['tags?tab=policies', 'POST /policies'],
  ['budgets', 'Create the first budget'],
  ['allocation', 'Create the first one'],
  ['recommendations', 'Connect an account'],
  ['schedules', 'Create the first one'],
  ['schedules?tab=overrides', 'Create one'],
  ['scaling', 'Create one in monitor mode'],
  ['events', 'create the plan'],
  ['provisioning', 'Choose what to provision'],
  ['provisioning?tab=spaces', 'Create the first one below'],
  ['provisioning?tab=deployments', 'Create the first one above'],
  ['inventory', 'Connect a cloud account'],
  ['live', 'Connect a cloud account or upload a bill'],
  ['sources', 'Connect one above'],
  ['sources?tab=bills', 'Choose its files above'],
  ['notifications?tab=subscriptions', 'Create the first one'],
]

describeConsole('the console where nothing is there', () => {
  /** What empty panels of each view say; and the views that asked what was refused. */
  const saidTo = async (seen: Seen): Promise<Map<string, string>> => {
    const said = new Map<string, string>()
    for (const [place] of places) {
      await seen.open(place)
      await seen.page.locator('main .empty').first().waitFor()
      said.set(place, (await seen.page.locator('main .empty').allTextContents()).join('\n'))
    }
    return said
  }

  it('says the next step to who may take it', async () => {
    const owner = await look(await tenant())
    const said = await saidTo(owner)
    const missing = places.filter(([place, step]) => !said.get(place)!.includes(step))
    expect([missing, owner.faults]).to.deep.equal([[], []])
    await owner.close()
  })

  it('tells nobody to do what their role does not allow: it names the right', async () => {
    const viewer = await look(await tenant(), { role: 'viewer' })
    const said = await saidTo(viewer)
    const wrong = places.filter(([place, step]) => said.get(place)!.includes(step))
    const silent = places.filter(([place]) => !/requires the permission [a-z]+\.[a-z]+/.test(said.get(place)!))
    expect([wrong, silent, viewer.faults]).to.deep.equal([[], [], []])
    await viewer.close()
  })
})
