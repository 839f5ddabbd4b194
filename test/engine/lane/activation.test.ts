import { expect } from 'chai'
import { Activations, actorId, type ActivationRequest } from '#engine/lane/activation.ts'
import type { StateStore } from '#engine/actor/ports.ts'
import { simRegistry } from '#test/sim/actors.ts'

const shape = simRegistry.shapes.get('sim')!
const address = { orgId: 'org', place: 'p0', key: 'k' }
const id = actorId('sim', address)
const called = (): ActivationRequest => ({ id, address, live: undefined })
const row = (count: number) => ({ ...address, count, seen: [], size: 0, at: null })

describe('actors in memory', () => {
  it('do not go back to what was being loaded when all was forgotten [STREAM-06]', async () => {
    const loads: ((rows: object[]) => void)[] = []
    const load = () => new Promise<object[]>((resolve) => loads.push(resolve))
    const activations = new Activations({ load } as unknown as StateStore, 100)
    const abandoned = activations.activate('sim', shape, [called()]).catch((error: Error) => error.message)
    activations.clear()
    const again = activations.activate('sim', shape, [called()])
    loads[1]!([row(2)])
    await again
    loads[0]!([row(1)])
    expect(await abandoned).to.equal('the loaded rows are no longer needed')
    expect(activations.peek(id)).to.deep.equal(row(2))
  })
})
