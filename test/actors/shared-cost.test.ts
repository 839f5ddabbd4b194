import { expect } from 'chai'
import { sharedCostDomain } from '#actors/attribution/shared-cost/shared-cost.ts'

/** Teams of the organization, as its store would find them. */
const having = (...known: string[]) =>
  ({
    find: async (_: unknown, { id }: { id: { $in: string[] } }) =>
      known.filter((one) => id.$in.includes(one)).map((one) => ({ id: one })),
  }) as never
const selector = { all: [{ attr: 'line.service', op: 'equals', values: ['support'] }] }

describe('a rule for shared costs', () => {
  it('is refused with each team there is not by its place among those given', async () => {
    const spec = { selector, among: ['z', 'b', 'gone', 'a', 'z'], method: 'even' }
    const message = 'is not a team in this organization'
    expect(await sharedCostDomain.check(spec as never, having('a', 'b'), 'o1')).to.deep.equal([
      { path: '/among/0', code: 'unknown', message },
      { path: '/among/2', code: 'unknown', message },
      { path: '/among/4', code: 'unknown', message },
    ])
    expect(await sharedCostDomain.check({ ...spec, among: 'all' } as never, having(), 'o1')).to.deep.equal([])
    expect(await sharedCostDomain.check({ selector, method: 'even' } as never, having(), 'o1')).to.deep.equal([])
  })
})
