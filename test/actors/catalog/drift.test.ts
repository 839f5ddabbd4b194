import { expect } from 'chai'
import { driftOf } from '#actors/catalog/config/drift.ts'

const pool = { name: 'workers', min: 2, max: 8, listenerPorts: [80, 443] }
const group = { name: 'general', instanceType: 'm5.large', min: 2, max: 6 }

describe('how far what stands is from what was asked for', () => {
  it('is nothing where it is the same, in whichever order, or where the cloud does not tell', () => {
    expect(driftOf(pool, { ...pool, listenerPorts: [443, 80], zone: 'a' })).to.deep.equal([])
    expect(driftOf(pool, { name: 'workers' })).to.deep.equal([])
    expect(driftOf(pool, {})).to.deep.equal([])
  })

  it('names each member that differs, in the order of the config', () => {
    expect(driftOf(pool, { ...pool, max: 9, min: 1, listenerPorts: [80] })).to.deep.equal([
      { path: '/min', wanted: 2, found: 1 },
      { path: '/max', wanted: 8, found: 9 },
      { path: '/listenerPorts', wanted: [80, 443], found: [80] },
    ])
    expect(driftOf({ on: true }, { on: null })).to.deep.equal([{ path: '/on', wanted: true, found: null }])
    expect(driftOf({ values: { 'a/b': { '~': 1 } } }, { values: { 'a/b': { '~': 2 } } })).to.deep.equal([
      { path: '/values/a~1b/~0', wanted: 1, found: 2 },
    ])
  })

  it('compares what has a name by it: what is gone, what nobody asked for, and what was changed', () => {
    const large = { ...group, name: 'large' }
    const found = [
      { ...group, name: 'spare' },
      { ...group, max: 9 },
    ]
    expect(driftOf({ nodeGroups: [group, large] }, { nodeGroups: found })).to.deep.equal([
      { path: '/nodeGroups/0/max', wanted: 6, found: 9 },
      { path: '/nodeGroups/1', wanted: large, found: null },
      { path: '/nodeGroups/2', wanted: null, found: found[0] },
    ])
    expect(driftOf({ nodeGroups: [group, large] }, { nodeGroups: [large, group] })).to.deep.equal([])
  })
})
