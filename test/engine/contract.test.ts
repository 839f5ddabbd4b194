/** What the engine counts on in its ports, held against the real servers and against those in memory alike. */
import { factContract } from '#test/sim/contract/facts.ts'
import { logContract } from '#test/sim/contract/log.ts'
import { rowContract } from '#test/sim/contract/row.ts'
import { stateContract } from '#test/sim/contract/state.ts'
import { turnContract } from '#test/sim/contract/turn.ts'
import { memoryKit, serverKit, type Kit } from '#test/sim/kits.ts'
import { isDeep } from '#test/harness/tier.ts'

// That those in memory are the same is what simulations count on, not the product.
const kits = { ...(isDeep && { 'in memory': memoryKit }), 'on the servers': serverKit }

for (const [name, open] of Object.entries(kits)) {
  describe(`the ports, ${name}`, () => {
    let kit: Kit
    before(async () => {
      kit = await open()
    })
    after(() => kit.close())
    for (const contract of [stateContract, turnContract, rowContract, logContract, factContract]) contract(() => kit)
  })
}
