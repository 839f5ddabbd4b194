// tier: deep
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { describeConsole, look, pictured, type Seen } from '#test/console/browser.ts'
import { allocationJourneys } from '#test/console/journey/allocation.ts'
import { costJourneys } from '#test/console/journey/costs.ts'
import { Hand } from '#test/console/journey/hand.ts'
import { savingJourneys } from '#test/console/journey/savings.ts'
import { setUpJourneys } from '#test/console/journey/set-up.ts'
import { demoWorld, type World } from '#test/console/journey/world.ts'

const journeys = [...costJourneys, ...allocationJourneys, ...savingJourneys, ...setUpJourneys]

describeConsole('the console: daily tasks in the demo organization, from the overview on', () => {
  let world: World
  let seen: Seen

  before(async function () {
    this.timeout(600_000)
    world = await demoWorld()
    seen = await look(world.org)
    await seen.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  })
  after(async () => {
    world?.end()
    await seen?.close()
  })

  for (const { task, actionsMax, walk } of journeys)
    it(`${task}: at most ${actionsMax} clicks and keys`, async () => {
      await seen.move('')
      const hand = new Hand(seen.page)
      try {
        await walk(hand, world)
        expect(hand.actions.length, hand.actions.join('\n')).to.be.at.most(actionsMax)
        expect(seen.faults).to.deep.equal([])
      } catch (error) {
        await pictured(seen.page, `journey ${task}`)
        throw error
      }
    })

  it('are listed in the documents with what they take', () => {
    const text = readFileSync(path.join(root, 'docs/console.md'), 'utf8')
    const rows = journeys.map(({ task, actionsMax }) => `| ${task} | ${actionsMax} |`)
    expect(rows.filter((row) => !text.includes(row))).to.deep.equal([])
  })
})
